/** Commands of one clip: `slice`, `reverse`, `mirror`, `speed`, `resample`, `root` and `loop`. */
import { join, parse } from "node:path";
import { KinestitchError } from "../core/error.js";
import { type Kind, positive, seconds } from "../core/options.js";
import { printableJson } from "../core/quote.js";
import type { Clip, LoopedClip, LoopOptions } from "../core/types.js";
import { init, loop } from "../node.js";
import { loop as loopTask } from "../tasks/loop.js";
import type { clipToolNames } from "./command-names.js";
import type { Output } from "./commands.js";
import { FileError } from "./file-error.js";
import { loadFile, save, tell } from "./files.js";
import {
  flags,
  HELP,
  JSON_FLAG,
  NETWORKS,
  networks,
  OUTPUT,
  oneFile,
  flagOptions,
  split,
  UsageError,
} from "./flags.js";
import { round } from "./info.js";
import { checkOutputs, print, STANDARD, write } from "./output.js";
import { nameAll } from "./networks.js";
import { output } from "./outputs.js";

const FILES = `  -o, --output OUT        output file, .bvh or .glb; an existing file is overwritten. "-": standard output
  --format bvh|glb        the format, regardless of the extension
  --animation NAME        animation of a GLB or glTF file (default: the first)`;
const REPORT = "{input, output, frames, fps, seconds}";

/** Text of `--help` of each clip tool, by command. */
export const clipToolsHelp = {
  slice: `kinestitch slice IN --from SECONDS --to SECONDS -o OUT

Writes part of a motion, with its own frames.

${FILES}
  --from SECONDS          start time (default: the start)
  --to SECONDS            end time, excluded (default: the end)
  --json                  one JSON object: ${REPORT}`,

  reverse: `kinestitch reverse IN -o OUT

Writes a reversed motion.

${FILES}
  --json                  one JSON object: ${REPORT}`,

  mirror: `kinestitch mirror IN -o OUT

Writes a motion with left and right exchanged, on the same skeleton: mirrored at the plane x = 0.

${FILES}
  --json                  one JSON object: ${REPORT}`,

  speed: `kinestitch speed IN --factor N -o OUT

Writes a motion at N times its speed, with the same frame rate.

${FILES}
  --factor N              0.01 to 100; 2 takes half the time
  --json                  one JSON object: ${REPORT}`,

  resample: `kinestitch resample IN --fps N -o OUT

Writes a motion at another frame rate.

${FILES}
  --fps N                 frame rate, 1 to 1000
  --json                  one JSON object: ${REPORT}`,

  root: `kinestitch root IN --extract|--remove|--from-feet -o OUT

Removes root motion (movement over the ground) from a motion, or computes it from the feet. Heights and turns are kept.

${FILES}
  --extract               the motion in place, and its root motion in a second file (CSV: seconds, x, z in metres)
  --remove                the motion in place
  --from-feet             adds root motion to a motion in place, computed from its feet. People only
  --path FILE.csv         with --extract: file for the root motion (default: OUT with the extension .root.csv)
  --json                  one JSON object: {input, output, frames, fps, seconds, path?, metres}; metres is the length of the path`,

  loop: `kinestitch loop IN -o OUT

Finds a cycle of a motion and closes it to a loop: the last frame is followed by the first.

${FILES}
  --cycle shortest|longest
                          one cycle, such as two steps of a walk, or the longest part that repeats (default: shortest)
  --min-seconds S, --max-seconds S
                          shortest and longest duration of the loop (default: from 0.4)
  --in-place              removes the movement over the ground, and the turn of a cycle
  --method NAME           method that closes it, see stitch --method (default: auto)
  --blend S               duration of the blend, seconds; at most half of the cycle
  --foot-lock on|off      keep feet on the ground in place (default: on)
  --set NAME, --models DIR
                          networks, see stitch
  --json                  one JSON object: {input, output, frames, fps, seconds, cycle: {from, to}, apartCm, wasClosed,
                          travel: {x, z, heading}, seam?}`,
};

/** Arguments common to these commands. */
interface ToolArguments {
  file: string;
  output: Output;
  animation?: string;
  json: boolean;
}

type Values = ReturnType<typeof split<typeof COMMON>>["values"];
const ANIMATION = { animation: { type: "string" } } as const;
const COMMON = { ...HELP, ...JSON_FLAG, ...OUTPUT, ...ANIMATION };

/** Parses the arguments of a command; `undefined` after printing its help, if they ask for it. */
async function read<Own extends Record<string, { type: "string" | "boolean" }>>(
  command: keyof typeof clipToolsHelp,
  args: string[],
  own: Own,
): Promise<(ToolArguments & { own: Record<string, string | boolean | undefined> }) | undefined> {
  const { values, positionals } = split(args, { ...COMMON, ...own });
  const { help, json, animation, ...words } = values as Values & Record<string, string | boolean | undefined>;
  if (help) {
    await print(clipToolsHelp[command]);
    return undefined;
  }
  const file = oneFile(command, positionals);
  const parsed = { file, output: output(words), json: json ?? false, own: words };
  return animation === undefined ? parsed : { ...parsed, animation };
}

/** Loads the file, runs the tool, writes the result and reports it. Errors about the motion name the file. */
async function make<Result extends Clip>(
  { file, output, animation, json }: ToolArguments,
  work: (clip: Clip) => Promise<{ clip: Result; report?: object; line?: string }>,
): Promise<void> {
  checkOutputs([output.path], [file]);
  const clip = await loadFile(file, undefined, animation);
  const result = await work(clip).catch((error: unknown) => {
    throw error instanceof KinestitchError ? new FileError(`${file}: ${error.message}`) : error;
  });
  await save(result.clip, output);
  const { frames, fps } = result.clip;
  const { seconds } = result.clip.info();
  const line = `${output.path}: ${frames} frames at ${round(fps)} fps, ${round(seconds)} s${result.line ?? ""}`;
  const report = { input: file, output: output.path, frames, fps, seconds, ...result.report };
  await tell(json ? printableJson(report, 2) : line, output);
}

