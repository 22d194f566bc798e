import { KinestitchError } from "../core/error.js";
import type { ConvertCommand } from "./args.js";
import { checkOutput, FileError, loadFile, save } from "./files.js";
import { round } from "./info.js";

/** Writes a file in another format, or at another frame rate. */
export async function convert({ file, output, fps }: ConvertCommand): Promise<void> {
  checkOutput(output.path, [file]);
  const clip = await loadFile(file);
  try {
    const result = fps === undefined ? clip : clip.resample(fps);
    await save(result, output);
    console.log(`${output.path}: ${result.frames} frames at ${round(result.fps)} fps`);
  } catch (error) {
    throw error instanceof KinestitchError ? new FileError(`${file}: ${error.message}`) : error;
  }
}
