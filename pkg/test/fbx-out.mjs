// Joint positions of clips and of the FBX files that are written from them.
import { AnimationMixer, LoopOnce, PropertyBinding, Vector3 } from "three";
import { FBXLoader } from "three/addons/loaders/FBXLoader.js";

/** Number of instants at which positions are compared. */
const INSTANTS = 5;

/** Returns the frames of the instants: spread over the motion, both ends included. */
export const instants = (frames) =>
  Array.from({ length: Math.min(INSTANTS, frames) }, (_, i) =>
    Math.round((i * (frames - 1)) / Math.max(1, Math.min(INSTANTS, frames) - 1)),
  );

/** Returns the world positions of the joints of a clip by name, one for each of `frames`, metres. */
export function jointsOf(clip, frames) {
  const { joints } = clip.info();
  const positions = clip.positions();
  return new Map(
    joints.map(({ name }, joint) => [
      name,
      frames.map((frame) => Array.from(positions.subarray((frame * joints.length + joint) * 3).subarray(0, 3))),
    ]),
  );
}

/** Returns the largest distance between joints of two maps, metres; `found` must have all joints of `expected`. */
export function largestDistance(expected, found, nameOf = (name) => name) {
  let largest = 0;
  for (const [name, places] of expected) {
    const other = found.get(nameOf(name));
    if (!other)
      throw new Error(`the joint "${name}" is missing; there are ${[...found.keys()].slice(0, 8).join(", ")}`);
    places.forEach((place, i) => {
      const distance = Math.hypot(...place.map((value, axis) => value - other[i][axis]));
      largest = Math.max(largest, Number.isNaN(distance) ? Infinity : distance);
    });
  }
  return largest;
}

/** Reads an FBX file with three.js. Returns the positions of its nodes at `seconds`, metres, and the animation. */
export function readWithThree(bytes, seconds) {
  const model = new FBXLoader().parse(bytes.slice().buffer, "");
  const [animation] = model.animations;
  const mixer = new AnimationMixer(model);
  const action = mixer.clipAction(animation);
  action.setLoop(LoopOnce).clampWhenFinished = true;
  action.play();
  const nodes = new Map();
  for (const time of seconds) {
    mixer.setTime(time);
    model.updateMatrixWorld(true);
    model.traverse((node) => {
      const place = node.getWorldPosition(new Vector3()).multiplyScalar(0.01).toArray();
      nodes.set(node.name, [...(nodes.get(node.name) ?? []), place]);
    });
  }
  return { model, animation, nodes };
}

/** Returns a name as the loaders of three.js change it. */
export const sanitized = (name) => PropertyBinding.sanitizeNodeName(name);
