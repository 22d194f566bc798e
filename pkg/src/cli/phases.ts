/** `kinestitch phases`: prints or draws the phases of limbs in their cycles of contacts. */
import { phasesSvg } from "../core/phases-svg.js";
import { printableJson } from "../core/quote.js";
import type { Clip, LimbPhases } from "../core/types.js";
import type { PhasesCommand } from "./commands.js";
import { FileError } from "./file-error.js";
import { animationFor, loadFile, printReport } from "./files.js";
import { round } from "./info.js";
import { checkOutputs, write } from "./output.js";

/** Prints one line per limb, or with `json` all phases as JSON. With `svg`, also draws the phases into that file. */
export async function phases({ file, joints, object, svg, json, animation }: PhasesCommand): Promise<void> {
  const files = [file, ...(object ? [object.file] : [])];
  if (svg !== undefined) checkOutputs([svg], files);
  const loadAnimation = (path: string): Promise<Clip> =>
    loadFile(path, undefined, animationFor(path, files, animation));
  const clip = await loadAnimation(file);
  const contactObject = object && {
    positions: rootPositions(await loadAnimation(object.file), object.file),
    radius: object.radius,
  };
  const limbs = await clip.phases({
    ...(joints.length > 0 && { joints }),
    ...(contactObject && { object: contactObject }),
  });
  if (svg !== undefined) await write(svg, phasesSvg(limbs, clip));
  const print = (report: string): Promise<void> => printReport(report, { path: svg ?? "" });
  if (json)
    await print(printableJson({ name: clip.name, frames: clip.frames, fps: clip.fps, limbs: limbs.map(toJson) }));
  else await print([...(svg === undefined ? [] : [`${svg}: chart of the phases`]), ...limbs.map(limbText)].join("\n"));
}

/** Returns the world positions of the first root joint, [frames × 3], metres. Throws if the file has no frames. */
function rootPositions(clip: Clip, path: string): Float32Array {
  const joints = clip.info().joints.length;
  const positions = clip.positions();
  if (clip.frames === 0) throw new FileError(`${path}: it has no frames`);
  return Float32Array.from(
    { length: clip.frames * 3 },
    (_, index) => positions[Math.floor(index / 3) * joints * 3 + (index % 3)] ?? 0,
  );
}

/** Converts typed arrays to plain arrays for JSON; floating-point numbers with five significant digits. */
function toJson(limb: LimbPhases): object {
  const rounded = (value: unknown) =>
    value instanceof Float32Array ? Array.from(value, (number) => Number(number.toPrecision(5))) : value;
  return Object.fromEntries(
    Object.entries(limb).map(([name, value]) => [name, value instanceof Uint8Array ? [...value] : rounded(value)]),
  );
}

/** Describes a limb in one line: its fraction of frames in contact, and the median of its frequencies. */
function limbText({ name, joint, touches, contact, frequency }: LimbPhases): string {
  const contactFraction = contact.reduce((sum, touching) => sum + touching, 0) / contact.length;
  const frequencies = frequency.filter((hertz) => hertz > 0).sort();
  const cycle =
    frequencies.length > 0 ? `${round(frequencies[frequencies.length >> 1] ?? 0)} cycles per second` : "no cycle";
  const label = name === joint ? name : `${name} (${joint})`;
  return `${label}: touches the ${touches} ${Math.round(contactFraction * 100)} % of the time, ${cycle}`;
}
