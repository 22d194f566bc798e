import { KinestitchError } from "../core/error.js";
import type { ConvertCommand, Output } from "./args.js";
import { checkOutput, FileError, loadFile, save, tell } from "./files.js";
import { round } from "./info.js";

/** What was written from one file. */
interface Converted {
  input: string;
  output: string;
  frames: number;
  fps: number;
  seconds: number;
}

/** Writes files in another format, or at another frame rate. */
export async function convert({ files, fps, json }: ConvertCommand): Promise<void> {
  const inputs = files.map(({ file }) => file);
  for (const { output } of files) checkOutput(output.path, inputs);
  const done: Converted[] = [];
  for (const { file, output } of files) {
    const converted = await convertFile(file, output, fps);
    done.push(converted);
    if (!json) tell(`${converted.output}: ${converted.frames} frames at ${round(converted.fps)} fps`, output);
  }
  const [first] = files;
  if (json && first) tell(JSON.stringify(done.length > 1 ? done : done[0], undefined, 2), first.output);
}

async function convertFile(file: string, output: Output, rate: number | undefined): Promise<Converted> {
  const clip = await loadFile(file);
  try {
    const result = rate === undefined ? clip : clip.resample(rate);
    await save(result, output);
    const { frames, fps } = result;
    return { input: file, output: output.path, frames, fps, seconds: result.info().seconds };
  } catch (error) {
    throw error instanceof KinestitchError ? new FileError(`${file}: ${error.message}`) : error;
  }
}
