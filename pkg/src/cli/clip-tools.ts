/** Commands that edit one clip: `slice`, `reverse`, `mirror`, `speed`, `resample`, `root`, `loop` and `clean` (in clean.ts). */
import { join, parse } from "node:path";
import { type Kind, positive, seconds } from "../core/options.js";
import type { Clip, LoopedClip, LoopOptions } from "../core/types.js";
import { loop } from "../node.js";
import { loop as loopTask } from "../tasks/loop.js";
import type { clipToolNames } from "./command-names.js";
import { defineFlags, NETWORKS, networkOptions, flagOptions, UsageError } from "./flags.js";
import { round } from "./info.js";
import { COMMON_OPTIONS_HELP, parseArguments, REPORT_PROPERTIES, runTool } from "./tool-arguments.js";
import { checkOutputs, STANDARD, write } from "./output.js";
import { loadAllNetworks, setNetworkOptions } from "./networks.js";

/** Text of `--help` of each clip tool, by command. */
export const clipToolsHelp: Record<Exclude<(typeof clipToolNames)[number], "clean">, string> = {
  slice: `kinestitch slice IN [--from SECONDS] [--to SECONDS] -o OUT

Writes the frames of a motion from one time to another, unchanged.

${COMMON_OPTIONS_HELP}
  --from SECONDS          start time (default: the start)
  --to SECONDS            end time, excluded (default: the end)
  --json                  one JSON object: ${REPORT_PROPERTIES}`,

  reverse: `kinestitch reverse IN -o OUT

Writes a reversed motion.

${COMMON_OPTIONS_HELP}
  --json                  one JSON object: ${REPORT_PROPERTIES}`,

  mirror: `kinestitch mirror IN -o OUT

Writes a motion with left and right exchanged, on the same skeleton: mirrored at the plane x = 0.

${COMMON_OPTIONS_HELP}
  --json                  one JSON object: ${REPORT_PROPERTIES}`,

  speed: `kinestitch speed IN --factor N -o OUT

Writes a motion at N times its speed, with the same frame rate.

${COMMON_OPTIONS_HELP}
  --factor N              0.01 to 100; 2 takes half the time
  --json                  one JSON object: ${REPORT_PROPERTIES}`,

  resample: `kinestitch resample IN --fps N -o OUT

Writes a motion at another frame rate.

${COMMON_OPTIONS_HELP}
  --fps N                 frame rate, 1 to 1000
  --json                  one JSON object: ${REPORT_PROPERTIES}`,

  root: `kinestitch root IN --extract|--remove|--from-feet -o OUT

Removes the root motion (movement over the ground), or computes it from the feet. Heights and turns are kept.

${COMMON_OPTIONS_HELP}
  --extract               remove the root motion and write it to a second file (CSV: seconds, x, z in metres)
  --remove                remove the root motion
  --from-feet             add root motion to a motion in place, computed from its feet. People only
  --path FILE.csv         with --extract: file for the root motion (default: OUT with the extension .root.csv)
  --json                  one JSON object: {input, output, frames, fps, seconds, path?, metres};
                          metres is the length of the path over the ground`,

  loop: `kinestitch loop IN -o OUT

Finds a cycle of a motion and closes it into a loop: the last frame is followed by the first.

${COMMON_OPTIONS_HELP}
  --cycle shortest|longest
                          shortest: one cycle, such as two steps of a walk; longest: the longest cycle in the clip
                          (default: shortest)
  --min-seconds S, --max-seconds S
                          shortest and longest duration of the loop (default: 0.4, and the length of the clip)
  --max-turn DEGREES      largest turn of one cycle: a cycle that turns more is bent back (default: 5 if the motion
                          goes straight, no limit if it turns)
  --in-place              remove the movement over the ground, and the turn per cycle
  --method NAME           method that closes the loop, see stitch --method (default: auto)
  --blend S               duration of the blend, seconds; at most half of the cycle
  --foot-lock on|off      hold feet on the ground in place (default: on)
  --set NAME, --models DIR
                          networks, see stitch
  --json                  one JSON object: {input, output, frames, fps, seconds, cycle: {from, to}, apartCm, wasClosed,
                          travel: {x, z, heading}, seam?, warnings}`,
};

/** Defines a command that edits a clip with numeric options. */
function defineTool<Options extends object>(
  command: keyof typeof clipToolsHelp,
  schema: { readonly [Name in keyof Options]: Kind<Options[Name]> },
  edit: (clip: Clip, options: Partial<Options>) => Promise<Clip>,
): (args: string[]) => Promise<void> {
  return async (args) => {
    const parsed = await parseArguments(command, args, clipToolsHelp[command], defineFlags(schema));
    if (!parsed) return;
    const options = flagOptions<Options>(schema, parsed.values);
    await runTool(parsed, async (clip) => ({ clip: await edit(clip, options) }));
  };
}

function requireValue(value: number | undefined, flag: string): number {
  if (value === undefined) throw new UsageError(`${flag} is needed`);
  return value;
}

