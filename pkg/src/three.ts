/**
 * Entry point `kinestitch/three`: converts between animations of three.js and clips. The app provides `three`.
 *
 * Supports models of GLTFLoader, FBXLoader, ColladaLoader and @pixiv/three-vrm, with any rest rotations of bones.
 * @module kinestitch/three
 */
import {
  AnimationClip,
  AnimationMixer,
  NumberKeyframeTrack,
  type Object3D,
  PropertyBinding,
  QuaternionKeyframeTrack,
  VectorKeyframeTrack,
} from "three";
import { createPoser, computeTracks } from "./bones/character.js";
import { createRestMotion, matrixPose, MotionBuilder, OffsetRanges } from "./bones/motion.js";
import { describeMoves, measureOffsets } from "./bones/offsets.js";
import { type RootMotion, rootMotions } from "./bones/root-motion.js";
import { describeGrid, findGrid, type FrameGrid, frameTimes, MAX_FRAMES } from "./bones/rate.js";
import { KinestitchError } from "./core/error.js";
import { files } from "./core/files.js";
import { PACKED, type PackedMotion } from "./core/packed.js";
import { anything, checkOptions, names, oneOf, positive, text } from "./core/options.js";
import type { Clip, MotionData, RigEdits } from "./core/types.js";
import { Skeleton } from "./three/skeleton.js";

export type { RootMotion } from "./bones/root-motion.js";
export { heightFieldOf, type HeightFieldOptions } from "./three/height-field.js";
export type { BlendSample, BlendSpace, BlendSpaceOptions } from "./three/blend-space.js";
export { createTransitions } from "./three/create-transitions.js";
export type { Heading } from "./three/gait.js";
export { rootMotionFromFeet, type RootMotionFromFeetOptions } from "./three/in-place.js";
export type { Layer, LayerOptions, Mask } from "./three/layers.js";
export type { Foot } from "./three/steps.js";
export type * from "./three/transition.js";
export type { Target, Transitions } from "./three/transitions.js";

/** Difference below which two components of rotations or positions count as equal. */
const EQUAL_COMPONENTS = 1e-5;

/** Options of `fromAnimationClip`. */
export interface FromAnimationOptions<Made = Clip> {
  /** `load` of the entry that the clips belong to; default: `load` of the entry that was imported first. */
  load?: (data: MotionData) => Promise<Made>;
  /**
   * Frame rate, frames per second; default: the rate of the keys, or for sparse or uneven keys the lowest common rate
   * with a frame at every key.
   */
  fps?: number;
  /** Name of the clip; default: the name of the animation. */
  name?: string;
  /** Corrections to the automatic bone mapping. */
  rig?: RigEdits;
}

/** Options of `toAnimationClip`. */
export interface ToAnimationOptions {
  /** "inPlace" removes the movement over the ground; default "keep". */
  rootMotion?: RootMotion;
  /** Name of the animation; default: the name of the clip. */
  name?: string;
  /** Corrections to the bone mapping of the target. */
  rig?: RigEdits;
}

/**
 * Converts an animation of a model to a clip. `root`: the object that an `AnimationMixer` would get, in its loaded
 * pose; it is not changed.
 *
 * @example
 * ```js
 * const { scene, animations } = await new GLTFLoader().loadAsync("hero.glb");
 * const clip = await fromAnimationClip(animations[0], scene);
 * ```
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
    throw new KinestitchError("option", "fromAnimationClip takes an AnimationClip, and the Object3D to animate");
  }
  const schema = { load: anything as never, fps: positive, name: text, rig: names<RigEdits>() };
  const {
    load,
    fps,
    name = animation.name,
    rig,
  } = checkOptions<FromAnimationOptions<Made>>("fromAnimationClip", schema, options);
  const nodeNames = new Set(
    animation.tracks
      .filter((track) => /\.(position|quaternion|scale)$/.test(track.name))
      .map(({ name }) => PropertyBinding.parseTrackName(name).nodeName),
  );
  const animated = new Set<Object3D>();
  for (const name of nodeNames) {
    const node = PropertyBinding.findNode(root, name) as Object3D | null;
    if (node) animated.add(node);
  }
  const skeleton = new Skeleton(root, animated);
  const times = [...new Set(animation.tracks.flatMap(({ times: keys }) => [...keys]))];
  const [from, to] = times.reduce(
    ([low, high], time) => [Math.min(low, time), Math.max(high, time)],
    [Infinity, -Infinity],
  );
  if (!Number.isFinite(to - from)) throw new KinestitchError("option", `the animation "${animation.name}" has no keys`);
  const grid = fps === undefined ? findGrid(times) : undefined;
  const rate = fps ?? (grid as FrameGrid).fps;
  const frames = frameTimes(from, to, rate);
  if (frames.length > MAX_FRAMES)
    throw new KinestitchError(
      "limit",
      `the animation "${animation.name}" has over ${MAX_FRAMES} frames at ${rate} fps`,
    );
  const motion = sampleMotion(root, animation, skeleton, frames, rate);
  const data = {
    ...motion,
    name: name || "animation",
    warnings: [...(grid ? describeGrid(grid) : []), ...motion.warnings],
    ...(rig && { rig }),
  };
  return (await (load ?? (files().load as never as (data: MotionData) => Promise<Made>))(data)) as Made;
}

/**
 * Samples an animation at times, seconds. This is synchronous and restores the model's pose, because the page may use the
 * model while the motion is loaded.
 */
