/** `kinestitch info FILE ...`: prints properties of motion files. */
import { resolve } from "node:path";
import { printableJson } from "../core/quote.js";
import type { ClipInfo } from "../core/types.js";
import { animations } from "../node.js";
import type { InfoCommand } from "./commands.js";
import { loadFile } from "./files.js";
import { print, STANDARD } from "./output.js";

/** Prints properties of files. */
export async function info({ files, json }: InfoCommand): Promise<void> {
  const reports: object[] = [];
  for (const file of files) {
    const properties = (await loadFile(file)).info();
    const names = file === STANDARD ? [] : await animations(resolve(file));
    const animationReport = names.length > 0 ? { animations: names } : {};
    const { name, joints, frames, fps, seconds, unit, metresPerUnit, upAxis, kind, rig, warnings } = properties;
    if (json)
      reports.push({
        name,
        joints: joints.length,
        frames,
        fps,
        seconds,
        unit,
        metresPerUnit,
        upAxis,
        kind,
        rig,
        warnings,
        ...animationReport,
      });
    else
      await print(
        [text(file, properties), ...(names.length > 1 ? [`animations: ${names.join(", ")}`] : [])].join("\n"),
      );
  }
  if (json) await print(printableJson(reports.length > 1 ? reports : reports[0], 2));
}

function text(
  file: string,
  { joints, frames, fps, seconds, unit, metresPerUnit, upAxis, kind, rig, warnings }: ClipInfo,
): string {
  const roles = Object.entries(rig);
  const width = Math.max(0, ...roles.map(([role]) => role.length));
  return [
    `${file}: ${joints.length} joints, ${frames} frames at ${round(fps)} fps, ${round(seconds)} s`,
    `unit ${unit} (${metresPerUnit} m), ${upAxis} up`,
    roles.length === 0 ? "rig: none found" : `rig: ${kind}`,
    ...roles.map(([role, joint]) => `  ${role.padEnd(width)}  ${joint}`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ].join("\n");
}

/** Rounds to two decimals, without trailing zeros. */
export function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}
