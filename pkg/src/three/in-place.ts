/** Gives clips that were made in place the travel of their feet. */
import { AnimationClip, type KeyframeTrack, type Object3D, PropertyBinding, VectorKeyframeTrack } from "three";
import { createRestMotion } from "../bones/motion.js";
import type { Transform } from "../bones/rest.js";
import { add, type Vector } from "../bones/rotation.js";
import { anything, checkOptions, names, text, wrongOption } from "../core/options.js";
import type { Clip, MotionData, RigEdits } from "../core/types.js";
import { Body, type Pose } from "./body.js";
import { checkDuration } from "./clip-motion.js";
import { Sampler } from "./sampler.js";

/** Names of feet, without targets of inverse kinematics. */
const FOOT_NAME = /^(?!.*(target|pole|ik)).*foot/i;
/** Rate of the samples and of the written keys, frames per second. */
const RATE = 60;
/** Height above its lowest position at which a point of a foot still carries the body, in heights of the hips. */
const CONTACT_HEIGHT = 0.015;
/** Height above rest, over the median of all points, up to which the lowest position of a point is on the ground. */
const MAX_FLOOR = 0.04;
/** Vertical speed up to which a point of a foot rests on the ground, in heights of the hips per second. */
const MAX_CLIMB = 0.4;
/** Standard deviation of the smoothing of the speed, which also fills flight phases; seconds. */
const SMOOTHING = 0.07;
/** Mean speed below which a clip does not travel, in heights of the hips per second. */
const MIN_SPEED = 0.1;

/** Options of `rootMotionFromFeet`. */
export interface RootMotionFromFeetOptions {
  /** `load` of `kinestitch` or `kinestitch/worker`, which finds the feet. Not needed with `feet`. */
  load?: (data: MotionData) => Promise<Clip>;
  /** Corrections to the automatic bone mapping. */
  rig?: RigEdits;
  /** Names of the bones of both feet; default: those that `load` finds. */
  feet?: readonly string[];
  /** Name of the bone that carries the travel; default: the uppermost bone above the hips, or the hips. */
  bone?: string;
  /** Name of the hips bone; default as in `createTransitions`. */
  hips?: string;
}

/**
 * Returns a copy of a clip that was made in place, with the travel that its feet show: the body moves so that feet on
 * the ground stay where they are. A clip without steps stays in place.
 *
 * @param clip A clip of the model; a loop, or a clip that plays once.
 * @param model The model, in its loaded pose.
 * @throws {KinestitchError} `option` if no feet are found; errors of `load`.
 * @example
 * ```js
 * const walk = await rootMotionFromFeet(walkInPlace, scene, { load });
 * transitions.transitionTo(walk); // now the model walks
 * ```
 */
export async function rootMotionFromFeet(
  clip: AnimationClip,
  model: Object3D,
  options?: RootMotionFromFeetOptions,
): Promise<AnimationClip> {
  const schema = { load: anything, rig: names<RigEdits>(), feet: anything, bone: text, hips: text };
  const { bone, hips, ...source } = checkOptions<RootMotionFromFeetOptions>(
    "rootMotionFromFeet",
    schema as never,
    options,
  );
  if (!(clip instanceof AnimationClip || Array.isArray((clip as Partial<AnimationClip> | undefined)?.tracks)))
    throw wrongOption("clip", "rootMotionFromFeet takes an AnimationClip, and the model that it animates");
  checkDuration(clip);
  const body = new Body(model, undefined, hips);
  const feet = await findFeet(body, source);
  const carrier = bone === undefined ? (body.carriers[0] ?? body.hips) : body.findBone(bone);
  if (carrier < 0) throw wrongOption("bone", `"${bone}" is not a bone of "${model.name || model.type}"`);
  const sampler = new Sampler(body, model, clip, body.read());
  const count = Math.max(2, Math.round(clip.duration * RATE) + 1);
  const times = Array.from({ length: count }, (_, sample) => (sample / (count - 1)) * clip.duration);
  const poses = times.map((time) => sampler.poseAt(time));
  const travel = travelOf(body, poses, feet, clip.duration);
  const values = poses.flatMap((pose, sample) => {
    const [x, z] = travel[sample] as readonly [number, number];
    const { position, rotation } = body.worldTransform(pose, carrier);
    body.setWorldTransform(pose, carrier, rotation, add(position, [x, 0, z]));
    return [...(pose.positions[carrier] as Vector)];
  });
  return withTrack(clip, model, body.nodes[carrier] as Object3D, times, values);
}

/** Returns the bones of both feet, each with all bones below it. */
async function findFeet(
  body: Body,
  { load, rig, feet }: Omit<RootMotionFromFeetOptions, "bone" | "hips">,
): Promise<number[][]> {
  const found = feet ?? (load ? await mappedFeet(body, load, rig) : []);
  if (!Array.isArray(found) || found.length === 0)
    throw wrongOption("feet", "rootMotionFromFeet needs the feet: give `load`, or the names of their bones as `feet`");
  return (found as string[]).map((name) => {
    const foot = body.findBone(name);
    if (foot < 0) throw wrongOption("feet", `"${name}" is not a bone of the model`);
    return body.nodes.flatMap((_, bone) => (body.isBelow(bone, [foot]) ? [bone] : []));
  });
}