function sampleMotion(
  root: Object3D,
  animation: AnimationClip,
  skeleton: Skeleton,
  times: readonly number[],
  fps: number,
): MotionData & { warnings: string[] } {
  const { rest, nodes } = skeleton;
  const [builder, ranges] = [new MotionBuilder(rest, times.length), new OffsetRanges(nodes.length)];
  const mixer = new AnimationMixer(root);
  mixer.clipAction(animation).play();
  try {
    times.forEach((time, frame) => {
      // The last time is slightly before the end, because at the end a mixer starts again at 0.
      mixer.setTime(Math.min(time, animation.duration * (1 - 1e-7)));
      builder.put(frame, matrixPose(skeleton.worlds()), ranges);
    });
  } finally {
    mixer.stopAllAction();
    mixer.uncacheRoot(root);
    root.updateMatrixWorld(true);
  }
  const { moves, offsets } = measureOffsets(rest, ranges);
  const hasScale = animation.tracks.some(({ name }) => name.endsWith(".scale"));
  return { ...builder.finish(fps, moves, offsets), warnings: describeMoves(rest, ranges, moves, hasScale) };
}

/**
 * Converts a clip's motion to an animation of a model: any `Object3D` with bones, with any names and rest rotations.
 * Play it with an `AnimationMixer` of `target`. Motions of another skeleton are supported for bipeds only; motions of
 * the model itself are reproduced exactly for any body. Tracks that equal the model's rest pose are left out; other
 * constant tracks have one key.
 *
 * @example
 * ```js
 * const { scene } = await new GLTFLoader().loadAsync("hero.glb");
 * const mixer = new AnimationMixer(scene);
 * mixer.clipAction(await toAnimationClip(motion, scene)).play();
 * ```
 */
export async function toAnimationClip(
  clip: Clip,
  target: Object3D,
  options?: ToAnimationOptions,
): Promise<AnimationClip> {
  const schema = { rootMotion: oneOf(rootMotions), name: text, rig: names<RigEdits>() };
  const {
    rootMotion = "keep",
    name = clip.name,
    rig,
  } = checkOptions<ToAnimationOptions>("toAnimationClip", schema, options);
  const skeleton = new Skeleton(target);
  const { fps, frames, rotations, positions } = await computeTracks(clip, skeleton.character(), rootMotion, rig);
  const times = Float32Array.from({ length: frames }, (_, frame) => frame / fps);
  const trackNode = createNodeNaming(target);
  // Returns the keys of a track: all frames, one key for a constant, or none for the rest value.
  const keys = (values: Float32Array, rest: readonly number[]): [times: number[], values: number[]] | undefined => {
    const equalsConstant = (constant: ArrayLike<number>): boolean =>
      values.every((value, i) => Math.abs(value - (constant[i % rest.length] as number)) < EQUAL_COMPONENTS);
    if (!equalsConstant(values)) return [times, values] as never;
    // If the model was already posed, its rest pose is unknown, and all tracks are kept.
    if (skeleton.isAtRest && equalsConstant(rest)) return undefined;
    return [times.subarray(0, 1), values.subarray(0, rest.length)] as never;
  };
  const tracks = skeleton.nodes.flatMap((node, bone) => {
    const rotationKeys = keys(
      rotations[bone] as Float32Array,
      matchSign(node.quaternion.toArray(), rotations[bone] as Float32Array),
    );
    const values = positions[bone];
    const positionKeys = values && keys(values, node.position.toArray());
    return [
      ...(rotationKeys ? [new QuaternionKeyframeTrack(`${trackNode(node)}.quaternion`, ...rotationKeys)] : []),
      ...(positionKeys ? [new VectorKeyframeTrack(`${trackNode(node)}.position`, ...positionKeys)] : []),
    ];
  });
  return new AnimationClip(name, (frames - 1) / fps, [...tracks, ...morphTracks(clip, target, trackNode)]);
}