async function root(args: string[]): Promise<void> {
  const modes = ["extract", "remove", "from-feet"] as const;
  const toolFlags = Object.fromEntries(modes.map((mode) => [mode, { type: "boolean" as const }]));
  const parsed = await parseArguments("root", args, clipToolsHelp.root, { ...toolFlags, path: { type: "string" } });
  if (!parsed) return;
  const [mode, secondMode] = modes.filter((mode) => parsed.values[mode]);
  if (mode === undefined || secondMode !== undefined)
    throw new UsageError("root takes one of --extract, --remove and --from-feet");
  const csvPath = parsed.values.path as string | undefined;
  if (csvPath !== undefined && mode !== "extract") throw new UsageError("--path goes with --extract");
  const path = mode === "extract" ? (csvPath ?? defaultCsvPath(parsed.output.path)) : undefined;
  if (path === STANDARD && parsed.output.path === STANDARD)
    throw new UsageError("only one of --output and --path can be standard output");
  if (path !== undefined) checkOutputs([parsed.output.path, path], [parsed.file]);
  await runTool(
    parsed,
    async (clip) => {
      const edited = await (mode === "from-feet" ? clip.rootMotionFromFeet() : clip.inPlace());
      const { path: trajectory } = await (mode === "from-feet" ? edited : clip).rootMotion();
      if (path !== undefined) await write(path, toCsv(trajectory, clip.fps));
      const metres = pathLength(trajectory);
      const summary = `, path of ${round(metres)} m${path === undefined ? "" : ` in ${path}`}`;
      return { clip: edited, report: { ...(path !== undefined && { path }), metres: Number(round(metres)) }, summary };
    },
    path,
  );
}

/** Returns the file for the root motion: "walk.root.csv" for "walk.bvh". */
export function defaultCsvPath(output: string): string {
  if (output === STANDARD) throw new UsageError("name a file for the root motion: --path FILE.csv");
  const { dir, name } = parse(output);
  return join(dir, `${name}.root.csv`);
}

/** Writes positions on the ground, [frames × 2], one line per frame. */
function toCsv(positions: Float32Array, fps: number): string {
  const lines = ["seconds,x,z"];
  for (let frame = 0; frame * 2 < positions.length; frame++) {
    const [x = 0, z = 0] = positions.subarray(frame * 2);
    lines.push(`${(frame / fps).toFixed(6)},${x.toFixed(6)},${z.toFixed(6)}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Returns the length of a path, [frames × 2]. */
function pathLength(path: Float32Array): number {
  let metres = 0;
  for (let i = 2; i < path.length; i += 2)
    metres += Math.hypot((path[i] ?? 0) - (path[i - 2] ?? 0), (path[i + 1] ?? 0) - (path[i - 1] ?? 0));
  return metres;
}

async function loopCommand(args: string[]): Promise<void> {
  const { name: _, inPlace: __, ...options } = loopTask.definition.options;
  const toolFlags = {
    ...defineFlags(options),
    "in-place": { type: "boolean" },
    set: NETWORKS.set,
    models: NETWORKS.models,
  } as const;
  const parsed = await parseArguments("loop", args, clipToolsHelp.loop, toolFlags);
  if (!parsed) return;
  const loopOptions: LoopOptions = flagOptions<LoopOptions>(options as never, parsed.values);
  if (parsed.values["in-place"]) loopOptions.inPlace = true;
  await setNetworkOptions(networkOptions(parsed.values as { set?: string; models?: string }));
  if (loopOptions.method === undefined || loopOptions.method === "auto") await loadAllNetworks(["stitch", "inbetween"]);
  await runTool(parsed, async (clip) => {
    const result: LoopedClip = await loop(clip, loopOptions);
    const { cycle, apartCm, wasClosed, travel, seam, warnings } = result;
    const description = wasClosed
      ? "already a loop"
      : `frames ${cycle.from} to ${cycle.to - 1}, whose ends were ${round(apartCm)} cm apart` +
        (seam?.gap === undefined ? "" : `, and ${seam.gap} inserted frames`);
    return {
      clip: result,
      report: { cycle, apartCm, wasClosed, travel, ...(seam && { seam }), warnings },
      summary: [`; ${description}`, ...warnings.map((warning) => `warning: ${warning}`)].join("\n"),
    };
  });
}

/** The commands by name. Parameter of each: the arguments after its name. */
export const clipTools: Record<(typeof clipToolNames)[number], (args: string[]) => Promise<void>> = {
  slice: defineTool<{ from: number; to: number }>("slice", { from: seconds, to: seconds }, (clip, { from = 0, to }) =>
    clip.slice(from, to ?? clip.info().seconds),
  ),
  reverse: defineTool("reverse", {}, (clip) => clip.reverse()),
  mirror: defineTool("mirror", {}, (clip) => clip.mirror()),
  speed: defineTool<{ factor: number }>("speed", { factor: positive }, (clip, { factor }) =>
    clip.timeScale(requireValue(factor, "--factor N")),
  ),
  resample: defineTool<{ fps: number }>("resample", { fps: positive }, (clip, { fps }) =>
    clip.resample(requireValue(fps, "--fps N")),
  ),
  root,
  loop: loopCommand,
  clean: async (args) => (await import("./clean.js")).cleanCommand(args),
};

/** Returns the clip tool of this name; `undefined` if there is none. */
export function clipTool(name: string): ((args: string[]) => Promise<void>) | undefined {
  return Object.hasOwn(clipTools, name) ? clipTools[name as keyof typeof clipTools] : undefined;
}
