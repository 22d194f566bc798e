/** Flags of the command line, and the options they stand for. */
import { resolve } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { messageOf } from "../core/error.js";
import { type Kind, oneOf, text } from "../core/options.js";
import { devices, type NetworkOptions } from "../core/types.js";

/** Wrong usage of the command line: exit code 2. */
export class UsageError extends Error {}

/** The flag `--help`, in the form of `parseArgs` of Node. */
export const HELP = { help: { type: "boolean", short: "h" } } as const;
/** The flag `--json`. */
export const JSON_FLAG = { json: { type: "boolean" } } as const;
/** Flags of commands that write a motion. */
export const OUTPUT = { output: { type: "string", short: "o" }, format: { type: "string" } } as const;
/** Flags of commands that may load networks. */
export const NETWORKS = { device: { type: "string" }, set: { type: "string" }, models: { type: "string" } } as const;

/** `maxCut` → `max-cut`. */
export const flagOf = (option: string): string => option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Flags for the options that can be written as one word. */
export function flags(options: object): Record<string, { type: "string" }> {
  const known = Object.entries(options as Record<string, Kind>).filter(([, { parse }]) => parse);
  return Object.fromEntries(known.map(([name]) => [flagOf(name), { type: "string" }]));
}

/** Values of a function's options, parsed from the flags. Throws a {@link UsageError} for an invalid value. */
export function flagOptions<Options extends object>(
  options: { readonly [Name in keyof Options]: Kind<Options[Name]> },
  values: object,
): Partial<Options> {
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

/** `parseArgs` of Node, with its errors as {@link UsageError}. */
export function split<Options extends NonNullable<ParseArgsConfig["options"]>>(
  args: string[],
  options: Options,
): ReturnType<typeof parseArgs<{ args: string[]; options: Options; allowPositionals: true; strict: true }>> {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
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
 * The only file argument of a command.
 *
 * @throws {UsageError} for none or several.
 */
export function oneFile(command: string, positionals: string[]): string {
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) {
    throw new UsageError(`${command} takes one file, not ${positionals.length}`);
  }
  return file;
}

/** Values of {@link NETWORKS} as options of the package; the folder `models` becomes an absolute path. */
export function networks(values: {
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