/** A command with numeric options that makes a clip of a clip. */
function tool<Options extends object>(
  command: keyof typeof clipToolsHelp,
  schema: { readonly [Name in keyof Options]: Kind<Options[Name]> },
  work: (clip: Clip, options: Partial<Options>) => Clip,
): (args: string[]) => Promise<void> {
  return async (args) => {
    const parsed = await read(command, args, flags(schema));
    if (!parsed) return;
    const options = flagOptions<Options>(schema, parsed.own);
    await make(parsed, async (clip) => ({ clip: work(clip, options) }));
  };
}

function needed(value: number | undefined, flag: string): number {
  if (value === undefined) throw new UsageError(`${flag} is needed`);
  return value;
}

async function root(args: string[]): Promise<void> {
  const ways = ["extract", "remove", "from-feet"] as const;
  const own = Object.fromEntries(ways.map((way) => [way, { type: "boolean" as const }]));
  const parsed = await read("root", args, { ...own, path: { type: "string" } });
  if (!parsed) return;
  const [way, another] = ways.filter((way) => parsed.own[way]);
  if (way === undefined || another !== undefined)
    throw new UsageError("root takes one of --extract, --remove and --from-feet");
  const named = parsed.own.path as string | undefined;
  if (named !== undefined && way !== "extract") throw new UsageError("--path goes with --extract");
  const path = way === "extract" ? (named ?? beside(parsed.output.path)) : undefined;
  if (path !== undefined) checkOutputs([parsed.output.path, path], [parsed.file]);
  await make(parsed, async (clip) => {
    const done = way === "from-feet" ? clip.rootMotionFromFeet() : clip.inPlace();
    const travelled = (way === "from-feet" ? done : clip).rootMotion().path;
    if (path !== undefined) await write(path, csv(travelled, clip.fps));
    const metres = lengthOf(travelled);
    const line = `, path of ${round(metres)} m${path === undefined ? "" : ` in ${path}`}`;
    return { clip: done, report: { ...(path !== undefined && { path }), metres: Number(round(metres)) }, line };
  });
}

/** "walk.bvh" → "walk.root.csv". */
function beside(output: string): string {
  if (output === STANDARD) throw new UsageError("name a file for the root motion: --path FILE.csv");
  const { dir, name } = parse(output);
  return join(dir, `${name}.root.csv`);
}

function csv(path: Float32Array, fps: number): string {
  const lines = ["seconds,x,z"];
  for (let frame = 0; frame * 2 < path.length; frame++) {
    const [x = 0, z = 0] = path.subarray(frame * 2);
    lines.push(`${(frame / fps).toFixed(6)},${x.toFixed(6)},${z.toFixed(6)}`);
  }
  return `${lines.join("\n")}\n`;
}

function lengthOf(path: Float32Array): number {
  let metres = 0;
  for (let i = 2; i < path.length; i += 2)
    metres += Math.hypot((path[i] ?? 0) - (path[i - 2] ?? 0), (path[i + 1] ?? 0) - (path[i - 1] ?? 0));
  return metres;
}

async function loopCommand(args: string[]): Promise<void> {
  const { name: _, inPlace: __, ...options } = loopTask.definition.options;
  const own = {
    ...flags(options),
    "in-place": { type: "boolean" },
    set: NETWORKS.set,
    models: NETWORKS.models,
  } as const;
  const parsed = await read("loop", args, own);
  if (!parsed) return;
  const loopOptions: LoopOptions = flagOptions<LoopOptions>(options as never, parsed.own);
  if (parsed.own["in-place"]) loopOptions.inPlace = true;
  await init({ networks: networks(parsed.own as { set?: string; models?: string }) });
  if (loopOptions.method === undefined || loopOptions.method === "auto") await nameAll(["stitch", "inbetween"]);
  await make(parsed, async (clip) => {
    const result: LoopedClip = await loop(clip, loopOptions);
    const { cycle, apartCm, wasClosed, travel, seam } = result;
    const how = wasClosed
      ? "already a loop"
      : `frames ${cycle.from} to ${cycle.to - 1}, closed over ${round(apartCm)} cm`;
    return { clip: result, report: { cycle, apartCm, wasClosed, travel, ...(seam && { seam }) }, line: `; ${how}` };
  });
}

/** The commands by name; each takes its arguments without the name. */
export const clipTools: Record<(typeof clipToolNames)[number], (args: string[]) => Promise<void>> = {
  slice: tool<{ from: number; to: number }>("slice", { from: seconds, to: seconds }, (clip, { from = 0, to }) =>
    clip.slice(from, to ?? clip.info().seconds),
  ),
  reverse: tool("reverse", {}, (clip) => clip.reverse()),
  mirror: tool("mirror", {}, (clip) => clip.mirror()),
  speed: tool<{ factor: number }>("speed", { factor: positive }, (clip, { factor }) =>
    clip.timeScale(needed(factor, "--factor N")),
  ),
  resample: tool<{ fps: number }>("resample", { fps: positive }, (clip, { fps }) =>
    clip.resample(needed(fps, "--fps N")),
  ),
  root,
  loop: loopCommand,
};

/** The command of a name; `undefined` for other commands. */
export function clipTool(name: string): ((args: string[]) => Promise<void>) | undefined {
  return Object.hasOwn(clipTools, name) ? clipTools[name as keyof typeof clipTools] : undefined;
}
