/**
 * Parses the words of the command line into a command, or throws a {@link UsageError}. Reads the file system only
 * for patterns of file names.
 */
import { extname, join, parse, resolve } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { type RootMotion, rootMotions } from "../bones/root-motion.js";
import { messageOf } from "../core/error.js";
import { type Kind, oneOf, positive, text } from "../core/options.js";
import { devices, type InbetweenOptions, type KeyPlace, type LscoreOptions, type NetworkOptions, type StitchOptions, type Trim } from "../core/types.js";
import { inbetween } from "../tasks/inbetween.js";
import { lscore } from "../tasks/lscore.js";
import { stitch } from "../tasks/stitch.js";
import { expanded } from "./glob.js";
import { isFolder } from "./output.js";

export interface InfoCommand {
  do: "info";
  files: string[];
  json: boolean;
}

export interface NetworksCommand {
  do: "networks";
  networks: NetworkOptions;
  json: boolean;
}

export interface StitchCommand {
  do: "stitch";
  files: string[];
  output: Output;
  networks: NetworkOptions;
  options: StitchOptions;
  json: boolean;
}

/** One end of a gap: a file and a frame of it. */
export interface KeyArgument {
  file: string;
  frame: number;
}

export interface InbetweenCommand {
  do: "inbetween";
  keys: KeyArgument[];
  /** Output; for several results their folder. */
  output: Output;
  networks: NetworkOptions;
  options: InbetweenOptions;
  /** Ground pose of the last key; heading in radians. */
  at?: KeyPlace;
  json: boolean;
}

export interface ConvertCommand {
  do: "convert";
  files: { file: string; output: Output }[];
  fps?: number;
  /** Name of the animation in a GLB or glTF file. */
  animation?: string;
  /** GLB file of a character that gets the motion. */
  character?: string;
  rootMotion?: RootMotion;
  json: boolean;
}

export interface LscoreCommand {
  do: "lscore";
  files: [string, string];
  options: LscoreOptions;
  /** CSV file for the complete map. */
  map?: string;
  json: boolean;
}

export interface PhasesCommand {
  do: "phases";
  file: string;
  joints: string[];
  /** Object that the joints touch: the first root of a file. */
  object?: { file: string; radius: number };
  /** File for the picture. */
  svg?: string;
  json: boolean;
}

export interface JudgeCommand {
  do: "judge";
  file: string;
  networks: NetworkOptions;
  json: boolean;
}

export type Command =
  | InfoCommand
  | NetworksCommand
  | StitchCommand
  | InbetweenCommand
  | ConvertCommand
  | LscoreCommand
  | PhasesCommand
  | JudgeCommand
  | { do: "help"; about: string | undefined }
  | { do: "version" };

/** Names of the output formats. */
const formats = ["bvh", "glb", "vrma"] as const;

/** Destination of a result: a file, whose extension selects the format, or `-` for standard output. */
export interface Output {
  path: string;
  format: (typeof formats)[number];
}

/** Wrong usage of the command line: exit code 2. */
export class UsageError extends Error {}

const HELP = { help: { type: "boolean", short: "h" } } as const;
const JSON_FLAG = { json: { type: "boolean" } } as const;
const OUTPUT = { output: { type: "string", short: "o" }, format: { type: "string" } } as const;
const NETWORKS = { device: { type: "string" }, set: { type: "string" }, models: { type: "string" } } as const;

