import { resolve } from "node:path";
import type { RootMotion } from "../bones/root-motion.js";
import { KinestitchError } from "../core/error.js";
import { printableJson } from "../core/quote.js";
import type { Clip } from "../core/types.js";
import { animateGlb } from "../node.js";
import type { ConvertCommand, Output } from "./commands.js";
import { FileError } from "./file-error.js";
import { loadFile, save, tell } from "./files.js";
import { round } from "./info.js";
import { checkOutputs, write } from "./output.js";

/** Report on one written file. */
interface Converted {
  input: string;
  output: string;
  frames: number;
  fps: number;
  seconds: number;
}

/** Writes files in another format, or at another frame rate. */
export async function convert({ files, json, ...how }: ConvertCommand): Promise<void> {
  const inputs = [...files.map(({ file }) => file), ...(how.character === undefined ? [] : [how.character])];
  checkOutputs(
    files.map(({ output }) => output.path),
    inputs,
  );
  const done: Converted[] = [];
  for (const { file, output } of files) {
    const converted = await convertFile(file, output, how);
    done.push(converted);
    if (!json) await tell(`${converted.output}: ${converted.frames} frames at ${round(converted.fps)} fps`, output);
  }
  const [first] = files;
  if (json && first) await tell(printableJson(done.length > 1 ? done : done[0], 2), first.output);
}

type How = Omit<ConvertCommand, "do" | "files" | "json">;

async function convertFile(
  file: string,
  output: Output,
  { fps: rate, animation, character, rootMotion = "keep" }: How,
): Promise<Converted> {
  const clip = await loadFile(file, undefined, animation);
  try {
    let result = rate === undefined ? clip : clip.resample(rate);
    if (character !== undefined) await write(output.path, await worn(character, result, rootMotion));
    else {
      if (rootMotion === "inPlace") result = result.inPlace();
      // Expressions and look-at stay as they are, whatever became of the body.
      await save(result, output, /\.vrma$/i.test(file) ? file : undefined);
    }
    const { frames, fps } = result;
    return { input: file, output: output.path, frames, fps, seconds: result.info().seconds };
  } catch (error) {
    throw error instanceof KinestitchError ? new FileError(`${file}: ${error.message}`) : error;
  }
}

/** The character's file with the motion; errors about the file name it. */
async function worn(character: string, clip: Clip, rootMotion: RootMotion): Promise<Uint8Array> {
  try {
    return await animateGlb(resolve(character), clip, { rootMotion });
  } catch (error) {
    if (error instanceof KinestitchError && error.code === "glb") throw new FileError(`${character}: ${error.message}`);
    throw error;
  }
}
