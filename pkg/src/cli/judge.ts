import { printableJson } from "../core/quote.js";
import { init } from "../node.js";
import type { JudgeCommand } from "./commands.js";
import { loadFile } from "./files.js";
import { round } from "./info.js";
import { print } from "./output.js";

/** Frames from `from` to `to` (exclusive) with a score above 1. */
interface Flagged {
  from: number;
  to: number;
  worst: number;
}

/** Prints the naturalness of a motion. */
export async function judge({ file, networks, json }: JudgeCommand): Promise<void> {
  const { set, ...place } = networks;
  await init({ networks: place });
  const clip = await loadFile(file);
  const scores = await clip.naturalness(set === undefined ? {} : { set });
  const parts = flagged(scores);
  if (json) {
    const short = Array.from(scores, (score) => Number(score.toPrecision(4)));
    await print(printableJson({ name: clip.name, frames: clip.frames, fps: clip.fps, flagged: parts, scores: short }));
    return;
  }
  const over = scores.filter((score) => score > 1).length;
  const percent = round((100 * over) / Math.max(scores.length, 1));
  const lines = parts.map(
    ({ from, to, worst }) => `  frames ${from} to ${to - 1} (${round(from / clip.fps)} s): up to ${round(worst)}`,
  );
  await print(
    [`${clip.name}: ${over} of ${scores.length} frames (${percent} %) are unlike recorded motion`, ...lines].join("\n"),
  );
}

function flagged(scores: Float32Array): Flagged[] {
  const parts: Flagged[] = [];
  scores.forEach((score, frame) => {
    if (score <= 1) return;
    const last = parts.at(-1);
    const worst = Number(score.toPrecision(4));
    if (last?.to === frame) Object.assign(last, { to: frame + 1, worst: Math.max(last.worst, worst) });
    else parts.push({ from: frame, to: frame + 1, worst });
  });
  return parts;
}
