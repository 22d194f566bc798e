/**
 * Parses command-line arguments into a command, or throws a {@link UsageError}. Reads the file system only to expand
 * patterns of file names.
 */
import { rootMotions } from "../bones/root-motion.js";
import { grounds } from "../core/ground-types.js";
import { oneOf, positive, text } from "../core/options.js";
import type { FrameRange } from "../core/types.js";
import { lscore } from "../tasks/lscore.js";
import { stitch } from "../tasks/stitch.js";
import { commandNames, joinNames, unknownCommand } from "./command-names.js";
import type { Command, ConvertCommand } from "./commands.js";
import {
  ANIMATION,
  animationOption,
  BVH,
  bvhOptions,
  defineFlags,
  HELP,
  JSON_FLAG,
  NETWORKS,
  networkOptions,
  OUTPUT,
  requireOnePath,
  flagOptions,
  parseFlags,
  UsageError,
} from "./flags.js";
import { expandPatterns } from "./glob.js";
import { parseInbetween } from "./inbetween-args.js";
import { parseOutput, parseOutputs } from "./output-args.js";

/**
 * Parses a command line without the name of the program.
 *
 * @throws {UsageError} for an unknown command, and for flags that the command does not have.
 */
export function parseCommand(argv: readonly string[]): Command {
  const [name, ...args] = argv;
  switch (name) {
    case undefined:
      throw new UsageError(`a command is needed: ${joinNames(commandNames)}`);
    case "--version":
    case "-v":
    case "-V":
      return { do: "version" };
    case "help":
    case "--help":
    case "-h":
      return { do: "help", topic: args[0] };
    case "info":
      return parseInfo(args);
    case "stitch":
      return parseStitch(args);
    case "inbetween":
      return parseInbetween(args);
    case "convert":
      return parseConvert(args);
    case "lscore":
      return parseLscore(args);
    case "phases":
      return parsePhases(args);
    case "judge":
      return parseJudge(args);
    default:
      throw new UsageError(unknownCommand(name));
  }
}

function parseInfo(args: string[]): Command {
  const { values, positionals } = parseFlags(args, {
    ...HELP,
    ...JSON_FLAG,
    ...NETWORKS,
    ...BVH,
    networks: { type: "boolean" },
    ...ANIMATION,
  });
  if (values.help) return { do: "help", topic: "info" };
  const json = values.json ?? false;
  if (values.networks) {
    if (positionals.length > 0) throw new UsageError(`info --networks takes no file, but got "${positionals[0]}"`);
    return { do: "networks", networks: networkOptions(values), json };
  }
  if (positionals.length === 0) throw new UsageError("info takes one file or more");
  return { do: "info", files: expandPatterns(positionals), ...animationOption(values), bvh: bvhOptions(values), json };
}

/** Parses the arguments of `convert`. `folder`: folder of relative paths, by default the working directory. */
export function parseConvert(args: string[], folder = ""): Command {
  const schema = {
    fps: positive,
    animation: text,
    character: text,
    rootMotion: oneOf(rootMotions),
    ground: oneOf(grounds),
  };
  const { values, positionals } = parseFlags(args, {
    ...HELP,
    ...JSON_FLAG,
    ...OUTPUT,
    ...BVH,
    ...defineFlags(schema),
  });
  if (values.help) return { do: "help", topic: "convert" };
  const outputs = parseOutputs(expandPatterns(positionals, folder), values, folder);
  const options = flagOptions<Pick<ConvertCommand, "fps" | "animation" | "character" | "rootMotion" | "ground">>(
    schema as never,
    values,
  );
  if (options.character !== undefined && outputs.files.some(({ output }) => !["glb", "fbx"].includes(output.format)))
    throw new UsageError("a character is written as GLB or FBX: -o OUT.glb, -o OUT.fbx");
  return { do: "convert", ...outputs, json: values.json ?? false, bvh: bvhOptions(values), ...options };
}

function parseStitch(args: string[]): Command {
  // The result is named after its output file.
  const { name: _, ...options } = stitch.definition.options;
  const { values, positionals } = parseFlags(args, {
    ...HELP,
    ...JSON_FLAG,
    ...OUTPUT,
    ...NETWORKS,
    ...ANIMATION,
    ...defineFlags(options),
    trim: { type: "string", multiple: true },
  });
  if (values.help) return { do: "help", topic: "stitch" };
  const files = expandPatterns(positionals);
  if (files.length < 2) throw new UsageError(`stitch takes at least two files, not ${files.length}`);
  return {
    do: "stitch",
    files,
    output: parseOutput(values),
    networks: networkOptions(values),
    json: values.json ?? false,
    options: { ...flagOptions(options, values), trim: parseTrims(values.trim ?? [], files.length) },
    ...animationOption(values),
  };
}

function parseLscore(args: string[]): Command {
  const { options } = lscore.definition;
  const { values, positionals } = parseFlags(args, {
    ...HELP,
    ...JSON_FLAG,
    ...ANIMATION,
    ...defineFlags(options),
    map: { type: "string" },
  });
  if (values.help) return { do: "help", topic: "lscore" };
  const files = expandPatterns(positionals);
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
    ...animationOption(values),
  };
}

function parsePhases(args: string[]): Command {
  const schema = {
    joint: { type: "string", multiple: true },
    object: { type: "string" },
    radius: { type: "string" },
    svg: { type: "string" },
  } as const;
  const { values, positionals } = parseFlags(args, { ...HELP, ...JSON_FLAG, ...ANIMATION, ...schema });
  if (values.help) return { do: "help", topic: "phases" };
  const file = requireOnePath("phases", positionals);
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
    ...animationOption(values),
  };
}

function parseJudge(args: string[]): Command {
  const { values, positionals } = parseFlags(args, {
    ...HELP,
    ...JSON_FLAG,
    ...ANIMATION,
    set: NETWORKS.set,
    models: NETWORKS.models,
  });
  if (values.help) return { do: "help", topic: "judge" };
  const [file, ...clips] = expandPatterns(positionals);
  if (file === undefined) throw new UsageError("judge takes a file, and the files that were joined to it");
  if (clips.length === 1) throw new UsageError("a seam lies between two files: judge FILE A B");
  return {
    do: "judge",
    file,
    clips,
    networks: networkOptions(values),
    json: values.json ?? false,
    ...animationOption(values),
  };
}

/** Parses `CLIP:FROM:TO` arguments; clips and frames count from 0, and `TO` is excluded. Returns a range per clip. */
function parseTrims(texts: string[], clipCount: number): (FrameRange | undefined)[] {
  const ranges: (FrameRange | undefined)[] = Array.from({ length: clipCount });
  for (const text of texts) {
    const [, clip, from, to] = /^(\d{1,9}):(\d{1,9}):(\d{1,9})$/.exec(text) ?? [];
    if (clip === undefined) {
      throw new UsageError(`--trim is CLIP:FROM:TO, three whole numbers from 0, not "${text}"`);
    }
    const index = Number(clip);
    if (index >= clipCount) throw new UsageError(`--trim ${text}: clips are numbered from 0 to ${clipCount - 1}`);
    if (ranges[index]) throw new UsageError(`--trim ${text}: clip ${index} is trimmed already`);
    const range = { from: Number(from), to: Number(to) };
    if (range.from >= range.to) throw new UsageError(`--trim ${text}: FROM must be below TO`);
    ranges[index] = range;
  }
  return ranges;
}