/** Returns tracks of the morph targets that a clip carries, for meshes of the same names and numbers of targets. */
function morphTracks(clip: Clip, target: Object3D, trackNode: (node: Object3D) => string): NumberKeyframeTrack[] {
  const { morphs = [] } = (clip as { [PACKED]?: PackedMotion })[PACKED] ?? {};
  return morphs.flatMap(({ node: name, targets, times, weights }) => {
    const node = PropertyBinding.findNode(target, PropertyBinding.sanitizeNodeName(name)) as
      | Object3D
      | undefined
      | null;
    const meshes: Object3D[] = [];
    // A mesh of several parts is a group of meshes.
    for (const mesh of node ? [node, ...node.children] : [])
      if ((mesh as { morphTargetInfluences?: number[] }).morphTargetInfluences?.length === targets) meshes.push(mesh);
    return meshes.map((mesh) => {
      const track = `${trackNode(mesh)}.morphTargetInfluences`;
      return new NumberKeyframeTrack(track, times as unknown as number[], weights as unknown as number[]);
    });
  });
}

/** Returns the quaternion with the sign that is nearer to the first quaternion of `track`. */
function matchSign(rotation: number[], track: Float32Array): number[] {
  const dot = rotation.reduce((sum, component, i) => sum + component * (track[i] as number), 0);
  return dot < 0 ? rotation.map((component) => -component) : rotation;
}

/**
 * Returns a motion of one frame with the model at rest on the ground; `load` it to get the model's bone mapping.
 *
 * @example
 * ```js
 * const rest = await load(restOfObject(scene));
 * console.log(rest.info().rig); // the bone of each role
 * ```
 */
export function restOfObject(target: Object3D): MotionData {
  const { rest, lowest } = new Skeleton(target).character();
  return { ...createRestMotion(rest, lowest), name: target.name || "character" };
}

/**
 * Creates a function that poses a model frame by frame, without an animation. Its arguments are the local rotations and
 * world positions of a controller whose `target` is the clip `load(restOfObject(model))`. `hips`: name of the hips
 * bone, `info().rig.Hips` of this clip.
 *
 * @example
 * ```js
 * const target = await load(restOfObject(scene));
 * const pose = poseObject(scene, target.info().rig.Hips);
 * pose(person.rotations, person.positions); // of a controller made for this target
 * ```
 */
export function poseObject(target: Object3D, hips: string): (rotations: Float32Array, positions: Float32Array) => void {
  const skeleton = new Skeleton(target);
  const { nodes } = skeleton;
  const index = skeleton.rest.bones.findIndex(({ name }) => name === hips);
  if (index < 0)
    throw new KinestitchError("option", `"${hips}" is not a bone of "${target.name || target.type}"`, {
      option: "hips",
    });
  const pose = createPoser(skeleton.character(), index);
  return (rotations, positions) => {
    for (const [values, width] of [
      [rotations, 4],
      [positions, 3],
    ] as const) {
      if (values.length === nodes.length * width) continue;
      throw new KinestitchError(
        "option",
        `${values.length} numbers, but the ${nodes.length} bones of "${target.name || target.type}" need ` +
          `${nodes.length * width}`,
      );
    }
    pose(rotations, positions, (bone, rotation, position) => {
      const node = nodes[bone] as Object3D;
      node.quaternion.fromArray(rotation);
      if (position) node.position.fromArray(position);
    });
  };
}

/** Creates a function that names nodes in tracks: by name if it is unique and valid in paths, otherwise by uuid. */
function createNodeNaming(target: Object3D): (node: Object3D) => string {
  const nameCounts = new Map<string, number>();
  target.traverse(({ name }) => nameCounts.set(name, (nameCounts.get(name) ?? 0) + 1));
  return ({ name, uuid }) =>
    name && nameCounts.get(name) === 1 && PropertyBinding.sanitizeNodeName(name) === name ? name : uuid;
}
