/** Words of the command line → a command, or a {@link UsageError}. Touches no file. */
import { extname, resolve } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { messageOf } from "../error.js";
import { type Device, devices, type InbetweenMethod, inbetweenMethods, type KeyPlace, type Method, methods, type NetworkOptions, type Trim } from "../types.js";

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
  method?: Method;
  blend?: number;
  footLock?: boolean;
  seam?: "keep" | "best";
  maxCut?: number;
  maxInject?: number;
  fps?: number;
  trim: (Trim | undefined)[];
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
  frames: number;
  method?: InbetweenMethod;
  /** Where the last key stands; heading in radians. */
  at?: KeyPlace;
  footLock?: boolean;
  fps?: number;
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
  takeoff?: number;
  landing?: number;
  window?: number;
  maxInject?: number;
  /** CSV file for the whole map. */
  map?: string;
  json: boolean;
}

export type Command =
  | InfoCommand
  | NetworksCommand
  | StitchCommand
  | InbetweenCommand
  | ConvertCommand
  | LscoreCommand
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
const OUTPUT = { output: { type: "string", short: "o" }, fps: { type: "string" } } as const;
const NETWORKS = { device: { type: "string" }, set: { type: "string" }, models: { type: "string" } } as const;
const STITCH = {
  ...NETWORKS,
  method: { type: "string" },
  blend: { type: "string" },
  trim: { type: "string", multiple: true },
  "foot-lock": { type: "string" },
  seam: { type: "string" },
  "max-cut": { type: "string" },
  "max-inject": { type: "string" },
} as const;

const INBETWEEN = {
  frames: { type: "string" },
  method: { type: "string" },
  at: { type: "string" },
  "foot-lock": { type: "string" },
} as const;

const LSCORE = {
  takeoff: { type: "string" },
  landing: { type: "string" },
  window: { type: "string" },
  "max-inject": { type: "string" },
  map: { type: "string" },
} as const;

export function parseCommand(args: readonly string[]): Command {
  const [name, ...rest] = args;
  switch (name) {
    case undefined:
      throw new UsageError("say what to do: info, stitch, inbetween, convert or lscore");
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
    default:
      throw new UsageError(`there is no command "${name}"; there are info, stitch, inbetween, convert and lscore`);
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
  const { values, positionals } = split(args, { ...HELP, ...OUTPUT });
  if (values.help) return { do: "help", about: "convert" };
  const file = oneFile("convert", positionals);
  return { do: "convert", file, output: output(values.output), ...optional("fps", values.fps, positive) };
}

function parseStitch(args: string[]): Command {
  const { values, positionals: files } = split(args, { ...HELP, ...JSON_FLAG, ...OUTPUT, ...STITCH });
  if (values.help) return { do: "help", about: "stitch" };
  if (files.length < 2) throw new UsageError(`stitch takes at least two files, not ${files.length}`);
  return {
    do: "stitch",
    files,
    output: output(values.output),
    networks: networks(values),
    trim: trims(values.trim ?? [], files.length),
    json: values.json ?? false,
    ...optional("method", values.method, method),
    ...optional("blend", values.blend, (text) => count(text)),
    ...optional("footLock", values["foot-lock"], onOff),
    ...optional("seam", values.seam, seam),
    ...optional("maxCut", values["max-cut"], part),
    ...optional("maxInject", values["max-inject"], (text) => count(text, "--max-inject")),
    ...optional("fps", values.fps, positive),
  };
}

function parseInbetween(args: string[]): Command {
  const { values, positionals } = split(args, { ...HELP, ...JSON_FLAG, ...OUTPUT, ...INBETWEEN });
  if (values.help) return { do: "help", about: "inbetween" };
  if (positionals.length < 2) throw new UsageError(`inbetween takes at least two keys, FILE@FRAME, not ${positionals.length}`);
  if (values.frames === undefined) throw new UsageError("say how many frames lie between two keys: --frames N");
  return {
    do: "inbetween",
    keys: positionals.map(keyArgument),
    output: output(values.output),
    frames: count(values.frames, "--frames"),
    json: values.json ?? false,
    ...optional("method", values.method, inbetweenMethod),
    ...optional("at", values.at, place),
    ...optional("footLock", values["foot-lock"], onOff),
    ...optional("fps", values.fps, positive),
  };
}

function parseLscore(args: string[]): Command {
  const { values, positionals } = split(args, { ...HELP, ...JSON_FLAG, ...LSCORE });
  if (values.help) return { do: "help", about: "lscore" };
  const [a, b] = positionals;
  if (a === undefined || b === undefined || positionals.length > 2) {
    throw new UsageError(`lscore takes two files, not ${positionals.length}`);
  }
  return {
    do: "lscore",
    files: [a, b],
    json: values.json ?? false,
    ...optional("takeoff", values.takeoff, (text) => count(text, "--takeoff")),
    ...optional("landing", values.landing, (text) => count(text, "--landing")),
    ...optional("window", values.window, (text) => count(text, "--window")),
    ...optional("maxInject", values["max-inject"], (text) => count(text, "--max-inject")),
    ...optional("map", values.map, (text) => text),
  };
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

/** `{ key: parse(text) }`, or nothing where the option was not given. */
function optional<Key extends string, Value>(key: Key, text: string | undefined, parse: (text: string) => Value) {
  return (text === undefined ? {} : { [key]: parse(text) }) as { [key in Key]?: Value };
}

function networks(values: { device?: string | undefined; set?: string | undefined; models?: string | undefined }): NetworkOptions {
  return {
    ...optional("device", values.device, device),
    ...optional("set", values.set, (text) => text),
    ...optional("models", values.models, (text) => resolve(text)),
  };
}

function device(text: string): Device {
  const found = devices.find((name) => name === text);
  if (!found) throw new UsageError(`--device is one of ${devices.join(", ")}, not "${text}"`);
  return found;
}

function method(text: string): Method {
  const found = methods.find((name) => name === text);
  if (!found) throw new UsageError(`--method is one of ${methods.join(", ")}, not "${text}"`);
  return found;
}

function inbetweenMethod(text: string): InbetweenMethod {
  const found = inbetweenMethods.find((name) => name === text);
  if (!found) throw new UsageError(`--method is one of ${inbetweenMethods.join(", ")}, not "${text}"`);
  return found;
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

function count(text: string, option = "--blend"): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${option} is a whole number of frames, not "${text}"`);
  return Number(text);
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new UsageError(`--fps is a number above 0, not "${text}"`);
  return value;
}

function seam(text: string): "keep" | "best" {
  if (text !== "keep" && text !== "best") throw new UsageError(`--seam is keep or best, not "${text}"`);
  return text;
}

function part(text: string): number {
  const value = Number(text);
  if (text === "" || !(value >= 0 && value <= 1)) throw new UsageError(`--max-cut is a part from 0 to 1, not "${text}"`);
  return value;
}

function onOff(text: string): boolean {
  if (text !== "on" && text !== "off") throw new UsageError(`--foot-lock is on or off, not "${text}"`);
  return text === "on";
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
