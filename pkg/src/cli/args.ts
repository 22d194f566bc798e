/** Words of the command line → a command, or a {@link UsageError}. Touches no file. */
import { extname, resolve } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { messageOf } from "../core/error.js";
import { type Kind, oneOf, positive, text } from "../core/options.js";
import { devices, type InbetweenOptions, type KeyPlace, type LscoreOptions, type NetworkOptions, type StitchOptions, type Trim } from "../core/types.js";
import { inbetween } from "../tasks/inbetween.js";
import { lscore } from "../tasks/lscore.js";
import { stitch } from "../tasks/stitch.js";

export interface InfoCommand {
  do: "info";
  file: string;
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
  output: Output;
  networks: NetworkOptions;
  options: InbetweenOptions;
  /** Where the last key stands; heading in radians. */
  at?: KeyPlace;
  json: boolean;
}

export interface ConvertCommand {
  do: "convert";
  file: string;
  output: Output;
  fps?: number;
}

export interface LscoreCommand {
  do: "lscore";
  files: [string, string];
  options: LscoreOptions;
  /** CSV file for the whole map. */
  map?: string;
  json: boolean;
}

export interface PhasesCommand {
  do: "phases";
  file: string;
  joints: string[];
  /** What the joints touch: the first root of a file. */
  object?: { file: string; radius: number };
  /** File for the picture. */
  svg?: string;
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
  | { do: "help"; about: string | undefined }
  | { do: "version" };

/** Where a result goes; its ending decides the format. */
export interface Output {
  path: string;
  format: "bvh" | "glb";
}

/** The command line was called wrongly: exit code 2. */
export class UsageError extends Error {}

const HELP = { help: { type: "boolean", short: "h" } } as const;
const JSON_FLAG = { json: { type: "boolean" } } as const;
const OUTPUT = { output: { type: "string", short: "o" } } as const;
const NETWORKS = { device: { type: "string" }, set: { type: "string" }, models: { type: "string" } } as const;

export function parseCommand(args: readonly string[]): Command {
  const [name, ...rest] = args;
  switch (name) {
    case undefined:
      throw new UsageError("say what to do: info, stitch, inbetween, convert, lscore or phases");
    case "--version":
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
    default:
      throw new UsageError(`there is no command "${name}"; there are info, stitch, inbetween, convert, lscore and phases`);
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
  return { do: "info", file: oneFile("info", positionals), json };
}

function parseConvert(args: string[]): Command {
  const { values, positionals } = split(args, { ...HELP, ...OUTPUT, fps: { type: "string" } });
  if (values.help) return { do: "help", about: "convert" };
  const file = oneFile("convert", positionals);
  return { do: "convert", file, output: output(values.output), ...said({ fps: positive }, values) };
}

function parseStitch(args: string[]): Command {
  // The output's name is its file's.
  const { name: _, ...options } = stitch.definition.options;
  const { values, positionals: files } = split(args, { ...HELP, ...JSON_FLAG, ...OUTPUT, ...NETWORKS, ...flags(options), trim: { type: "string", multiple: true } });
  if (values.help) return { do: "help", about: "stitch" };
  if (files.length < 2) throw new UsageError(`stitch takes at least two files, not ${files.length}`);
  return {
    do: "stitch",
    files,
    output: output(values.output),
    networks: networks(values),
    json: values.json ?? false,
    options: { ...said(options, values), trim: trims(values.trim ?? [], files.length) },
  };
}

function parseInbetween(args: string[]): Command {
  const { name: _, ...options } = inbetween.definition.options;
  const { values, positionals } = split(args, { ...HELP, ...JSON_FLAG, ...OUTPUT, set: NETWORKS.set, models: NETWORKS.models, ...flags(options), at: { type: "string" } });
  if (values.help) return { do: "help", about: "inbetween" };
  if (positionals.length < 2) throw new UsageError(`inbetween takes at least two keys, FILE@FRAME, not ${positionals.length}`);
  const given = said<InbetweenOptions>(options, values);
  if (given.frames === undefined) throw new UsageError("say how many frames lie between two keys: --frames N");
  return {
    do: "inbetween",
    keys: positionals.map(keyArgument),
    output: output(values.output),
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
  const [a, b] = positionals;
  if (a === undefined || b === undefined || positionals.length > 2) {
    throw new UsageError(`lscore takes two files, not ${positionals.length}`);
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

/** `maxCut` → `max-cut`. */
const flagOf = (option: string): string => option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A flag for each option that a word can say. */
function flags(options: object): Record<string, { type: "string" }> {
  const known = Object.entries(options as Record<string, Kind>).filter(([, { parse }]) => parse);
  return Object.fromEntries(known.map(([name]) => [flagOf(name), { type: "string" }]));
}

/** What the flags say, as options of the function. */
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
    // Node's messages go on with advice after the first sentence.
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

function output(path: string | undefined): Output {
  if (path === undefined) throw new UsageError("say where the result goes: -o OUT.bvh or -o OUT.glb");
  const format = extname(path).slice(1).toLowerCase();
  if (format !== "bvh" && format !== "glb") throw new UsageError(`the output must end in .bvh or .glb, not "${path}"`);
  return { path, format };
}

function networks(values: { device?: string | undefined; set?: string | undefined; models?: string | undefined }): NetworkOptions {
  const { models } = values;
  return { ...said({ device: oneOf(devices), set: text }, values), ...(models !== undefined && { models: resolve(models) }) };
}

/** FILE@FRAME; the last @ counts, so a path may hold others. */
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
