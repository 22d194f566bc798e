/**
 * Entry `kinestitch/three`: between three.js's animations and clips. `three` is the page's own.
 *
 * A model loaded by GLTFLoader, FBXLoader, ColladaLoader or @pixiv/three-vrm, whatever way its bones rest, gives clips, and takes them.
 * @module kinestitch/three
 */
import {
  AnimationClip,
  AnimationMixer,
  Box3,
  Matrix4,
  type Object3D,
  PropertyBinding,
  Quaternion,
  QuaternionKeyframeTrack,
  type SkinnedMesh,
  Vector3,
  VectorKeyframeTrack,
} from "three";
import { type Character, type Local, poser, tracksOf } from "./bones/character.js";
import { type RootMotion, rootMotions } from "./bones/root-motion.js";
import { framesOf, MAX_FRAMES, rateOf } from "./bones/rate.js";
import { type Bone, motionOf, type Placed, type Rest, restOf, standing } from "./bones/rest.js";
import { treesOf, uniqueNames } from "./bones/tree.js";
import { alike, type Turn, type Vector } from "./bones/turn.js";
import { KinestitchError } from "./core/error.js";
import { files } from "./core/files.js";
import { anything, checked, names, oneOf, positive, text } from "./core/options.js";
import type { Clip, MotionData, RigEdits, WorkerClip } from "./core/types.js";

export type { RootMotion } from "./bones/root-motion.js";

/** Parts of turns and places that differ by less are the same. */
const SAME = 1e-5;

export interface FromAnimationOptions<Made = Clip> {
  /** The `load` of the entry that clips are to be of; default: that of the entry imported first. */
  load?: (data: MotionData) => Promise<Made>;
  /** Frames a second; default: the lowest usual rate that has a frame at every key, else 30. */
  fps?: number;
  /** Default: the animation's. */
  name?: string;
  /** Corrections to the automatic bone mapping. */
  rig?: RigEdits;
}

export interface ToAnimationOptions {
  /** "inPlace" leaves out the way over the ground; default "keep". */
  rootMotion?: RootMotion;
  /** Default: the clip's. */
  name?: string;
  /** Corrections to the bone mapping of the target. */
  rig?: RigEdits;
}

/**
 * An animation of a model as a clip. `root` is what an `AnimationMixer` would be made for, as it was loaded; it is left as it was.
 */
export async function fromAnimationClip<Made = Clip>(
  animation: AnimationClip,
  root: Object3D,
  options?: FromAnimationOptions<Made>,
): Promise<Made>;
/** @deprecated The animation comes first, as in {@link toAnimationClip}. */
export async function fromAnimationClip<Made = Clip>(
  root: Object3D,
  animation: AnimationClip,
  options?: FromAnimationOptions<Made>,
): Promise<Made>;
export async function fromAnimationClip<Made = Clip>(
  a: AnimationClip | Object3D,
  b: AnimationClip | Object3D,
  options?: FromAnimationOptions<Made>,
): Promise<Made> {
  const isModel = (value: unknown): value is Object3D => (value as Object3D | undefined)?.isObject3D === true;
  const [animation, root] = isModel(a) ? [b, a] : [a, b];
  if (
    isModel(animation) ||
    !isModel(root) ||
    !Array.isArray((animation as Partial<AnimationClip> | undefined)?.tracks)
  ) {
    throw new KinestitchError("option", "fromAnimationClip takes an AnimationClip, and the Object3D that it moves");
  }
  const schema = { load: anything as never, fps: positive, name: text, rig: names<RigEdits>() };
  const {
    load,
    fps,
    name = animation.name,
    rig,
  } = checked<FromAnimationOptions<Made>>("fromAnimationClip", schema, options);
  const moving = new Set(
    animation.tracks
      .filter((track) => /\.(position|quaternion)$/.test(track.name))
      .map(({ name }) => PropertyBinding.parseTrackName(name).nodeName),
  );
  const animated = new Set<Object3D>();
  for (const node of moving) {
    const found = PropertyBinding.findNode(root, node) as Object3D | null;
    if (found) animated.add(found);
  }
  const skeleton = new Skeleton(root, animated, animation);
  const times = animation.tracks.flatMap(({ times: keys }) => [...keys]);
  const [from, to] = times.reduce(
    ([low, high], time) => [Math.min(low, time), Math.max(high, time)],
    [Infinity, -Infinity],
  );
  if (!Number.isFinite(to - from)) throw new KinestitchError("option", `the animation "${animation.name}" has no keys`);
  const rate = fps ?? rateOf(times.map((time) => time - from));
  const frames = framesOf(from, to, rate);
  if (frames.length > MAX_FRAMES)
    throw new KinestitchError(
      "limit",
      `the animation "${animation.name}" has over ${MAX_FRAMES} frames at ${rate} a second`,
    );
  const data = {
    ...motionOf(skeleton.rest, rate, posesOf(root, animation, skeleton, frames)),
    name: name || "animation",
    ...(rig && { rig }),
  };
  return (await (load ?? (files().load as never as (data: MotionData) => Promise<Made>))(data)) as Made;
}

