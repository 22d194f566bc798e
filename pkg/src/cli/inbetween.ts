import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, parse } from "node:path";
import { inbetween as between, init } from "../node.js";
import { AUTO, nameOf } from "../core/method.js";
import { printableJson } from "../core/quote.js";
import type { Clip, InbetweenClip, NetworkInfo } from "../core/types.js";
import type { InbetweenCommand } from "./commands.js";
import { FileError } from "./file-error.js";
import { loadFile, save, tell } from "./files.js";
import { round } from "./info.js";
import { nameAll, networksOf, used } from "./networks.js";
import { checkOutputs, isFolder, print } from "./output.js";

/** Largest number of results of one call. */
const MOST_CANDIDATES = 64;

/** Makes the motion between frames of files, and prints a report on the gaps. */
export async function inbetween(command: InbetweenCommand): Promise<void> {
  const { keys, output, networks, options, at, json } = command;
  const files = [...new Set(keys.map(({ file }) => file))];
  const { candidates, device, ...single } = options;
  const { method } = options;
  const candidate = (index: number): string => join(output.path, `candidate-${index + 1}.${output.format}`);
  if (candidates === undefined) checkOutputs([output.path], files);
  else if (existsSync(output.path) && !isFolder(output.path))
    throw new FileError(`cannot write into ${output.path}: it is no folder`);
  else if (existsSync(output.path))
    checkOutputs(
      Array.from({ length: Math.min(candidates, MOST_CANDIDATES) }, (_, index) => candidate(index)),
      files,
    );
  await init({ networks: { ...networks, ...(device !== undefined && { device }) } });
  if (method === AUTO) await nameAll(["inbetween"]);
  // Each file is loaded once, however often it is named, so that its keys keep their relative position. Its path is
  // its name in errors.
  const clips = new Map(await Promise.all(files.map(async (file) => [file, await loadFile(file, file)] as const)));
  const placed = keys.map(({ file, frame }, index) => {
    const key = { clip: clips.get(file) as Clip, frame };
    return at && index === keys.length - 1 ? { ...key, at } : key;
  });
  const name = files.map((file) => parse(file).name).join(" + ");
  const networksBehind = async (results: readonly InbetweenClip[]): Promise<{ networks?: NetworkInfo[] }> => {
    const requested = method === undefined || method === AUTO ? [] : [nameOf(method)];
    const networks = await networksOf([...requested, ...results.flatMap(({ gaps }) => gaps.map((gap) => gap.method))]);
    return networks.length > 0 ? { networks } : {};
  };
  if (candidates === undefined) {
    const result = await between(placed, { ...single, name });
    await save(result, output);
    const behind = await networksBehind([result]);
    await tell(
      json ? printableJson({ ...report(result), ...behind }, 2) : text(result, output.path, behind.networks),
      output,
    );
    return;
  }
  const results = await between(placed, { ...single, candidates, name });
  await mkdir(output.path, { recursive: true });
  const paths = results.map((_, index) => candidate(index));
  for (const [index, result] of results.entries()) await save(result, { ...output, path: paths[index] as string });
  const behind = await networksBehind(results);
  const reports = results.map((result, index) => ({ output: paths[index] as string, ...report(result) }));
  if (json) await print(printableJson({ candidates: reports, ...behind }, 2));
  else
    await print(
      results
        .map((result, index) =>
          text(result, paths[index] as string, index === results.length - 1 ? behind.networks : []),
        )
        .join("\n"),
    );
}

/** Properties of a result in the JSON output, in this order. */
const REPORTED = [
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

const report = (clip: InbetweenClip): object => Object.fromEntries(REPORTED.map((name) => [name, clip[name]]));

function text(
  { frames, fps, gaps, warnings, milliseconds, speed, score }: InbetweenClip,
  path: string,
  networks: readonly NetworkInfo[] = [],
): string {
  return [
    `${path}: ${frames} frames at ${round(fps)} fps, ${speed === undefined ? "" : `${speed}, `}made in ${round(milliseconds)} ms${score === undefined ? "" : `, score ${round(score)}`}`,
    ...gaps.map(
      ({ edited: { from, to }, method, arrivalCm, arrivalDegrees, footSkate, peakJerk, tried }) =>
        `frames ${from} to ${to - 1}: ${method}, arrival off by ${round(arrivalCm)} cm and ${round(arrivalDegrees)}° before correction, foot skate ${round(footSkate * 100)} cm a frame, peak jerk ${round(peakJerk)} m/s³${tried ? `; chosen of ${tried.map(({ method, score }) => `${method} ${round(score)}`).join(", ")}` : ""}`,
    ),
    ...networks.map(used),
    ...warnings.map((warning) => `warning: ${warning}`),
  ].join("\n");
}
