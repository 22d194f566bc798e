/** Flags of the command line, and the options of the package that they set. */
import { resolve } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { messageOf } from "../core/error.js";
import { flag, frameCounts, frames, type Kind, lengthUnit, oneOf, text } from "../core/options.js";
import { type BvhOptions, devices, type NetworkOptions } from "../core/types.js";

/** An error in the arguments, with exit code 2. */
export class UsageError extends Error {}

/** The flag `--help`, in the form of `parseArgs` of Node. */
export const HELP = { help: { type: "boolean", short: "h" } } as const;
/** The flag `--json`. */
export const JSON_FLAG = { json: { type: "boolean" } } as const;
/** Flags of commands that write a motion. */
export const OUTPUT = { output: { type: "string", short: "o" }, format: { type: "string" } } as const;
/** Flag of commands that read an animation of a GLB or glTF file. */
export const ANIMATION = { animation: { type: "string" } } as const;
/** Flags of commands that correct how a BVH file is read. */
export const BVH = {
  unit: { type: "string" },
  up: { type: "string" },
  "root-offset": { type: "string" },
  root: { type: "string" },
  strict: { type: "boolean" },
} as const;
/** Flags of commands that may load networks. */
export const NETWORKS = { device: { type: "string" }, set: { type: "string" }, models: { type: "string" } } as const;

/** Returns the flag of an option: `max-cut` for `maxCut`. */
export const flagName = (option: string): string => option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Defines a flag for each option whose value can be parsed from one argument. */
export function defineFlags(options: object): Record<string, { type: "string" }> {
  const parseable = Object.entries(options as Record<string, Kind>).filter(([, { parse }]) => parse);
  return Object.fromEntries(parseable.map(([name]) => [flagName(name), { type: "string" }]));
}

/** Descriptions of values that the command line writes in another form than the package. */
const DESCRIPTIONS = new Map<unknown, string>([
  [flag, "on or off"],
  [frameCounts, frames.description],
]);

/** Parses the values of a function's options from the flags. Throws a {@link UsageError} for an invalid value. */
export function flagOptions<Options extends object>(
  options: { readonly [Name in keyof Options]: Kind<Options[Name]> },
  values: object,
): Partial<Options> {
  const result: Partial<Options> = {};
  for (const name of Object.keys(options) as (keyof Options & string)[]) {
    const { parse, is, description } = options[name];
    const argument = (values as Record<string, unknown>)[flagName(name)];
    if (!parse || typeof argument !== "string") continue;
    const value = parse(argument);
    if (!is(value)) {
      const expected = DESCRIPTIONS.get(options[name]) ?? description;
      throw new UsageError(`--${flagName(name)} must be ${expected}, not "${argument}"`);
    }
    result[name] = value;
  }
  return result;
}

/** Joins a flag and its negative value, such as `--at -1,2,90`, because `parseArgs` takes the value for a flag. */
function joinNegativeValues(args: readonly string[], options: NonNullable<ParseArgsConfig["options"]>): string[] {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const words: string[] = [];
  for (const [index, word] of args.entries()) {
    const previous = words.at(-1) ?? "";
    const takesValue = previous.startsWith("--") && options[previous.slice(2)]?.type === "string";
    if (takesValue && index < end && /^-\.?\d/.test(word)) words[words.length - 1] = `${previous}=${word}`;
    else words.push(word);
  }
  return words;
}

/** Calls `parseArgs` of Node and converts its errors to {@link UsageError}. */
export function parseFlags<Options extends NonNullable<ParseArgsConfig["options"]>>(
  args: string[],
  options: Options,
): ReturnType<typeof parseArgs<{ args: string[]; options: Options; allowPositionals: true; strict: true }>> {
  try {
    return parseArgs({ args: joinNegativeValues(args, options), options, allowPositionals: true, strict: true });
  } catch (error) {
    // Node's messages continue with advice after the first sentence.
    throw new UsageError(
      messageOf(error)
        .replace(/\.\s.*$/s, "")
        .replace(/^./, (letter) => letter.toLowerCase()),
    );
  }
}

/**
 * Returns the only argument of a command, the path of a file or a folder.
 *
 * @throws {UsageError} if there is none or more than one.
 */
export function requireOnePath(command: string, positionals: string[], kind: "file" | "folder" = "file"): string {
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) {
    throw new UsageError(`${command} takes one ${kind}, but got ${positionals.length}`);
  }
  return path;
}

/** Returns the value of {@link ANIMATION} as a property; none if the flag is absent. */
export const animationOption = ({ animation }: { animation?: string | undefined }): { animation?: string } =>
  animation === undefined ? {} : { animation };

/** Converts the values of {@link BVH} to options of `load`. */
export function bvhOptions(values: object): BvhOptions {
  const bvhSchema = { unit: lengthUnit, up: oneOf(["Y", "Z"]), rootOffset: oneOf(["replace", "add"]), root: text };
  return { ...flagOptions<BvhOptions>(bvhSchema as never, values), ...("strict" in values && { strict: true }) };
}

/** Converts the values of {@link NETWORKS} to options of the package; `models` becomes an absolute path. */
export function networkOptions(values: {
  device?: string | undefined;
  set?: string | undefined;
  models?: string | undefined;
}): NetworkOptions {
  const { models } = values;
  return {
    ...flagOptions({ device: oneOf(devices), set: text }, values),
    ...(models !== undefined && { models: resolve(models) }),
  };
}
