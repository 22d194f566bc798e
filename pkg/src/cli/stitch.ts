/** `kinestitch stitch`: joins files into one motion. */
import { parse } from "node:path";
import { stitch as joinClips } from "../node.js";
import { printableJson } from "../core/quote.js";
import type { Fault, NetworkInfo, StitchedClip, JoinOptions } from "../core/types.js";
import type { StitchCommand } from "./commands.js";
import { animationFor, loadFile, save, printReport } from "./files.js";
import { round } from "./info.js";
import { loadAllNetworks, networksOfMethods, networkText, setNetworkOptions } from "./networks.js";
import { checkOutputs } from "./output.js";

/** Joins files into one, and prints a report on the seams. */
export async function stitch(command: StitchCommand): Promise<void> {
  const { files, output, networks, json, options, animation } = command;
  checkOutputs([output.path], files);
  await setNetworkOptions(networks);
  const { method = "auto", gap } = options;
  if (method === "auto" && gap === undefined) await loadAllNetworks(["stitch", "inbetween"]);
  // Each clip is named after its path, so that errors and warnings name the file.
  const clips = await Promise.all(files.map((file) => loadFile(file, file, animationFor(file, files, animation))));
  const result = await joinClips(clips, { ...options, name: files.map((file) => parse(file).name).join(" + ") });
  await save(result, output);
  const { frames, fps, seams, warnings, milliseconds } = result;
  const usedNetworks = await networksOfMethods(seams.flatMap(({ method, gapMethod }) => [method, gapMethod]));
  const report = {
    frames,
    fps,
    seams,
    warnings,
    milliseconds,
    ...(usedNetworks.length > 0 && { networks: usedNetworks }),
  };
  await printReport(json ? printableJson(report, 2) : text(result, output.path, usedNetworks), output);
}

/** Describes a join: `cut "phase", 15 frames by inertialize`. */
function joinText({ method, seam = "keep", gap, gapMethod }: JoinOptions): string {
  return `cut "${seam}", ${gap === undefined ? method : `${gap} frames by ${gapMethod}`}`;
}

/** Returns a line about a visible fault. */
export const faultText = ({ text, remedy }: Fault): string => `\n  ${text}. ${remedy}`;

/** Returns one line about a seam, and one for each visible fault. */
function seamText(seam: StitchedClip["seams"][number]): string {
  const { frame, method, measuredRange, footSkate, peakJerk, faults, cut, driftCm, gap, gapMethod, options, trials } =
    seam;
  const filler = gapMethod === undefined ? "" : ` by "${gapMethod}"`;
  const join = gap === undefined ? method : `${gap} frames inserted${filler}`;
  const cutText = cut ? ` from frame ${cut.takeoff} to ${cut.landing}` : "";
  const quality = `foot skate ${round(footSkate * 100)} cm per frame, peak jerk ${round(peakJerk)} m/s³`;
  const drift = driftCm === undefined ? "" : `, drift undone ${round(driftCm)} cm`;
  const choice = options && trials ? `; most natural of ${trials.length} joins: ${joinText(options)}` : "";
  return `seam at frame ${frame}: ${join}${cutText}, ${quality} (frames ${measuredRange.from} to ${measuredRange.to})${drift}${choice}${faults.map(faultText).join("")}`;
}

function text(
  { frames, fps, seams, warnings, milliseconds }: StitchedClip,
  path: string,
  networks: readonly NetworkInfo[],
): string {
  return [
    `${path}: ${frames} frames at ${round(fps)} fps, stitched in ${round(milliseconds)} ms`,
    ...seams.map(seamText),
    ...networks.map(networkText),
    ...warnings.map((warning) => `warning: ${warning}`),
  ].join("\n");
}
