/** Reads the animations of a glTF file as motions. Loaded with the first such file. */
import { KinestitchError } from "../core/error.js";
import type { MotionData } from "../core/motion-types.js";
import { Pace } from "../core/pace.js";
import { quote } from "../core/quote.js";
import { describeMoves, measureOffsets } from "../bones/offsets.js";
import { describeGrid, findGrid, type FrameGrid } from "../bones/rate.js";
import { matrixPose, MotionBuilder, OffsetRanges } from "../bones/motion.js";
import { pickMatrices } from "./bones.js";
import { convertErrors } from "./check.js";
import { animationNames } from "./container.js";
import type { Gltf, GltfAnimation } from "./document.js";
import { leftOutOf } from "./left-out.js";
import { formatAnimations, listAnimations } from "./lengths.js";
import { readMorphs } from "./morphs.js";
import { openFile, type OpenedFile, readRig } from "./open.js";
import { BASE_ROTATIONS, limitError, MAX_ROTATIONS } from "./limits.js";
import { sampleAnimations } from "./samples.js";
import { ScenePlayer } from "./scene.js";
import { readTracks, type Track } from "./tracks.js";

// Exported here so that the writer is loaded together with the reader.
export { computeTracks } from "../bones/character.js";
export { readCharacter } from "./character.js";
export { addMorphs } from "./morphs.js";
export { addAnimation } from "./write.js";

/** Maximum number of animations in a message. */
const MAX_NAMES = 20;
const joinNames = (names: readonly string[]): string => {
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return names.slice(0, MAX_NAMES).join(", ") + more;
};

/** Returns the index of an animation by its name; the first one if the name is `undefined`. */
function indexOfAnimation(names: readonly string[], animationName: string | undefined): number {
  const index = animationName === undefined ? 0 : names.indexOf(animationName);
  if (index >= 0) return index;
  const list = names.length > 0 ? `its animations are ${joinNames(names.map(quote))}` : "it has none";
  throw new KinestitchError("option", `the file has no animation ${quote(animationName as string)}; ${list}`, {
    option: "animation",
  });
}

/**
 * Reads the animation `animationName`, or the first animation if the name is `undefined`. If the file has no animation,
 * returns the skeleton without frames.
 *
 * @throws {KinestitchError} `glb`, `limit`, `option` if there is no animation of this name, `aborted`.
 */
export function readGltf(file: Gltf, animationName: string | undefined, signal?: AbortSignal): Promise<MotionData> {
  return convertErrors(async () => {
    const names = animationNames(file);
    const index = indexOfAnimation(names, animationName);
    const opened = openFile(file);
    const { bones } = opened;
    const rig = readRig(file, bones);
    const animation = file.json.animations?.[index];
    if (!animation) {
      const empty = new MotionBuilder(bones.rest, 0).finish(
        30,
        bones.rest.bones.map(({ moves }) => moves),
      );
      return { ...empty, warnings: [...bones.warnings, "the file has no animation"], ...(rig && { rig }) };
    }
    const pace = new Pace(signal);
    const data = await sampleAnimation(opened, { animation, name: names[index] as string, pace });
    if (animationName === undefined && names.length > 1) {
      const [first, ...others] = formatAnimations(listAnimations(file), quote);
      data.warnings.unshift(
        `the file has ${names.length} animations; this is the first, ${first}; ` +
          `select another with the option animation: ${joinNames(others)}`,
      );
    }
    data.warnings.unshift(...bones.warnings);
    return { ...data, ...(rig && { rig }) };
  });
}

/**
 * Reads all animations of a file, as motions on the same skeleton. Animations that move no node are left out.
 *
 * @throws {KinestitchError} `glb`, `limit` also if all motions together are too large, `aborted`.
 */
export function readAllGltf(file: Gltf, signal?: AbortSignal): Promise<(MotionData & { name: string })[]> {
  return convertErrors(async () => {
    const names = animationNames(file);
    const opened = openFile(file);
    const { bones } = opened;
    const rig = readRig(file, bones);
    const [ranges, pace] = [new OffsetRanges(bones.slots.length), new Pace(signal)];
    const sampled: { name: string; motion: SampledMotion }[] = [];
    let rotations = 0;
    for (const [i, animation] of (file.json.animations ?? []).entries()) {
      const name = names[i] as string;
      const motion = await sampleMotion(opened, animation, { name, ranges, pace });
      if (!motion) continue;
      rotations += motion.grid.frames * bones.slots.length;
      if (rotations > MAX_ROTATIONS / 2)
        throw limitError("animations that are too large together; read them one by one", MAX_ROTATIONS / 2);
      sampled.push({ name, motion });
    }
    return sampled.map(({ name, motion }) => {
      const data = finishMotion(opened, motion, ranges);
      return { ...data, name, warnings: [...bones.warnings, ...data.warnings], ...(rig && { rig }) };
    });
  });
}

