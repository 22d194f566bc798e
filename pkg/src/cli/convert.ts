/** `kinestitch convert`: writes motion files in another format or at another frame rate. */
import { resolve } from "node:path";
import { KinestitchError } from "../core/error.js";
import { printableJson } from "../core/quote.js";
import type { Clip } from "../core/types.js";
import { type AnimateOptions, animateWithReport } from "../gltf/tasks.js";
import type { ConvertCommand, Output } from "./commands.js";
import { fileError, loadFile, save, printReport } from "./files.js";
import { round } from "./info.js";
import { checkFolderOutputs, checkOutputs, createFolder, write } from "./output.js";

/** Report on one written file. */
interface ConvertReport {
  input: string;
  output: string;
  frames: number;
  fps: number;
  seconds: number;
  /** Motion that the character cannot show, and a move to its ground. */
  warnings?: readonly string[];
}

/** Writes files in another format, or at another frame rate. A missing output folder is created. */
export async function convert({ files, json, ...options }: ConvertCommand): Promise<void> {
  const inputs = [...files.map(({ file }) => file), ...(options.character === undefined ? [] : [options.character])];
  const paths = files.map(({ output }) => output.path);
  if (options.outputFolder === undefined) checkOutputs(paths, inputs);
  else checkFolderOutputs(options.outputFolder, paths, inputs);
  const reports: ConvertReport[] = [];
  for (const { file, output } of files) {
    const report = await convertFile(file, output, options);
    reports.push(report);
    if (json) continue;
    await printReport(`${report.output}: ${report.frames} frames at ${round(report.fps)} fps`, output);
    for (const warning of report.warnings ?? []) await printReport(`  warning: ${warning}`, output);
  }
  const [first] = files;
  if (json && first) await printReport(printableJson(reports.length > 1 ? reports : reports[0], 2), first.output);
}

type ConvertOptions = Omit<ConvertCommand, "do" | "files" | "json">;

async function convertFile(
  file: string,
  output: Output,
  { outputFolder, fps: requestedFps, animation, character, rootMotion = "keep", ground }: ConvertOptions,
): Promise<ConvertReport> {
  const clip = await loadFile(file, undefined, animation);
  try {
    let result = requestedFps === undefined ? clip : await clip.resample(requestedFps);
    if (outputFolder !== undefined) createFolder(outputFolder);
    let warnings: readonly string[] = [];
    if (character !== undefined) {
      const animated = await animateCharacter(character, result, { rootMotion, ...(ground && { ground }) });
      await write(output.path, animated.file);
      warnings = animated.warnings;
    } else {
      if (rootMotion === "inPlace") result = await result.inPlace();
      // The result of a VRM Animation keeps its expressions and look-at unchanged.
      await save(result, output, /\.vrma$/i.test(file) ? file : undefined);
    }
    const { frames, fps } = result;
    return {
      input: file,
      output: output.path,
      frames,
      fps,
      seconds: result.info().seconds,
      ...(warnings.length > 0 && { warnings }),
    };
  } catch (error) {
    throw error instanceof KinestitchError ? fileError(error, file) : error;
  }
}

/** Codes of errors that the file of the character causes, or a file that it refers to. */
const CHARACTER_ERRORS: readonly string[] = ["glb", "limit", "fetch"];

/**
 * Returns a copy of the character's file with the motion as another animation. Errors in the character's file contain
 * its path.
 */
async function animateCharacter(
  character: string,
  clip: Clip,
  options: AnimateOptions,
): ReturnType<typeof animateWithReport> {
  try {
    return await animateWithReport(resolve(character), clip, options);
  } catch (error) {
    const isInCharacter = error instanceof KinestitchError && CHARACTER_ERRORS.includes(error.code);
    throw isInCharacter ? fileError(error, character) : error;
  }
}