/** Where bones are at times of an animation. At once, and the model stands as before: others may look at it while the motion is loaded. */
function posesOf(root: Object3D, animation: AnimationClip, skeleton: Skeleton, moments: readonly number[]): Placed[][] {
  const mixer = new AnimationMixer(root);
  mixer.clipAction(animation).play();
  try {
    return moments.map((time) => {
      // Short of the end, where a mixer begins anew.
      mixer.setTime(Math.min(time, animation.duration * (1 - 1e-7)));
      return skeleton.placed();
    });
  } finally {
    mixer.stopAllAction();
    mixer.uncacheRoot(root);
    root.updateMatrixWorld(true);
  }
}

/**
 * A clip's motion as an animation of a model: of any `Object3D` with bones in it, whatever their names and the way they rest. Play it
 * by an `AnimationMixer` of `target`. From another skeleton bipeds only; motions of the model itself come back as they are, whatever body
 * it has. What stays as the model has it at rest is left out, and what stays elsewhere has one key.
 */
export async function toAnimationClip(
  clip: Clip | WorkerClip,
  target: Object3D,
  options?: ToAnimationOptions,
): Promise<AnimationClip> {
  const schema = { rootMotion: oneOf(rootMotions), name: text, rig: names<RigEdits>() };
  const {
    rootMotion = "keep",
    name = clip.name,
    rig,
  } = checked<ToAnimationOptions>("toAnimationClip", schema, options);
  const skeleton = new Skeleton(target);
  const { fps, frames, turns, places } = await tracksOf(clip, skeleton.character(), rootMotion, rig);
  const times = Float32Array.from({ length: frames }, (_, frame) => frame / fps);
  const address = addresses(target);
  const keys = (values: Float32Array, home: readonly number[]): [times: number[], values: number[]] | undefined => {
    const is = (mean: ArrayLike<number>): boolean =>
      values.every((value, i) => Math.abs(value - (mean[i % home.length] as number)) < SAME);
    if (!is(values)) return [times, values] as never;
    // Of a model that is posed nobody knows what it goes back to.
    if (skeleton.isAtRest && is(home)) return undefined;
    return [times.subarray(0, 1), values.subarray(0, home.length)] as never;
  };
  const tracks = skeleton.nodes.flatMap((node, bone) => {
    const turn = keys(turns[bone] as Float32Array, near(node.quaternion.toArray(), turns[bone] as Float32Array));
    const values = places[bone];
    const place = values && keys(values, node.position.toArray());
    return [
      ...(turn ? [new QuaternionKeyframeTrack(`${address(node)}.quaternion`, ...turn)] : []),
      ...(place ? [new VectorKeyframeTrack(`${address(node)}.position`, ...place)] : []),
    ];
  });
  return new AnimationClip(name, (frames - 1) / fps, tracks);
}

