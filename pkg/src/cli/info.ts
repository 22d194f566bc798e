/** `kinestitch info FILE ...`: prints properties of motion files. */
import { resolve } from "node:path";
import { KinestitchError } from "../core/error.js";
import { printableJson, printableMessage } from "../core/quote.js";
import type { BvhOptions, ClipInfo } from "../core/types.js";
import { type AnimationInfo, listAnimations } from "../node.js";
import type { InfoCommand } from "./commands.js";
import { FileError } from "./file-error.js";
import { animationFor, fileError, loadFile } from "./files.js";
import { print, STANDARD } from "./output.js";

/** Properties of a file, and its animations. */
interface FileInfo {
  properties: ClipInfo;
  list: AnimationInfo[];
}

/**
 * Prints properties of files. Of several files, also reports the errors of those that cannot be read, and throws at the
 * end.
 */
export async function info({ files, json, animation, bvh }: InfoCommand): Promise<void> {
  const reports: object[] = [];
  let failed = 0;
  for (const file of files) {
    const result = await readInfo(file, files, animation, bvh);
    if (result instanceof FileError) {
      if (files.length === 1) throw result;
      failed++;
      console.error(`kinestitch: ${printableMessage(result.message)}`);
      reports.push({ file, error: result.message.replace(`${file}: `, "") });
      continue;
    }
    const { properties, list } = result;
    const animationReport =
      list.length > 0 ? { animations: list.map(({ name }) => name), lengths: list.map(({ seconds }) => seconds) } : {};
    if (json) reports.push({ ...properties, joints: properties.joints.length, ...animationReport });
    else
      await print(
        [text(file, properties), ...(list.length > 1 ? [`animations: ${list.map(describe).join(", ")}`] : [])].join(
          "\n",
        ),
      );
  }
  if (json) await print(printableJson(reports.length > 1 ? reports : reports[0], 2));
  if (failed > 0) throw new FileError(`${failed} of ${files.length} files cannot be read`);
}

/** Reads the properties of a file; returns the error of a file that cannot be read. */
async function readInfo(
  file: string,
  files: readonly string[],
  animation: string | undefined,
  bvh: BvhOptions,
): Promise<FileInfo | FileError> {
  try {
    const properties = (await loadFile(file, undefined, animationFor(file, files, animation), bvh)).info();
    return { properties, list: file === STANDARD ? [] : await listAnimations(resolve(file)) };
  } catch (error) {
    if (error instanceof FileError) return error;
    if (error instanceof KinestitchError) return fileError(error, file);
    throw error;
  }
}

function text(
  path: string,
  { joints, frames, fps, seconds, unit, metresPerUnit, upAxis, kind, rig, warnings, ...file }: ClipInfo,
): string {
  const { guesses, bodies = [], leftOut } = file;
  const roles = Object.entries(rig);
  const width = Math.max(0, ...roles.map(([role]) => role.length));
  return [
    `${path}: ${joints.length} joints, ${frames} frames at ${round(fps)} fps, ${round(seconds)} s`,
    `unit ${unit} (${metresPerUnit} m), ${upAxis} up`,
    ...(guesses ? [`  unit ${guesses.unit}`, `  up ${guesses.up}`, `  root offset ${guesses.rootOffset}`] : []),
    ...(bodies.length > 0 ? [`bodies: ${bodies.join(", ")} (--root NAME reads one)`] : []),
    roles.length === 0 ? "rig: none found" : `rig: ${kind}`,
    ...roles.map(([role, joint]) => `  ${role.padEnd(width)}  ${joint}`),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...leftOut.map((part) => `left out: ${part}`),
  ].join("\n");
}

/** Describes an animation in a list. */
const describe = ({ name, seconds }: AnimationInfo): string => `${name} (${round(seconds)} s)`;

/** Rounds to two decimals, without trailing zeros. */
export function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}
