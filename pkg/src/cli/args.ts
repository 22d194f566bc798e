/**
 * Parses the words of the command line into a command, or throws a {@link UsageError}. Reads the file system only
 * for patterns of file names.
 */
import { type RootMotion, rootMotions } from "../bones/root-motion.js";
import { oneOf, positive, text } from "../core/options.js";
import type { FrameRange } from "../core/types.js";
import { lscore } from "../tasks/lscore.js";
import { stitch } from "../tasks/stitch.js";
import { commandNames, listed, unknownCommand } from "./command-names.js";
import type { Command } from "./commands.js";
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
import { expanded } from "./glob.js";
import { parseInbetween } from "./inbetween-args.js";
import { output, outputs } from "./outputs.js";

/**
 * Parses a command line, without the program's name.
 *
 * @throws {UsageError} for an unknown command, and for flags that the command does not have.
 */
export function parseCommand(args: readonly string[]): Command {
  const [name, ...rest] = args;
  switch (name) {
    case undefined:
      throw new UsageError(`a command is needed: ${listed(commandNames)}`);
    case "--version":
    case "-v":
    case "-V":
      return { do: "version" };
    case "help":
    case "--help":
    case "-h":
      return { do: "help", about: rest[0] };
    case "info":
      return parseInfo(rest);
    case "stitch":
      return parseStitch(rest);
    case "inbetween":
      return parseInbetween(rest);
    case "convert":
      return parseConvert(rest);
    case "lscore":
      return parseLscore(rest);
    case "phases":
      return parsePhases(rest);
    case "judge":
      return parseJudge(rest);
    default:
      throw new UsageError(unknownCommand(name));
  }
}

function parseInfo(args: string[]): Command {
  const { values, positionals } = split(args, { ...HELP, ...JSON_FLAG, ...NETWORKS, networks: { type: "boolean" } });
  if (values.help) return { do: "help", about: "info" };
  const json = values.json ?? false;
  if (values.networks) {
    if (positionals.length > 0) throw new UsageError(`info --networks takes no file, not "${positionals[0]}"`);
    return { do: "networks", networks: networks(values), json };
  }
  if (positionals.length === 0) throw new UsageError("info takes one file or more");
  return { do: "info", files: expanded(positionals), json };
}

function parseConvert(args: string[]): Command {
  const own = { fps: positive, animation: text, character: text, rootMotion: oneOf(rootMotions) };
  const { values, positionals } = split(args, { ...HELP, ...JSON_FLAG, ...OUTPUT, ...flags(own) });
  if (values.help) return { do: "help", about: "convert" };
  const files = outputs(expanded(positionals), values);
  const options = flagOptions<{ fps?: number; animation?: string; character?: string; rootMotion?: RootMotion }>(
    own as never,
    values,
  );
  if (options.character !== undefined && files.some(({ output }) => output.format !== "glb"))
    throw new UsageError("a character is written as GLB: -o OUT.glb");
  return { do: "convert", files, json: values.json ?? false, ...options };
}

function parseStitch(args: string[]): Command {
  // The output's name is its file's.
  const { name: _, ...options } = stitch.definition.options;
  const { values, positionals } = split(args, {
    ...HELP,
    ...JSON_FLAG,
    ...OUTPUT,
    ...NETWORKS,
    ...flags(options),
    trim: { type: "string", multiple: true },
  });
  if (values.help) return { do: "help", about: "stitch" };
  const files = expanded(positionals);
  if (files.length < 2) throw new UsageError(`stitch takes at least two files, not ${files.length}`);
  return {
    do: "stitch",
    files,
    output: output(values),
    networks: networks(values),
    json: values.json ?? false,
    options: { ...flagOptions(options, values), trim: trims(values.trim ?? [], files.length) },
  };
}

function parseLscore(args: string[]): Command {
  const { options } = lscore.definition;
  const { values, positionals } = split(args, { ...HELP, ...JSON_FLAG, ...flags(options), map: { type: "string" } });
  if (values.help) return { do: "help", about: "lscore" };
  const files = expanded(positionals);
  const [a, b] = files;
  if (a === undefined || b === undefined || files.length > 2) {
    throw new UsageError(`lscore takes two files, not ${files.length}`);
  }
  const { map } = values;
  return {
    do: "lscore",
    files: [a, b],
    json: values.json ?? false,
    options: flagOptions(options, values),
    ...(map !== undefined && { map }),
  };
}

function parsePhases(args: string[]): Command {
  const own = {
    joint: { type: "string", multiple: true },
    object: { type: "string" },
    radius: { type: "string" },
    svg: { type: "string" },
  } as const;
  const { values, positionals } = split(args, { ...HELP, ...JSON_FLAG, ...own });
  if (values.help) return { do: "help", about: "phases" };
  const file = oneFile("phases", positionals);
  const { joint = [], object, svg } = values;
  const { radius } = flagOptions<{ radius?: number }>({ radius: positive }, values);
  if ((object === undefined) !== (radius === undefined))
    throw new UsageError("--object FILE and --radius METRES go together");
  return {
    do: "phases",
    file,
    joints: joint,
    json: values.json ?? false,
    ...(object !== undefined && radius !== undefined && { object: { file: object, radius } }),
    ...(svg !== undefined && { svg }),
  };
}

function parseJudge(args: string[]): Command {
  const { values, positionals } = split(args, { ...HELP, ...JSON_FLAG, set: NETWORKS.set, models: NETWORKS.models });
  if (values.help) return { do: "help", about: "judge" };
  return { do: "judge", file: oneFile("judge", positionals), networks: networks(values), json: values.json ?? false };
}

/** `i:from:to` of each clip; clips and frames count from 0; `to` is exclusive. */
function trims(texts: string[], clips: number): (FrameRange | undefined)[] {
  const trim: (FrameRange | undefined)[] = Array.from({ length: clips });
  for (const text of texts) {
    const [, clip, from, to] = /^(\d{1,9}):(\d{1,9}):(\d{1,9})$/.exec(text) ?? [];
    if (clip === undefined) {
      throw new UsageError(`--trim is CLIP:FROM:TO, three whole numbers from 0, not "${text}"`);
    }
    const index = Number(clip);
    if (index >= clips) throw new UsageError(`--trim ${text}: clips are numbered from 0 to ${clips - 1}`);
    if (trim[index]) throw new UsageError(`--trim ${text}: clip ${index} is trimmed already`);
    trim[index] = { from: Number(from), to: Number(to) };
    if (trim[index].from >= trim[index].to) throw new UsageError(`--trim ${text}: FROM must be below TO`);
  }
  return trim;
}
