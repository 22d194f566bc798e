import { KinestitchError } from "../error.js";
import { stitch as join } from "../node.js";
import type { StitchedClip } from "../types.js";
import type { StitchCommand } from "./args.js";
import { checkOutput, FileError, loadFile, save } from "./files.js";
import { round } from "./info.js";

/** Joins files into one, and prints what happened at the seams. */
export async function stitch(command: StitchCommand): Promise<void> {
  const { do: _, files, output, json, ...options } = command;
  checkOutput(output, files);
  const clips = await Promise.all(files.map(loadFile));
  const result = await join(clips, options).catch((error: unknown) => {
    throw named(error, files, clips.map((clip) => clip.name));
  });
  await save(result, output);
  const { frames, fps, seams, warnings, milliseconds } = result;
  if (json) {
    console.log(JSON.stringify({ frames, fps, seams, warnings, milliseconds }, undefined, 2));
  } else {
    console.log(text(result, output.path));
  }
}

function text({ frames, fps, seams, warnings, milliseconds }: StitchedClip, path: string): string {
  return [
    `${path}: ${frames} frames at ${round(fps)} fps, stitched in ${round(milliseconds)} ms`,
    ...seams.map(
      ({ frame, method, footSkate, peakJerk }) =>
        `seam at frame ${frame}: ${method}, foot skate ${round(footSkate * 100)} cm a frame, peak jerk ${round(peakJerk)} m/s³`,
    ),
    ...warnings.map((warning) => `warning: ${warning}`),
  ].join("\n");
}

/** The error with the file it concerns, where its message names a clip: clips are named after files. */
function named(error: unknown, files: readonly string[], names: readonly string[]): unknown {
  if (!(error instanceof KinestitchError)) return error;
  const index = names.findIndex((name) => error.message.includes(`clip "${name}"`));
  return index < 0 ? error : new FileError(`${files[index]}: ${error.message}`);
}