/** A turn with the sign of the first of some others. */
function near(turn: number[], others: Float32Array): number[] {
  const dot = turn.reduce((sum, part, i) => sum + part * (others[i] as number), 0);
  return dot < 0 ? turn.map((part) => -part) : turn;
}

/** A model at rest, standing on the ground, as a motion of one frame: `load` it to see how its bones are mapped. */
export function restOfObject(target: Object3D): MotionData {
  const { rest, lowest } = new Skeleton(target).character();
  return { ...standing(rest, lowest), name: target.name || "character" };
}

/**
 * What poses a model, frame by frame, without an animation: give it local rotations and world positions of a controller whose `target` is
 * the model at rest, `load(restOfObject(model))`. `hips` is the bone that plays the hips, as that clip's `info().rig.Hips` names it.
 */
export function poseObject(target: Object3D, hips: string): (rotations: Float32Array, positions: Float32Array) => void {
  const skeleton = new Skeleton(target);
  const { nodes } = skeleton;
  const index = skeleton.rest.bones.findIndex(({ name }) => name === hips);
  if (index < 0)
    throw new KinestitchError("option", `"${hips}" is no bone of "${target.name || target.type}"`, { option: "hips" });
  const pose = poser(skeleton.character(), index);
  return (rotations, positions) => {
    for (const [values, width] of [
      [rotations, 4],
      [positions, 3],
    ] as const) {
      if (values.length === nodes.length * width) continue;
      throw new KinestitchError(
        "option",
        `${values.length} numbers where the ${nodes.length} bones of "${target.name || target.type}" need ${nodes.length * width}`,
      );
    }
    pose(rotations, positions, (bone, turn, place) => {
      const node = nodes[bone] as Object3D;
      node.quaternion.fromArray(turn);
      if (place) node.position.fromArray(place);
    });
  };
}

/** How a track names a node: by its name, where no other one has it and it holds none of the letters of paths. */
function addresses(target: Object3D): (node: Object3D) => string {
  const times = new Map<string, number>();
  target.traverse(({ name }) => times.set(name, (times.get(name) ?? 0) + 1));
  return ({ name, uuid }) =>
    name && times.get(name) === 1 && PropertyBinding.sanitizeNodeName(name) === name ? name : uuid;
}

/** The bones of a model. Places are as seen from the ground that it stands on: where it was put and turned to does not count, its size does. */
class Skeleton {
  readonly nodes: readonly Object3D[];
  readonly rest: Rest;
  /** It stands as its skin was bound, as far as anyone knows. */
  readonly isAtRest: boolean;
  readonly #ground = new Matrix4();
  readonly #meshes: SkinnedMesh[] = [];
  readonly #root: Object3D;

  constructor(root: Object3D, animated: ReadonlySet<Object3D> = new Set(), animation?: AnimationClip) {
    this.#root = root;
    const skins: Object3D[][] = [];
    const bare: Object3D[] = [];
    const binds = new Map<Object3D, Matrix4>();
    root.traverse((node) => {
      if ((node as { isBone?: boolean }).isBone) bare.push(node);
      const mesh = node as SkinnedMesh;
      if (!mesh.isSkinnedMesh) return;
      this.#meshes.push(mesh);
      skins.push(mesh.skeleton.bones);
      mesh.skeleton.bones.forEach((bone, i) => {
        const inverse = mesh.skeleton.boneInverses[i];
        if (inverse && !binds.has(bone)) binds.set(bone, inverse.clone().invert());
      });
    });
    const found = skins.length > 0 ? skins : [bare.length > 0 ? bare : [...animated]];
    const nodes = {
      parent: (node: Object3D) => (node === root ? null : node.parent),
      children: (node: Object3D) => node.children,
    };
    this.nodes = treesOf(nodes, found, animated).joints;
    if (this.nodes.length === 0)
      throw new KinestitchError(
        "option",
        `"${root.name || root.type}" holds no bones: neither a SkinnedMesh nor a Bone`,
        { option: "target" },
      );
    this.#setGround();
    const names = uniqueNames(this.nodes.map(({ name }, i) => name || `bone ${i + 1}`));
    const now = this.#worlds();
    this.rest = restOf(
      this.nodes.map((node, i): Bone => {
        const bind = binds.get(node);
        return {
          name: names[i] as string,
          parent: this.nodes.indexOf(node.parent as Object3D),
          now: now[i] as Placed,
          moves: leaves(node, root, animation),
          ...(bind && { bind: placed(bind) }),
        };
      }),
    );
    this.isAtRest = this.rest.bones.every(({ turn }, i) => alike(turn, (now[i] as Placed).turn) > 1 - 1e-7);
  }

