import { parse } from "node:path";
import { inbetween as between, init, networkInfo } from "../node.js";
import type { Clip, InbetweenClip, NetworkInfo } from "../core/types.js";
import type { InbetweenCommand } from "./args.js";
import { checkOutput, loadFile, save, tell } from "./files.js";
import { round } from "./info.js";
import { used } from "./networks.js";

/** Makes the motion between frames of files, and prints what happened in the gaps. */
export async function inbetween(command: InbetweenCommand): Promise<void> {
  const { keys, output, networks, options, at, json } = command;
  const files = [...new Set(keys.map(({ file }) => file))];
  checkOutput(output.path, files);
  await init({ networks });
  // A file is one clip however often it is named, so that its keys keep their place; called by its path, which errors name.
  const clips = new Map(await Promise.all(files.map(async (file) => [file, await loadFile(file, file)] as const)));
  const placed = keys.map(({ file, frame }, index) => {
    const key = { clip: clips.get(file) as Clip, frame };
    return at && index === keys.length - 1 ? { ...key, at } : key;
  });
  const result = await between(placed, { ...options, name: files.map((file) => parse(file).name).join(" + ") });
  await save(result, output);
  const { frames, fps, keys: own, gaps, warnings, milliseconds } = result;
  const network = await networkInfo({ for: "inbetween", ...(options.method && { name: options.method }) });
  const report = { frames, fps, keys: own, gaps, warnings, milliseconds, network };
  tell(json ? JSON.stringify(report, undefined, 2) : text(result, output.path, network), output);
}

function text({ frames, fps, gaps, warnings, milliseconds }: InbetweenClip, path: string, network?: NetworkInfo): string {
  return [
    `${path}: ${frames} frames at ${round(fps)} fps, made in ${round(milliseconds)} ms`,
    ...gaps.map(
      ({ edited: [from, to], method, arrivalCm, arrivalDegrees, footSkate, peakJerk }) =>
        `frames ${from} to ${to - 1}: ${method}, arrival off by ${round(arrivalCm)} cm and ${round(arrivalDegrees)}° before correction, foot skate ${round(footSkate * 100)} cm a frame, peak jerk ${round(peakJerk)} m/s³`,
    ),
    ...(network ? [used(network)] : []),
    ...warnings.map((warning) => `warning: ${warning}`),
  ].join("\n");
}