/** An animation in frames, before it is known which bones move. */
interface SampledMotion {
  animation: GltfAnimation;
  tracks: readonly Track[];
  /** Time of the first frame, seconds. */
  from: number;
  grid: FrameGrid;
  builder: MotionBuilder;
}

/** Samples an animation at the frames of its grid. */
async function sampleAnimation(
  opened: OpenedFile,
  { animation, name, pace }: { animation: GltfAnimation; name: string; pace: Pace },
): Promise<MotionData & { warnings: string[] }> {
  const ranges = new OffsetRanges(opened.bones.slots.length);
  const motion = await sampleMotion(opened, animation, { name, ranges, pace });
  if (!motion) throw new KinestitchError("glb", `the animation ${quote(name)} has no keys`);
  await sampleAnimations(opened, animation, ranges, pace);
  return finishMotion(opened, motion, ranges);
}

/** Samples an animation; `undefined` if it has no keys that move nodes. `ranges` gets the offsets of the bones. */
async function sampleMotion(
  { file, accessors, bones: { rest, scene, slots } }: OpenedFile,
  animation: GltfAnimation,
  { name, ranges, pace }: { name: string; ranges: OffsetRanges; pace: Pace },
): Promise<SampledMotion | undefined> {
  const tracks = readTracks(animation, accessors, file.json.nodes?.length ?? 0);
  const found = gridOf(tracks, { name, bones: slots.length, bytes: file.binary.length });
  if (!found) return undefined;
  const { from, grid } = found;
  const builder = new MotionBuilder(rest, grid.frames);
  const player = new ScenePlayer(scene, tracks);
  const worlds = new Float64Array(slots.length * 16);
  const pose = matrixPose(worlds);
  for (let frame = 0; frame < grid.frames; frame++) {
    player.seek(from + frame / grid.fps);
    pickMatrices(player.worlds, slots, worlds);
    builder.put(frame, pose, ranges);
    if (pace.due) await pace.pause();
  }
  return { animation, tracks, from, grid, builder };
}

/** Returns a sampled animation as a motion. `ranges`: offsets of the bones in all animations of the file. */
function finishMotion(
  { file, accessors, bones }: OpenedFile,
  { animation, tracks, from, grid, builder }: SampledMotion,
  ranges: OffsetRanges,
): MotionData & { warnings: string[] } {
  const { rest } = bones;
  const { moves, offsets } = measureOffsets(rest, ranges);
  const warnings = [
    ...describeGrid(grid),
    ...describeMoves(rest, ranges, moves, tracks.filter(({ path }) => path === "scale").length > 0),
  ];
  const morphs = readMorphs(file, animation, accessors, from);
  const leftOut = leftOutOf(file, animation, bones);
  return { ...builder.finish(grid.fps, moves, offsets), warnings, leftOut, ...(morphs.length > 0 && { morphs }) };
}

/**
 * Returns the time of the first key, seconds, and the grid of frames; `undefined` if there are no keys. The number of frames is limited by the size of
 * the file, so that a small file cannot become an arbitrarily large motion.
 */
function gridOf(
  tracks: readonly Track[],
  { name, bones, bytes }: { name: string; bones: number; bytes: number },
): { from: number; grid: FrameGrid } | undefined {
  const inputs = new Set(tracks.map(({ times }) => times));
  const times = new Set<number>();
  for (const input of inputs) for (const time of input) times.add(time);
  let [from, to] = [Infinity, -Infinity];
  for (const time of times) [from, to] = [Math.min(from, time), Math.max(to, time)];
  if (!Number.isFinite(to - from)) return undefined;
  const maxFrames = Math.floor(Math.min(MAX_ROTATIONS, BASE_ROTATIONS + 4 * bytes) / bones);
  const grid = findGrid(times, maxFrames);
  if (grid.frames <= maxFrames) return { from, grid };
  const size = `${grid.frames.toLocaleString("en")} frames of ${bones} bones at ${grid.fps} fps`;
  throw new KinestitchError(
    "limit",
    `the animation ${quote(name)} has ${size}; a file of this size may have ${maxFrames.toLocaleString("en")} frames`,
  );
}
