/** Samples all animations of a file, to find the bones that move in their parents. */
import { matrixPose, type OffsetRanges, relativePose } from "../bones/motion.js";
import type { Pace } from "../core/pace.js";
import { pickMatrices } from "./bones.js";
import type { GltfAnimation } from "./document.js";
import type { OpenedFile } from "./open.js";
import { ScenePlayer } from "./scene.js";
import { readTracks, type Track } from "./tracks.js";

/** Poses of each animation that are sampled, and the limit for all animations of a file, as a number of bones. */
const [POSES, MAX_SAMPLES] = [16, 2_000_000];
/**
 * Adds the offsets of the bones in poses of all animations of the file except `read`, so that all clips of the file have
 * the same skeleton.
 */
export async function sampleAnimations(
  { file, accessors, bones: { rest, scene, slots } }: OpenedFile,
  read: GltfAnimation | undefined,
  ranges: OffsetRanges,
  pace: Pace,
): Promise<void> {
  const others = (file.json.animations ?? []).filter((animation) => animation !== read);
  const poses = Math.min(POSES, Math.floor(MAX_SAMPLES / Math.max(1, others.length * scene.nodes.length)));
  if (poses < 2) return;
  const worlds = new Float64Array(slots.length * 16);
  const pose = matrixPose(worlds);
  for (const animation of others) {
    const tracks = tracksIfValid(() => readTracks(animation, accessors, file.json.nodes?.length ?? 0));
    const span = spanOf(tracks);
    if (!span) continue;
    const player = new ScenePlayer(scene, tracks);
    for (let i = 0; i < poses; i++) {
      player.seek(span[0] + ((span[1] - span[0]) * i) / (poses - 1));
      pickMatrices(player.worlds, slots, worlds);
      relativePose(rest, pose, (bone, _, offset) => ranges.add(bone, offset));
    }
    if (pace.due) await pace.pause();
  }
}

/** Returns no tracks if they are damaged: the animation is not the one to be read. */
function tracksIfValid(read: () => Track[]): Track[] {
  try {
    return read();
  } catch {
    return [];
  }
}

/** Returns the times of the first and the last key; `undefined` if there is none. */
function spanOf(tracks: readonly Track[]): [number, number] | undefined {
  let [from, to] = [Infinity, -Infinity];
  for (const { times } of tracks) {
    from = Math.min(from, times[0] as number);
    to = Math.max(to, times.at(-1) as number);
  }
  return Number.isFinite(to - from) ? [from, to] : undefined;
}