/** Returns the feet of the bone mapping; if it has none, the two bones that are named feet, wherever they hang. */
async function mappedFeet(
  { character: { rest, lowest } }: Body,
  load: NonNullable<RootMotionFromFeetOptions["load"]>,
  rig: RigEdits | undefined,
): Promise<string[]> {
  const clip = await load({ ...createRestMotion(rest, lowest), name: "rest", ...(rig && { rig }) });
  try {
    const roles = (await clip.info()).rig;
    const mapped = [roles.LeftFoot, roles.RightFoot].filter((name) => typeof name === "string");
    if (mapped.length > 0) return mapped;
    const named = rest.bones.map(({ name }) => name).filter((name) => FOOT_NAME.test(name));
    return named.length === 2 ? named : [];
  } finally {
    clip.free();
  }
}

/** Returns the travel of the body at each sample, x and z, in units of the model. */
function travelOf(body: Body, poses: readonly Pose[], feet: readonly number[][], seconds: number): [number, number][] {
  const height = body.hipsHeight;
  const points = feet.flat();
  // Heights above rest. An ankle that never comes down to its rest height carries nothing.
  const places = poses.map((pose) => {
    const worlds = body.worldTransforms(pose);
    return points.map((bone): Vector => {
      const [x, y, z] = (worlds[bone] as Transform).position;
      return [x, y - (body.character.rest.bones[bone] as Transform).position[1], z];
    });
  });
  const floors = points.map((_, point) => Math.min(...places.map((list) => (list[point] as Vector)[1])));
  const middle = floors.toSorted((a, b) => a - b)[(floors.length - 1) >> 1] as number;
  const trust = floors.map((floor) => Math.exp(-((Math.max(0, floor - middle) / (MAX_FLOOR * height)) ** 2)));
  const step = seconds / (poses.length - 1);
  // Between two samples: the speed that keeps the points on the ground in place, and the weight of this evidence.
  const evidence = places.slice(1).map((list, sample) => {
    const sum = { x: 0, z: 0, weight: 1e-9 };
    list.forEach(([x, y, z], point) => {
      const [fromX, fromY, fromZ] = (places[sample] as Vector[])[point] as Vector;
      const rise = (Math.max(y, fromY) - (floors[point] as number)) / (CONTACT_HEIGHT * height);
      // A foot that is being set down or lifted moves forwards and back.
      const climb = (y - fromY) / step / (MAX_CLIMB * height);
      const weight = (trust[point] as number) * Math.exp(-rise * rise - climb * climb);
      sum.x += (weight * (fromX - x)) / step;
      sum.z += (weight * (fromZ - z)) / step;
      sum.weight += weight;
    });
    return sum;
  });
  const speeds = smoothed(evidence, SMOOTHING / step);
  const mean = speeds.reduce((sum, [x, z]) => sum + Math.hypot(x, z), 0) / speeds.length;
  const isStill = !(mean > MIN_SPEED * height);
  const travel: [number, number][] = [[0, 0]];
  for (const [x, z] of speeds) {
    const [lastX, lastZ] = travel.at(-1) as [number, number];
    travel.push(isStill ? [0, 0] : [lastX + x * step, lastZ + z * step]);
  }
  return travel;
}

/** Smooths speeds over a loop, by their weights. `width`: standard deviation in samples. */
function smoothed(evidence: readonly { x: number; z: number; weight: number }[], width: number): [number, number][] {
  const count = evidence.length;
  const reach = Math.min(count >> 1, Math.ceil(4 * width));
  return evidence.map((_, sample) => {
    let [x, z, weight] = [0, 0, 0];
    for (let offset = -reach; offset <= reach; offset++) {
      const entry = evidence[(sample + offset + count) % count] as { x: number; z: number; weight: number };
      const factor = Math.exp(-0.5 * (offset / width) ** 2);
      x += factor * entry.x;
      z += factor * entry.z;
      weight += factor * entry.weight;
    }
    return [x / weight, z / weight];
  });
}

/** Returns a copy of a clip whose position track of a node is replaced. */
function withTrack(
  clip: AnimationClip,
  model: Object3D,
  node: Object3D,
  times: readonly number[],
  values: readonly number[],
): AnimationClip {
  const isTrack = ({ name }: KeyframeTrack): boolean => {
    const { nodeName, propertyName } = PropertyBinding.parseTrackName(name);
    return propertyName === "position" && PropertyBinding.findNode(model, nodeName) === node;
  };
  const copy = clip.clone();
  const name = copy.tracks.find(isTrack)?.name ?? `${node.name || node.uuid}.position`;
  copy.tracks = [
    ...copy.tracks.filter((track) => !isTrack(track)),
    new VectorKeyframeTrack(name, [...times], [...values]),
  ];
  return copy;
}
