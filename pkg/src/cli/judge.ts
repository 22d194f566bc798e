/** `kinestitch judge`: prints the naturalness scores of a motion. */
import { seamFaults } from "../../wasm/kinestitch.js";
import { KinestitchClip } from "../core/clip.js";
import { callWasm } from "../core/error.js";
import { printableJson } from "../core/quote.js";
import type { Clip, FoundSeam } from "../core/types.js";
import type { JudgeCommand } from "./commands.js";
import { loadFile } from "./files.js";
import { round } from "./info.js";
import { setNetworkOptions } from "./networks.js";
import { print } from "./output.js";
import { faultText } from "./stitch.js";

/** Consecutive frames, `to` excluded, with a score above {@link RARE_SCORE}. */
interface FlaggedRange {
  from: number;
  to: number;
  /** Highest score in the range. */
  worst: number;
}

/** A seam, with the files of its clips. */
interface JudgedSeam extends FoundSeam {
  clips: string[];
}

/** At most one frame in fifty of recorded motion has a score above this. */
const RARE_SCORE = 1;

/** Prints the percentage of rare frames and their ranges, or all scores as JSON. */
export async function judge({ file, clips, networks, json, animation }: JudgeCommand): Promise<void> {
  const { set, ...source } = networks;
  await setNetworkOptions(source);
  const clip = await loadFile(file, undefined, animation);
  const scores = await clip.naturalness(set === undefined ? {} : { set });
  const ranges = findFlaggedRanges(scores);
  const seams = clips.length > 0 ? await findSeams(clip, clips) : undefined;
  if (json) {
    const rounded = Array.from(scores, (score) => Number(score.toPrecision(4)));
    await print(
      printableJson({
        name: clip.name,
        frames: clip.frames,
        fps: clip.fps,
        flagged: ranges,
        scores: rounded,
        ...(seams && { seams }),
      }),
    );
    return;
  }
  const rareCount = scores.filter((score) => score > RARE_SCORE).length;
  const percent = round((100 * rareCount) / Math.max(scores.length, 1));
  const lines = ranges.map(
    ({ from, to, worst }) => `  frames ${from} to ${to - 1} (${round(from / clip.fps)} s): up to ${round(worst)}`,
  );
  const seamLines = (seams ?? []).map(
    ({ clips, from, to, faults }) =>
      `seam of ${clips.join(" and ")}, frames ${from} to ${to - 1}: ` +
      (faults.length === 0 ? "no visible fault" : `${faults.length} visible faults${faults.map(faultText).join("")}`),
  );
  await print(
    [
      `${clip.name}: ${rareCount} of ${scores.length} frames (${percent} %) are unlike recorded motion`,
      ...lines,
      ...seamLines,
    ].join("\n"),
  );
}

/** Finds the seams between clips in a motion that was joined from them. */
async function findSeams(motion: Clip, files: readonly string[]): Promise<JudgedSeam[]> {
  const clips = await Promise.all(files.map((file) => loadFile(file, file)));
  const bytes = clips.map((clip) => KinestitchClip.packedOf(clip, clip.name).bytes);
  const found = callWasm(() => seamFaults(KinestitchClip.packedOf(motion, "the motion").bytes, bytes)) as FoundSeam[];
  return found.map((seam, index) => ({ clips: files.slice(index, index + 2), ...seam }));
}

function findFlaggedRanges(scores: Float32Array): FlaggedRange[] {
  const ranges: FlaggedRange[] = [];
  scores.forEach((score, frame) => {
    if (score <= RARE_SCORE) return;
    const last = ranges.at(-1);
    const worst = Number(score.toPrecision(4));
    if (last?.to === frame) Object.assign(last, { to: frame + 1, worst: Math.max(last.worst, worst) });
    else ranges.push({ from: frame, to: frame + 1, worst });
  });
  return ranges;
}
