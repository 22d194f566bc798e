/** `kinestitch convert`: writes motion files in another format or at another frame rate. */
import { resolve } from "node:path";
import { KinestitchError } from "../core/error.js";
import { printableJson } from "../core/quote.js";
import type { Clip } from "../core/types.js";
import { type AnimateOptions, animateWithReport } from "../gltf/tasks.js";
import { toFbx } from "../write-fbx.node.js";
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
  /** Warnings about the input, motion that the character cannot show, and a move to its ground. */
  warnings: readonly string[];
  /** Contents of the input that the output lacks. */
  leftOut: string[];
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
    if (!json) await printReport(describe(report), output);
  }
  const [first] = files;
  if (json && first) await printReport(printableJson(reports.length > 1 ? reports : reports[0], 2), first.output);
}

function describe({ output, frames, fps, warnings, leftOut }: ConvertReport): string {
  return [
    `${output}: ${frames} frames at ${round(fps)} fps`,
    ...warnings.map((warning) => `  warning: ${warning}`),
    ...leftOut.map((part) => `  left out: ${part}`),
  ].join("\n");
}

type ConvertOptions = Omit<ConvertCommand, "do" | "files" | "json">;

async function convertFile(
  file: string,
  output: Output,
  { outputFolder, fps: requestedFps, animation, character, rootMotion = "keep", ground, bvh }: ConvertOptions,
): Promise<ConvertReport> {
  const clip = await loadFile(file, undefined, animation, bvh);
  try {
    let result = requestedFps === undefined ? clip : await clip.resample(requestedFps);
    if (outputFolder !== undefined) createFolder(outputFolder);
    const { warnings, leftOut } = clip.info();
    if (character !== undefined) {
      const options = { rootMotion, ...(ground && { ground }) };
      const animated = await animateCharacter(character, result, options, output.format === "fbx");
      await write(output.path, animated.file);
      warnings.push(...animated.warnings);
    } else {
      if (rootMotion === "inPlace") result = await result.inPlace();
      // The result of a VRM Animation keeps its expressions and look-at unchanged.
      await save(result, output, /\.vrma$/i.test(file) ? file : undefined);
    }
    const { frames, fps, seconds } = result.info();
    return { input: file, output: output.path, frames, fps, seconds, warnings, leftOut };
  } catch (error) {
    throw error instanceof KinestitchError ? fileError(error, file) : error;
  }
}

/** Codes of errors that the file of the character causes, or a file that it refers to. */
const CHARACTER_ERRORS: readonly string[] = ["glb", "limit", "fetch"];

/**
 * Returns a copy of the character's file with the motion as another animation, or the character and its motion as FBX.
 * Errors in the character's file contain its path.
 */
async function animateCharacter(
  character: string,
  clip: Clip,
  options: AnimateOptions,
  asFbx: boolean,
): ReturnType<typeof animateWithReport> {
  try {
    const path = resolve(character);
    if (asFbx) return { file: await toFbx(clip, { character: path, ...options }), warnings: [] };
    return await animateWithReport(path, clip, options);
  } catch (error) {
    const isInCharacter = error instanceof KinestitchError && CHARACTER_ERRORS.includes(error.code);
    throw isInCharacter ? fileError(error, character) : error;
  }
}
