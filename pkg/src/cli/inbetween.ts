/** `kinestitch inbetween`: makes the motion between frames of files. */
import { parse } from "node:path";
import { inbetween as fillGaps } from "../node.js";
import { MAX_CANDIDATES } from "../tasks/inbetween-candidates.js";
import { AUTO, methodName } from "../core/method.js";
import { printableJson } from "../core/quote.js";
import type { Clip, InbetweenClip, NetworkInfo } from "../core/types.js";
import type { InbetweenCommand } from "./commands.js";
import { animationFor, loadFile, save, printReport } from "./files.js";
import { round } from "./info.js";
import { loadAllNetworks, loadDefaultNetwork, networksOfMethods, networkText, setNetworkOptions } from "./networks.js";
import { checkFolderOutputs, checkOutputs, createFolder, print } from "./output.js";
import { candidatePath } from "./output-args.js";

/** Makes the motion between frames of files, and prints a report on the gaps. */
export async function inbetween(command: InbetweenCommand): Promise<void> {
  const { keys, output, networks, options, at, json, animation } = command;
  const files = [...new Set(keys.map(({ file }) => file))];
  const { candidates, device, ...commonOptions } = options;
  const { method } = options;
  if (candidates === undefined) checkOutputs([output.path], files);
  else {
    const length = Math.min(candidates, MAX_CANDIDATES);
    const paths = Array.from({ length }, (_, index) => candidatePath(output, index));
    checkFolderOutputs(output.path, paths, files);
  }
  await setNetworkOptions({ ...networks, ...(device !== undefined && { device }) });
  if (method === AUTO) await loadAllNetworks(["inbetween"]);
  else if (method === undefined) await loadDefaultNetwork("inbetween");
  // Each file is loaded only once, so that its keys keep their relative position. Each clip is named after its path, so
  // that errors name the file.
  const loadNamed = (file: string): Promise<Clip> => loadFile(file, file, animationFor(file, files, animation));
  const clips = new Map(await Promise.all(files.map(async (file) => [file, await loadNamed(file)] as const)));
  const poseKeys = keys.map(({ file, frame }, index) => {
    const key = { clip: clips.get(file) as Clip, frame };
    return at && index === keys.length - 1 ? { ...key, at } : key;
  });
  const name = files.map((file) => parse(file).name).join(" + ");
  const reportNetworks = async (results: readonly InbetweenClip[]): Promise<{ networks?: NetworkInfo[] }> => {
    const requestedMethods = method === undefined || method === AUTO ? [] : [methodName(method)];
    const infos = await networksOfMethods([
      ...requestedMethods,
      ...results.flatMap(({ gaps }) => gaps.map((gap) => gap.method)),
    ]);
    return infos.length > 0 ? { networks: infos } : {};
  };
  if (candidates === undefined) {
    const result = await fillGaps(poseKeys, { ...commonOptions, name });
    await save(result, output);
    const networkReport = await reportNetworks([result]);
    await printReport(
      json
        ? printableJson({ ...toReport(result), ...networkReport }, 2)
        : resultText(result, output.path, networkReport.networks),
      output,
    );
    return;
  }
  const results = await fillGaps(poseKeys, { ...commonOptions, candidates, name });
  createFolder(output.path);
  const paths = results.map((_, index) => candidatePath(output, index));
  for (const [index, result] of results.entries()) await save(result, { ...output, path: paths[index] as string });
  const networkReport = await reportNetworks(results);
  const reports = results.map((result, index) => ({ output: paths[index] as string, ...toReport(result) }));
  if (json) await print(printableJson({ candidates: reports, ...networkReport }, 2));
  else
    await print(
      results
        .map((result, index) =>
          resultText(result, paths[index] as string, index === results.length - 1 ? networkReport.networks : []),
        )
        .join("\n"),
    );
}

/** Properties of a result in the JSON report, in this order. */
const REPORTED_PROPERTIES = [
  "frames",
  "fps",
  "keys",
  "gaps",
  "warnings",
  "milliseconds",
  "path",
  "speed",
  "style",
  "score",
] as const satisfies readonly (keyof InbetweenClip)[];

const toReport = (clip: InbetweenClip): object =>
  Object.fromEntries(REPORTED_PROPERTIES.map((name) => [name, clip[name]]));

/** Returns one line about a gap. */
function gapText(gap: InbetweenClip["gaps"][number]): string {
  const { range, method, keyErrorCm, keyErrorDegrees, footSkate, peakJerk, trials } = gap;
  const keyError = `off the next key by ${round(keyErrorCm)} cm and ${round(keyErrorDegrees)}° before correction`;
  const quality = `foot skate ${round(footSkate * 100)} cm per frame, peak jerk ${round(peakJerk)} m/s³`;
  const scores = trials?.map(({ method, score }) => `${method} ${round(score)}`).join(", ");
  const choice = scores === undefined ? "" : `; best of ${scores}`;
  return `frames ${range.from} to ${range.to - 1}: ${method}, ${keyError}, ${quality}${choice}`;
}

function resultText(
  { frames, fps, gaps, warnings, milliseconds, speed, score }: InbetweenClip,
  path: string,
  networks: readonly NetworkInfo[] = [],
): string {
  const speedText = speed === undefined ? "" : `${speed}, `;
  const newFrames = gaps.reduce((sum, { range }) => sum + range.to - range.from, 0);
  const scoreText = score === undefined ? "" : `, score ${round(score)}`;
  return [
    `${path}: ${frames} frames (${newFrames} new) at ${round(fps)} fps, ${speedText}made in ${round(milliseconds)} ms${scoreText}`,
    ...gaps.map(gapText),
    ...networks.map(networkText),
    ...warnings.map((warning) => `warning: ${warning}`),
  ].join("\n");
}
