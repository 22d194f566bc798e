/** Arguments of `kinestitch inbetween`. */
import { methodDefaults } from "../core/generated/methods.js";
import { AUTO, methodsWith, nameOf, optionsOf } from "../core/method.js";
import { groundPath } from "../core/options.js";
import type { InbetweenChoice, InbetweenOptions, GroundPose } from "../core/types.js";
import { inbetween } from "../tasks/inbetween.js";
import type { Command, KeyArgument } from "./commands.js";
import { flagOf, flags, HELP, JSON_FLAG, NETWORKS, networks, OUTPUT, flagOptions, split, UsageError } from "./flags.js";
import { folderOutput, output } from "./outputs.js";

/**
 * Parses the arguments of `kinestitch inbetween`.
 *
 * @throws {UsageError} for unknown flags and invalid keys.
 */
export function parseInbetween(args: string[]): Command {
  const { name: _, like: __, paced: ___, ...options } = inbetween.definition.options;
  // A key from standard input, such as -@20, is not an option.
  const own = Object.fromEntries(METHOD_OPTIONS.map((option) => [flagOf(option), { type: "string" } as const]));
  const { values, positionals } = split(
    args.map((word) => word.replace(/^-@/, " -@")),
    {
      ...HELP,
      ...JSON_FLAG,
      ...OUTPUT,
      set: NETWORKS.set,
      models: NETWORKS.models,
      ...own,
      ...flags(options),
      at: { type: "string" },
    },
  );
  if (values.help) return { do: "help", about: "inbetween" };
  if (positionals.length < 2)
    throw new UsageError(`inbetween takes at least two keys, FILE@FRAME, not ${positionals.length}`);
  const keys = positionals.map((word) => keyArgument(word.replace(/^ -@/, "-@")));
  const inbetweenOptions = withMethod(flagOptions<InbetweenOptions>(options as never, values), values);
  const ownTime = [inbetweenOptions.candidates, inbetweenOptions.speed, optionsOf(inbetweenOptions.method).path].some(
    (option) => option !== undefined,
  );
  if (inbetweenOptions.frames === undefined && !ownTime)
    throw new UsageError("--frames N is needed: the number of frames between two keys");
  return {
    do: "inbetween",
    keys,
    output: inbetweenOptions.candidates === undefined ? output(values) : folderOutput(values),
    networks: networks(values),
    options: inbetweenOptions,
    json: values.json ?? false,
    ...(values.at !== undefined && { at: place(values.at) }),
  };
}

/** Options of the gap-filling methods. */
const METHOD_OPTIONS = [...new Set(Object.values(methodDefaults).flatMap((options) => Object.keys(options)))];

/** Moves the method's own options into `method`; on the command line all options are flat. */
function withMethod({ method, seed, ...others }: Partial<InbetweenOptions>, values: object): InbetweenOptions {
  // With candidates, the seed selects among paths.
  const ofWays = seed !== undefined && others.candidates !== undefined;
  const words = Object.entries(values as Record<string, unknown>).filter(([flag]) => !(ofWays && flag === "seed"));
  const own = METHOD_OPTIONS.flatMap((option): [string, unknown][] => {
    const word = words.find(([flag]) => flag === flagOf(option))?.[1];
    if (typeof word !== "string") return [];
    if (method === undefined || method === AUTO || !methodsWith(option).includes(nameOf(method))) {
      throw new UsageError(`--${flagOf(option)} is an option of --method ${methodsWith(option).join(" or --method ")}`);
    }
    return [[option, methodValue(option, word)]];
  });
  const settled =
    method !== undefined && method !== AUTO && own.length > 0
      ? ({ name: nameOf(method), ...Object.fromEntries(own) } as InbetweenChoice)
      : method;
  return { ...others, ...(ofWays && { seed }), ...(settled !== undefined && { method: settled }) };
}

/** Parses the value of a method's option by the type of its default, or as a path on the ground. */
function methodValue(option: string, word: string): unknown {
  const usual = methodsWith(option).map((name) => (methodDefaults[name] as Record<string, unknown>)[option])[0];
  if (Array.isArray(usual)) return word.split(",").map(Number);
  if (word.includes(",")) return groundPath.parse?.(word);
  return /^-?\d*\.?\d+$/.test(word) ? Number(word) : word;
}

/** FILE@FRAME; the last @ counts, so that a path may contain others. */
function keyArgument(text: string): KeyArgument {
  const [, file, frame] = /^(.+)@(\d{1,9})$/s.exec(text) ?? [];
  if (file === undefined)
    throw new UsageError(
      `a key is FILE@FRAME, a frame counted from 0, such as "${text.replace(/@.*$/s, "")}@20", not "${text}"`,
    );
  return { file, frame: Number(frame) };
}

/** X,Z,DEGREES. */
function place(text: string): GroundPose {
  const numbers = text.split(",").map((number) => (number.trim() === "" ? NaN : Number(number)));
  const [x = NaN, z = NaN, degrees = NaN] = numbers;
  if (numbers.length !== 3 || ![x, z, degrees].every(Number.isFinite)) {
    throw new UsageError(`--at is X,Z,DEGREES, three numbers, not "${text}"`);
  }
  return { x, z, heading: (degrees * Math.PI) / 180 };
}