  /** What the root stands on: its parent, moved and turned to where the root is, upright. */
  #setGround(): void {
    const { parent, position, quaternion } = this.#root;
    this.#root.updateWorldMatrix(true, true);
    const heading = new Quaternion(0, quaternion.y, 0, quaternion.w);
    if (heading.lengthSq() < 1e-12) heading.identity();
    this.#ground.compose(position, heading.normalize(), new Vector3(1, 1, 1));
    if (parent) this.#ground.premultiply(parent.matrixWorld);
    this.#ground.invert();
  }

  #worlds(): Local[] {
    return this.nodes.map((node) => placed(this.#ground.clone().multiply(node.matrixWorld)));
  }

  /** Where the bones are now. */
  placed(): Placed[] {
    this.#root.updateMatrixWorld(true);
    return this.#worlds();
  }

  character(): Character {
    const { rest } = this;
    const held = this.nodes.map((node, i) => {
      if ((rest.bones[i]?.parent ?? -1) >= 0) return undefined;
      // The root itself stands on the ground that its own place and turn make.
      const holder = node === this.#root ? null : node.parent;
      return placed(holder ? this.#ground.clone().multiply(holder.matrixWorld) : new Matrix4());
    });
    return { rest, held, scales: this.#worlds().map(({ scale }) => scale), lowest: this.#lowest() };
  }

  /** The lowest point of what is skinned as it stands; of bones alone, the lowest one. */
  #lowest(): number {
    const heights = this.rest.bones.map(({ place }) => place[1]);
    const box = new Box3();
    for (const mesh of this.#meshes) {
      mesh.computeBoundingBox();
      if (mesh.boundingBox)
        box.union(mesh.boundingBox.clone().applyMatrix4(this.#ground.clone().multiply(mesh.matrixWorld)));
    }
    return box.isEmpty() ? Math.min(...heights) : box.min.y;
  }
}

/** Whether an animation takes a node away from its place by more than 5 mm, or a hundredth of what it is away from its parent. */
function leaves(node: Object3D, root: Object3D, animation: AnimationClip | undefined): boolean {
  const { x, y, z } = node.position;
  const far = Math.max(0.005, 0.01 * Math.hypot(x, y, z));
  return (animation?.tracks ?? []).some(({ name, values }) => {
    if (
      !name.endsWith(".position") ||
      PropertyBinding.findNode(root, PropertyBinding.parseTrackName(name).nodeName) !== node
    )
      return false;
    for (let i = 0; i + 2 < values.length; i += 3) {
      if (Math.hypot((values[i] as number) - x, (values[i + 1] as number) - y, (values[i + 2] as number) - z) > far)
        return true;
    }
    return false;
  });
}

function placed(matrix: Matrix4): Local {
  const [place, turn, scale] = [new Vector3(), new Quaternion(), new Vector3()];
  matrix.decompose(place, turn, scale);
  return {
    place: place.toArray() as Vector,
    turn: turn.toArray() as unknown as Turn,
    scale: scale.toArray() as Vector,
  };
}