export function parseCommand(args: readonly string[]): Command {
  const [name, ...rest] = args;
  switch (name) {
    case undefined:
      throw new UsageError("say what to do: info, stitch, inbetween, convert, lscore, phases or judge");
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
      throw new UsageError(`there is no command "${name}"; there are info, stitch, inbetween, convert, lscore, phases and judge`);
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
  const options = said<{ fps?: number; animation?: string; character?: string; rootMotion?: RootMotion }>(own as never, values);
  if (options.character !== undefined && files.some(({ output }) => output.format !== "glb")) throw new UsageError("a character is written as GLB: -o OUT.glb");
  return { do: "convert", files, json: values.json ?? false, ...options };
}

function parseStitch(args: string[]): Command {
  // The name of the output is that of its file.
  const { name: _, ...options } = stitch.definition.options;
  const { values, positionals } = split(args, { ...HELP, ...JSON_FLAG, ...OUTPUT, ...NETWORKS, ...flags(options), trim: { type: "string", multiple: true } });
  if (values.help) return { do: "help", about: "stitch" };
  const files = expanded(positionals);
  if (files.length < 2) throw new UsageError(`stitch takes at least two files, not ${files.length}`);
  return {
    do: "stitch",
    files,
    output: output(values),
    networks: networks(values),
    json: values.json ?? false,
    options: { ...said(options, values), trim: trims(values.trim ?? [], files.length) },
  };
}

function parseInbetween(args: string[]): Command {
  const { name: _, like: __, paced: ___, ...options } = inbetween.definition.options;
  // A key of standard input, -@20, is not an option.
  const { values, positionals } = split(args.map((word) => word.replace(/^-@/, " -@")), { ...HELP, ...JSON_FLAG, ...OUTPUT, set: NETWORKS.set, models: NETWORKS.models, ...flags(options), at: { type: "string" } });
  if (values.help) return { do: "help", about: "inbetween" };
  if (positionals.length < 2) throw new UsageError(`inbetween takes at least two keys, FILE@FRAME, not ${positionals.length}`);
  const given = said<InbetweenOptions>(options as never, values);
  const ownTime = [given.candidates, given.speed, given.path].some((option) => option !== undefined);
  if (given.frames === undefined && !ownTime) throw new UsageError("say how many frames lie between two keys: --frames N");
  return {
    do: "inbetween",
    keys: positionals.map((word) => keyArgument(word.replace(/^ -@/, "-@"))),
    output: given.candidates === undefined ? output(values) : folderOutput(values),
    networks: networks(values),
    options: given,
    json: values.json ?? false,
    ...(values.at !== undefined && { at: place(values.at) }),
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
  return { do: "lscore", files: [a, b], json: values.json ?? false, options: said(options, values), ...(map !== undefined && { map }) };
}

function parsePhases(args: string[]): Command {
  const own = { joint: { type: "string", multiple: true }, object: { type: "string" }, radius: { type: "string" }, svg: { type: "string" } } as const;
  const { values, positionals } = split(args, { ...HELP, ...JSON_FLAG, ...own });
  if (values.help) return { do: "help", about: "phases" };
  const file = oneFile("phases", positionals);
  const { joint = [], object, svg } = values;
  const { radius } = said<{ radius?: number }>({ radius: positive }, values);
  if ((object === undefined) !== (radius === undefined)) throw new UsageError("--object FILE and --radius METRES go together");
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

/** `maxCut` → `max-cut`. */
const flagOf = (option: string): string => option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A flag for each option that can be given as a word. */
function flags(options: object): Record<string, { type: "string" }> {
  const known = Object.entries(options as Record<string, Kind>).filter(([, { parse }]) => parse);
  return Object.fromEntries(known.map(([name]) => [flagOf(name), { type: "string" }]));
}

/** Options of the function from the flags. */
function said<Options extends object>(options: { readonly [Name in keyof Options]: Kind<Options[Name]> }, values: object): Partial<Options> {
  const found: Partial<Options> = {};
  for (const name of Object.keys(options) as (keyof Options & string)[]) {
    const { parse, is, words } = options[name];
    const word = (values as Record<string, unknown>)[flagOf(name)];
    if (!parse || typeof word !== "string") continue;
    const value = parse(word);
    if (!is(value)) throw new UsageError(`--${flagOf(name)} must be ${words}, not "${word}"`);
    found[name] = value;
  }
  return found;
}

/** `parseArgs` of Node, with its errors as ours. */
function split<Options extends NonNullable<ParseArgsConfig["options"]>>(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    // Node's messages continue with advice after the first sentence.
    throw new UsageError(messageOf(error).replace(/\.\s.*$/s, "").replace(/^./, (letter) => letter.toLowerCase()));
  }
}

function oneFile(command: string, positionals: string[]): string {
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) {
    throw new UsageError(`${command} takes one file, not ${positionals.length}`);
  }
  return file;
}

/** Flags about the output. */
interface OutputWords {
  output?: string | undefined;
  format?: string | undefined;
}

export function output({ output: path, ...words }: OutputWords): Output {
  const { format } = said({ format: oneOf(formats) }, words);
  if (path === undefined) throw new UsageError("say where the result goes: -o OUT.bvh, -o OUT.glb, or - for standard output");
  if (path === "-") return { path, format: format ?? "bvh" };
  const ending = extname(path).slice(1).toLowerCase();
  const known = format ?? formats.find((format) => format === ending);
  if (!known) throw new UsageError(`the output must end in .bvh, .glb or .vrma, not "${path}"`);
  return { path, format: known };
}

/** An output folder. */
function folderOutput({ output: path, format }: OutputWords): Output {
  if (path === undefined || path === "-") throw new UsageError("say which folder the results go to: -o FOLDER");
  return { path, format: said({ format: oneOf(formats) }, { format }).format ?? "bvh" };
}

/** An output for each file: a file for one, a file in a folder for several. */
function outputs(files: string[], { output: path, format }: OutputWords): { file: string; output: Output }[] {
  const [first] = files;
  if (first === undefined) throw new UsageError("convert takes one file or more");
  const intoFolder = path !== undefined && (/[\\/]$/.test(path) || isFolder(path));
  if (!intoFolder && files.length === 1) return [{ file: first, output: output({ output: path, format }) }];
  if (!intoFolder) throw new UsageError(`${files.length} files need a folder: -o FOLDER/`);
  const ending = said({ format: oneOf(formats) }, { format }).format;
  if (!ending) throw new UsageError("say what to write into the folder: --format bvh, glb or vrma");
  const names = files.map((file) => (file === "-" ? "stdin" : parse(file).name));
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new UsageError(`two of the files are called "${twice}": one result would overwrite the other`);
  return files.map((file, index) => ({ file, output: { path: join(path, `${names[index]}.${ending}`), format: ending } }));
}

function networks(values: { device?: string | undefined; set?: string | undefined; models?: string | undefined }): NetworkOptions {
  const { models } = values;
  return { ...said({ device: oneOf(devices), set: text }, values), ...(models !== undefined && { models: resolve(models) }) };
}

/** FILE@FRAME; the last @ counts, so a path may contain others. */
function keyArgument(text: string): KeyArgument {
  const [, file, frame] = /^(.+)@(\d{1,9})$/s.exec(text) ?? [];
  if (file === undefined) throw new UsageError(`a key is FILE@FRAME, frames from 0, not "${text}"`);
  return { file, frame: Number(frame) };
}

/** X,Z,DEGREES. */
function place(text: string): KeyPlace {
  const numbers = text.split(",").map((number) => (number.trim() === "" ? NaN : Number(number)));
  const [x = NaN, z = NaN, degrees = NaN] = numbers;
  if (numbers.length !== 3 || ![x, z, degrees].every(Number.isFinite)) {
    throw new UsageError(`--at is X,Z,DEGREES, three numbers, not "${text}"`);
  }
  return { x, z, heading: (degrees * Math.PI) / 180 };
}

/** `i:from:to` of each clip; clips and frames count from 0; `to` is exclusive. */
function trims(texts: string[], clips: number): (Trim | undefined)[] {
  const trim: (Trim | undefined)[] = Array.from({ length: clips });
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
