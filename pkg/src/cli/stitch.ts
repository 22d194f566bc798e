import { parse } from "node:path";
import { init, stitch as join } from "../node.js";
import { printableJson } from "../core/quote.js";
import type { NetworkInfo, StitchedClip, Way } from "../core/types.js";
import type { StitchCommand } from "./commands.js";
import { loadFile, save, tell } from "./files.js";
import { round } from "./info.js";
import { nameAll, networksOf, used } from "./networks.js";
import { checkOutputs } from "./output.js";

/** Joins files into one, and prints a report on the seams. */
export async function stitch(command: StitchCommand): Promise<void> {
  const { files, output, networks, json, options } = command;
  checkOutputs([output.path], files);
  await init({ networks });
  const { method = "auto" } = options;
  if (method === "auto") await nameAll(["stitch", "inbetween"]);
  // Clips are named by their paths, so that errors and warnings name the file.
  const clips = await Promise.all(files.map((file) => loadFile(file, file)));
  const result = await join(clips, { ...options, name: files.map((file) => parse(file).name).join(" + ") });
  await save(result, output);
  const { frames, fps, seams, warnings, milliseconds } = result;
  const used = await networksOf(seams.flatMap(({ method, gapMethod }) => [method, gapMethod]));
  const report = { frames, fps, seams, warnings, milliseconds, ...(used.length > 0 && { networks: used }) };
  await tell(json ? printableJson(report, 2) : text(result, output.path, used), output);
}

/** One line about a way: "phase, 15 frames by inertialize". */
function wayText({ method, seam = "keep", gap, gapMethod }: Way): string {
  return `${seam}, ${gap === undefined ? method : `${gap} frames by ${gapMethod}`}`;
}

function text(
  { frames, fps, seams, warnings, milliseconds }: StitchedClip,
  path: string,
  networks: readonly NetworkInfo[],
): string {
  return [
    `${path}: ${frames} frames at ${round(fps)} fps, stitched in ${round(milliseconds)} ms`,
    ...seams.map(
      ({ frame, method, measured, footSkate, peakJerk, cut, driftCm, gap, gapMethod, way, tried }) =>
        `seam at frame ${frame}: ${gap === undefined ? method : `${gap} frames inserted${gapMethod === undefined ? "" : ` by "${gapMethod}"`}`}${cut ? ` from frame ${cut.takeoff} to ${cut.landing}` : ""}, foot skate ${round(footSkate * 100)} cm a frame, peak jerk ${round(peakJerk)} m/s³ (frames ${measured.from} to ${measured.to})${driftCm === undefined ? "" : `, drift undone ${round(driftCm)} cm`}${way && tried ? `; chosen of ${tried.length} ways: ${wayText(way)}` : ""}`,
    ),
    ...networks.map(used),
    ...warnings.map((warning) => `warning: ${warning}`),
  ].join("\n");
}
