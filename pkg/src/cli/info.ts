import type { InfoCommand } from "./args.js";
import { loadFile } from "./files.js";

/** Prints what a file holds. */
export async function info({ file, json }: InfoCommand): Promise<void> {
  const clip = await loadFile(file);
  const { name, joints, frames, fps, seconds, unit, metresPerUnit, upAxis, kind, rig, warnings } = clip.info();
  if (json) {
    const report = { name, joints: joints.length, frames, fps, seconds, unit, metresPerUnit, upAxis, kind, rig, warnings };
    console.log(JSON.stringify(report, undefined, 2));
    return;
  }
  const roles = Object.entries(rig);
  const width = Math.max(0, ...roles.map(([role]) => role.length));
  console.log(
    [
      `${file}: ${joints.length} joints, ${frames} frames at ${round(fps)} fps, ${round(seconds)} s`,
      `unit ${unit} (${metresPerUnit} m), ${upAxis} up`,
      roles.length === 0 ? "rig: none found" : `rig: ${kind}`,
      ...roles.map(([role, joint]) => `  ${role.padEnd(width)}  ${joint}`),
      ...warnings.map((warning) => `warning: ${warning}`),
    ].join("\n"),
  );
}

/** To two decimals, without trailing zeros. */
export function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}
