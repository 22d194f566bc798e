/** Reads the animations of a glTF file as motions. Loaded with the first such file. */
import { KinestitchError } from "../core/error.js";
import type { MotionData } from "../core/motion-types.js";
import { Pace } from "../core/pace.js";
import { quote } from "../core/quote.js";
import { describeMoves, measureOffsets } from "../bones/offsets.js";
import { findGrid, type FrameGrid } from "../bones/rate.js";
import { matrixPose, MotionBuilder, OffsetRanges } from "../bones/motion.js";
import { pickMatrices } from "./bones.js";
import { convertErrors } from "./check.js";
import { animationNames } from "./container.js";
import type { Gltf, GltfAnimation } from "./document.js";
import { leftOutOf } from "./left-out.js";
import { formatAnimations, listAnimations } from "./lengths.js";
import { openFile, type OpenedFile, readRig } from "./open.js";
import { BASE_ROTATIONS, MAX_ROTATIONS } from "./limits.js";
import { sampleAnimations } from "./samples.js";
import { ScenePlayer } from "./scene.js";
import { readTracks, type Track } from "./tracks.js";

// Exported here so that the writer is loaded together with the reader.
export { computeTracks } from "../bones/character.js";
export { readCharacter } from "./character.js";
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

/** Samples an animation at the frames of its grid. */
async function sampleAnimation(
  opened: OpenedFile,
  { animation, name, pace }: { animation: GltfAnimation; name: string; pace: Pace },
): Promise<MotionData & { warnings: string[] }> {
  const { file, accessors, bones } = opened;
  const { rest, scene, slots } = bones;
  const tracks = readTracks(animation, accessors, file.json.nodes?.length ?? 0);
  const { from, grid } = gridOf(tracks, { name, bones: slots.length, bytes: file.binary.length });
  const ranges = new OffsetRanges(slots.length);
  await sampleAnimations(opened, animation, ranges, pace);
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
  const { moves, offsets } = measureOffsets(rest, ranges);
  const warnings = [
    ...describeGrid(grid),
    ...describeMoves(rest, ranges, moves, tracks.filter(({ path }) => path === "scale").length > 0),
    ...leftOutOf(file, animation, bones),
  ];
  return { ...builder.finish(grid.fps, moves, offsets), warnings };
}

/**
 * Returns the time of the first key, seconds, and the grid of frames. The number of frames is limited by the size of
 * the file, so that a small file cannot become an arbitrarily large motion.
 */
function gridOf(
  tracks: readonly Track[],
  { name, bones, bytes }: { name: string; bones: number; bytes: number },
): { from: number; grid: FrameGrid } {
  const inputs = new Set(tracks.map(({ times }) => times));
  const times = new Set<number>();
  for (const input of inputs) for (const time of input) times.add(time);
  let [from, to] = [Infinity, -Infinity];
  for (const time of times) [from, to] = [Math.min(from, time), Math.max(to, time)];
  if (!Number.isFinite(to - from)) throw new KinestitchError("glb", `the animation ${quote(name)} has no keys`);
  const maxFrames = Math.floor(Math.min(MAX_ROTATIONS, BASE_ROTATIONS + 4 * bytes) / bones);
  const grid = findGrid(times, maxFrames);
  if (grid.frames <= maxFrames) return { from, grid };
  const size = `${grid.frames.toLocaleString("en")} frames of ${bones} bones at ${grid.fps} fps`;
  throw new KinestitchError(
    "limit",
    `the animation ${quote(name)} has ${size}; a file of this size may have ${maxFrames.toLocaleString("en")} frames`,
  );
}

/** Describes a grid whose frames are not the keys of the file. */
function describeGrid({ fps, isResampled, error }: FrameGrid): string[] {
  const rate = `${Math.round(fps * 1000) / 1000} frames per second`;
  const distance = `${Math.round(error * 1e4) / 10} ms`;
  if (isResampled)
    return [`its keys are sparse or uneven, and are sampled at ${rate}; every key is within ${distance} of a frame`];
  return error > 1e-3 ? [`its keys are at ${rate}, but some are up to ${distance} from a frame`] : [];
}
