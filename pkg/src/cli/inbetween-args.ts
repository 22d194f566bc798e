/** Arguments of `kinestitch inbetween`. */
import { methodDefaults } from "../generated/methods.js";
import { AUTO, methodsWith, methodName, methodOptions } from "../core/method.js";
import { groundPath } from "../core/options.js";
import type { InbetweenChoice, InbetweenOptions, GroundPose } from "../core/types.js";
import { inbetween } from "../tasks/inbetween.js";
import type { Command, KeyArgument } from "./commands.js";
import {
  ANIMATION,
  animationOption,
  flagName,
  defineFlags,
  HELP,
  JSON_FLAG,
  NETWORKS,
  networkOptions,
  OUTPUT,
  flagOptions,
  parseFlags,
  UsageError,
} from "./flags.js";
import { parseOutputFolder, parseOutput } from "./output-args.js";

/**
 * Parses the arguments of `kinestitch inbetween`.
 *
 * @throws {UsageError} for unknown flags and invalid keys.
 */
export function parseInbetween(args: string[]): Command {
  const { name: _, similarTo: __, timedPath: ___, ...options } = inbetween.definition.options;
  const methodFlags = Object.fromEntries(
    METHOD_OPTIONS.map((option) => [flagName(option), { type: "string" } as const]),
  );
  // A space hides a key from standard input, such as -@20, from `parseArgs`, which would take it for an option.
  const { values, positionals } = parseFlags(
    args.map((word) => word.replace(/^-@/, " -@")),
    {
      ...HELP,
      ...JSON_FLAG,
      ...OUTPUT,
      ...ANIMATION,
      set: NETWORKS.set,
      models: NETWORKS.models,
      ...methodFlags,
      ...defineFlags(options),
      at: { type: "string" },
    },
  );
  if (values.help) return { do: "help", topic: "inbetween" };
  if (positionals.length < 2)
    throw new UsageError(`inbetween takes at least two keys, FILE@FRAME, but got ${positionals.length}`);
  const keys = positionals.map((word) => parseKey(word.replace(/^ -@/, "-@")));
  const inbetweenOptions = withMethod(flagOptions<InbetweenOptions>(options as never, values), values);
  const hasDuration = [
    inbetweenOptions.candidates,
    inbetweenOptions.speed,
    methodOptions(inbetweenOptions.method).path,
  ].some((option) => option !== undefined);
  if (inbetweenOptions.frames === undefined && !hasDuration)
    throw new UsageError("--frames N is needed: the number of frames between two keys");
  return {
    do: "inbetween",
    keys,
    output: inbetweenOptions.candidates === undefined ? parseOutput(values) : parseOutputFolder(values),
    networks: networkOptions(values),
    options: inbetweenOptions,
    json: values.json ?? false,
    ...(values.at !== undefined && { at: parseGroundPose(values.at) }),
    ...animationOption(values),
  };
}

/** Names of the options of all gap-filling methods. */
const METHOD_OPTIONS = [...new Set(Object.values(methodDefaults).flatMap((options) => Object.keys(options)))];

/** Moves the options of the method into `method`, because the command line has no nested options. */
function withMethod({ method, seed, ...otherOptions }: Partial<InbetweenOptions>, values: object): InbetweenOptions {
  // With candidates, the seed selects paths instead of being an option of the method.
  const isPathSeed = seed !== undefined && otherOptions.candidates !== undefined;
  const flags = Object.entries(values as Record<string, unknown>).filter(([flag]) => !(isPathSeed && flag === "seed"));
  const methodValues = METHOD_OPTIONS.flatMap((option): [string, unknown][] => {
    const word = flags.find(([flag]) => flag === flagName(option))?.[1];
    if (typeof word !== "string") return [];
    if (method === undefined || method === AUTO || !methodsWith(option).includes(methodName(method))) {
      throw new UsageError(
        `--${flagName(option)} is an option of --method ${methodsWith(option).join(" or --method ")}`,
      );
    }
    return [[option, parseMethodValue(option, word)]];
  });
  const nestedMethod =
    method !== undefined && method !== AUTO && methodValues.length > 0
      ? ({ name: methodName(method), ...Object.fromEntries(methodValues) } as InbetweenChoice)
      : method;
  return { ...otherOptions, ...(isPathSeed && { seed }), ...(nestedMethod !== undefined && { method: nestedMethod }) };
}

/** Parses the value of a method's option by the type of its default, or as a path on the ground. */
function parseMethodValue(option: string, word: string): unknown {
  const defaultValue = methodsWith(option).map((name) => (methodDefaults[name] as Record<string, unknown>)[option])[0];
  if (Array.isArray(defaultValue)) {
    const numbers = word.split(",").map((number) => (number.trim() === "" ? NaN : Number(number)));
    if (!numbers.every(Number.isFinite))
      throw new UsageError(`--${flagName(option)} must be numbers separated by commas, not "${word}"`);
    return numbers;
  }
  if (word.includes(",")) return groundPath.parse?.(word);
  return word.trim() !== "" && Number.isFinite(Number(word)) ? Number(word) : word;
}

/** Parses FILE@FRAME; FRAME follows the last @, because a path may contain an @. */
function parseKey(text: string): KeyArgument {
  const [, file, frame] = /^(.+)@(\d{1,9})$/s.exec(text) ?? [];
  if (file === undefined)
    throw new UsageError(
      `a key is FILE@FRAME, a frame counted from 0, such as "${text.replace(/@[^@/\\]*$/, "") || "walk.bvh"}@20", not "${text}"`,
    );
  return { file, frame: Number(frame) };
}

/** Parses X,Z,DEGREES. */
function parseGroundPose(text: string): GroundPose {
  const numbers = text.split(",").map((number) => (number.trim() === "" ? NaN : Number(number)));
  const [x = NaN, z = NaN, degrees = NaN] = numbers;
  if (numbers.length !== 3 || ![x, z, degrees].every(Number.isFinite)) {
    throw new UsageError(`--at is X,Z,DEGREES, three numbers, not "${text}"`);
  }
  return { x, z, heading: (degrees * Math.PI) / 180 };
}
