/** Schemas of options: one table per function. Checks, the command line and its help are derived from these tables. */
import { KinestitchError } from "./error.js";
import { inbetweenMethods, methodDefaults } from "./generated/methods.js";
import { makePrintable, quote, shorten } from "./quote.js";
import type {
  ClipSource,
  GroundPath,
  GroundPose,
  HeightField,
  PhaseObject,
  ResolveFile,
  TaskOptions,
  WasmSource,
} from "./types.js";

/** Type of an option: a check of its values, a description, and a parser of the command line. */
export interface Kind<T = unknown> {
  /** Description of valid values, as the end of a sentence "… must be". */
  readonly description: string;
  /** Returns whether a value has this type. */
  is(value: unknown): value is T;
  /** Returns the fault of an invalid value, if the description does not show it. */
  readonly fault?: (value: unknown) => string | undefined;
  /**
   * Parses a word of the command line; returns `undefined` if it is invalid. Absent if the command line does not accept
   * the option.
   */
  readonly parse?: (word: string) => T | undefined;
  /** Placeholder of a value in the help of the command line. */
  readonly placeholder?: string;
}

/** Types of the options of a function, without `signal` and `onProgress`, which all functions accept. */
export type Schema<Options> = {
  readonly [Name in keyof Omit<Options, keyof TaskOptions>]-?: Kind<NonNullable<Options[Name]>>;
};

const kind = <T>(
  description: string,
  is: (value: unknown) => boolean,
  commandLine: Pick<Kind<T>, "parse" | "placeholder"> = {},
): Kind<T> => ({
  description,
  is: is as (value: unknown) => value is T,
  ...commandLine,
});

const parseNumber = (word: string): number | undefined => (word.trim() === "" ? undefined : Number(word));
const isNumber = (value: unknown): value is number => typeof value === "number";
const isCount = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32;

/** A number of frames, or the index of a frame. */
export const frames: Kind<number> = kind("a whole number of frames", isCount, {
  parse: (word) => (/^\d{1,9}$/.test(word) ? Number(word) : undefined),
  placeholder: "N",
});
/** A seed. */
export const seed: Kind<number> = kind(
  "a whole number from 0",
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  {
    parse: parseNumber,
    placeholder: "N",
  },
);
/** A list of numbers. */
export const numbers: Kind<readonly number[]> = kind(
  "a list of finite numbers",
  (value) => Array.isArray(value) && Array.from(value as unknown[]).every((value) => Number.isFinite(value)),
);
/** A number of frames, or a list of them. */
export const frameCounts: Kind<number | readonly number[]> = kind(
  "a whole number of frames, or a list of them",
  (value) => isCount(value) || (Array.isArray(value) && Array.from(value as unknown[]).every(isCount)),
  { parse: frames.parse as (word: string) => number | undefined, placeholder: "N" },
);
/** Number of frames between two clips. */
export const gap: Kind<number | "auto"> = kind(
  'a whole number of frames, or "auto"',
  (value) => value === "auto" || isCount(value),
  {
    parse: (word) => (word === "auto" ? word : frames.parse?.(word)),
    placeholder: "N|auto",
  },
);
/** A number above 0. */
export const positive: Kind<number> = kind(
  "a number above 0",
  (value) => isNumber(value) && value > 0 && Number.isFinite(value),
  {
    parse: parseNumber,
    placeholder: "N",
  },
);
/** A duration. */
export const seconds: Kind<number> = kind(
  "a number of seconds from 0",
  (value) => isNumber(value) && value >= 0 && Number.isFinite(value),
  {
    parse: parseNumber,
    placeholder: "S",
  },
);
/** A duration that is not longer than a maximum, seconds. */
export const secondsUpTo = (maximum: number): Kind<number> =>
  kind(`a number of seconds from 0 to ${maximum}`, (value) => seconds.is(value) && value <= maximum, {
    parse: parseNumber,
    placeholder: "S",
  });
const JOIN_KEYS = ["method", "blend", "seam", "gap", "gapMethod"];
const isJoinOptions = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).every((key) => JOIN_KEYS.includes(key));
/** A list of join options of single seams; their properties are checked by the wasm module. */
export const seamJoins = <List>(): Kind<List> =>
  kind(
    "a list with an object, { method, blend, seam, gap, gapMethod }, or undefined for each seam",
    (value) =>
      Array.isArray(value) && Array.from(value as unknown[]).every((join) => join === undefined || isJoinOptions(join)),
  );
/** A fraction from 0 to 1. */
export const fraction: Kind<number> = kind(
  "a fraction from 0 to 1",
  (value) => isNumber(value) && value >= 0 && value <= 1,
  {
    parse: parseNumber,
    placeholder: "P",
  },
);
/** A boolean. */
export const flag: Kind<boolean> = kind("true or false", (value) => typeof value === "boolean", {
  parse: (word) => (word === "on" ? true : word === "off" ? false : undefined),
  placeholder: "on|off",
});
/** Any text. */
export const text: Kind<string> = kind("a text", (value) => typeof value === "string", {
  parse: (word) => word,
  placeholder: "TEXT",
});
/** A list of texts. */
export const texts: Kind<readonly string[]> = kind(
  "a list of texts",
  (value) => Array.isArray(value) && Array.from(value as unknown[]).every((entry) => typeof entry === "string"),
);
/** The trajectory of an object that joints may touch. */
export const phaseObject: Kind<PhaseObject> = kind(
  "{ positions, radius, speed? }, a Float32Array and numbers",
  (value) => {
    if (typeof value !== "object" || value === null) return false;
    const { positions, radius, speed } = value as Partial<PhaseObject>;
    return positions instanceof Float32Array && isNumber(radius) && (speed === undefined || isNumber(speed));
  },
);
const parsePoint = (text: string): [number, number] => {
  const [x = NaN, z = NaN, ...extra] = text.split(",").map((word) => parseNumber(word) ?? NaN);
  return extra.length > 0 ? [NaN, NaN] : [x, z];
};
/** A path on the ground. */
export const groundPath: Kind<GroundPath> = kind(
  "two points on the ground or more, [x, z] in metres",
  (value) =>
    Array.isArray(value) &&
    value.length >= 2 &&
    Array.from(value as unknown[]).every(
      (point) =>
        Array.isArray(point) &&
        point.length === 2 &&
        Array.from(point as unknown[]).every((value) => Number.isFinite(value)),
    ),
  { parse: (word) => word.trim().split(/\s+/).map(parsePoint), placeholder: '"X,Z X,Z ..."' },
);
/** A number of results. */
export const count: Kind<number> = kind("a whole number from 1", (value) => isCount(value) && (value as number) >= 1, {
  parse: parseNumber,
  placeholder: "N",
});
/** A URL or path. */
export const url: Kind<URL | string> = kind(
  "a URL or a text",
  (value) => typeof value === "string" || value instanceof URL,
);
/** A wasm file; WebAssembly itself checks an object. */
export const wasmSource: Kind<WasmSource> = kind(
  "a URL, a Response, an ArrayBuffer or a WebAssembly.Module",
  (value) => typeof value === "string" || (typeof value === "object" && value !== null),
);
/** A ground pose. */
export const groundPose: Kind<GroundPose> = kind("{ x, z, heading }, finite numbers", (value) => {
  const { x, z, heading } = (value ?? {}) as Partial<GroundPose>;
  return [x, z, heading].every((value) => Number.isFinite(value));
});

/** Heights of the ground; their values are checked when the ground is set. */
export const heightField: Kind<HeightField> = kind("{ x, z, spacing, columns, heights }, finite numbers", (value) => {
  const { x, z, spacing, columns, heights } = (value ?? {}) as Partial<HeightField>;
  const isList = Array.isArray(heights) || heights instanceof Float32Array;
  return isList && [x, z, spacing].every((value) => Number.isFinite(value)) && isCount(columns);
});

/** Names of the properties of a character's clips. */
const SOURCE_KEYS = ["clips", "uses", "mirror", "wayWeight", "poseWeight"];

/** Clips that a character is made of. */
export const clipSource: Kind<ClipSource> = kind(
  '{ clips, uses?, mirror?, wayWeight?, poseWeight? }: a list of clips; "locomotion", "action" or undefined for each; ' +
    "true or false; numbers from 0 to 10",
  (value) => {
    if (typeof value !== "object" || value === null) return false;
    const { clips, uses = [], mirror = true, wayWeight = 1, poseWeight = 1 } = value as Partial<ClipSource>;
    const isWeight = (weight: unknown) => isNumber(weight) && weight >= 0 && weight <= 10;
    const isUse = (use: unknown) => use === undefined || use === "locomotion" || use === "action";
    return (
      Object.keys(value).every((key) => SOURCE_KEYS.includes(key)) &&
      Array.isArray(clips) &&
      Array.isArray(uses) &&
      Array.from(uses as unknown[]).every(isUse) &&
      typeof mirror === "boolean" &&
      isWeight(wayWeight) &&
      isWeight(poseWeight)
    );
  },
);

/** A reader of the files that a document refers to. */
export const resolver: Kind<ResolveFile> = kind("a function", (value) => typeof value === "function");

/** Accepts any value; the function itself checks it. */
export const anything: Kind<never> = kind("given", () => true);

/** Creates the type of an option with several possible words. */
export const oneOf = <Word extends string>(words: readonly Word[]): Kind<Word> =>
  kind(
    words.length === 2 ? `"${words[0]}" or "${words[1]}"` : `one of ${words.join(", ")}`,
    (value) => words.includes(value as Word),
    {
      parse: (word) => word as Word,
      placeholder: words.join("|"),
    },
  );

/** Returns whether a value is a range of frames. */
const isRange = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  isCount((value as { from?: unknown }).from) &&
  isCount((value as { to?: unknown }).to);

/** A list with the range of frames to use of each clip. */
export const trims = <List>(): Kind<List> =>
  kind(
    "a list with { from, to } in whole frames (to excluded), or undefined, for each clip",
    (value) =>
      // `every` skips holes; `Array.from` turns them into entries.
      Array.isArray(value) && Array.from(value as unknown[]).every((trim) => trim === undefined || isRange(trim)),
  );

/** An object whose values are texts or `null`. */
export const names = <Names>(): Kind<Names> =>
  kind(
    "an object of names",
    (value) =>
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((name) => name === undefined || name === null || typeof name === "string"),
  );

/** Creates the error for an option with an invalid value. */
export function wrongOption(option: string, message: string): KinestitchError {
  return new KinestitchError("option", message, { option });
}

/**
 * Returns the options that are not `undefined`. Throws if an option is unknown or has the wrong type. Without a schema,
 * only `signal` and `onProgress` are checked. `task`: name of the function, for messages.
 */
export function checkOptions<Options extends object>(
  task: string,
  schema: Schema<Options> | undefined,
  options: unknown,
): Options {
  if (options === undefined) return {} as Options;
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw wrongOption("options", `the options of ${task} must be an object, not ${formatValue(options)}`);
  }
  if ("toBvh" in options)
    throw wrongOption("options", `the options of ${task} are a clip; pass the clips as one array: ${task}([a, b])`);
  const kinds = schema as Record<string, Kind> | undefined;
  const definedOptions = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [name, value] of definedOptions) {
    if (name === "signal" || name === "onProgress") checkTaskOption(name, value);
    else if (!kinds) continue;
    else if (!Object.hasOwn(kinds, name))
      throw wrongOption(
        name,
        `${task} has no option "${name}"; ${methodOptionHint(name, kinds)}it has ${[...Object.keys(kinds), "signal", "onProgress"].join(", ")}`,
      );
    else if (!kinds[name]?.is(value)) throw wrongOption(name, faultOf(name, kinds[name] as Kind, value));
  }
  return Object.fromEntries(definedOptions) as Options;
}

/** Returns the message for an option with an invalid value. */
export function faultOf(option: string, { description, fault }: Kind, value: unknown): string {
  return fault?.(value) ?? `${option} must be ${description}, not ${formatValue(value)}`;
}

/** Returns a hint if the unknown option is an option of a method of `inbetween`; an empty text for other names. */
function methodOptionHint(option: string, kinds: object): string {
  const names = Object.hasOwn(kinds, "method")
    ? inbetweenMethods.filter((name) => Object.hasOwn(methodDefaults[name], option))
    : [];
  return names.length === 0
    ? ""
    : `it is an option of a method: method: { name: "${names.join('" or "')}", ${option} }; `;
}

function checkTaskOption(name: keyof TaskOptions, value: unknown): void {
  if (name === "onProgress" && typeof value !== "function")
    throw wrongOption(name, `onProgress must be a function, not ${formatValue(value)}`);
  if (name === "signal" && !(typeof value === "object" && value !== null && "aborted" in value)) {
    throw wrongOption(name, `signal must be an AbortSignal, not ${formatValue(value)}`);
  }
}

/** Formats a value for messages. */
export function formatValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) {
    try {
      // The JSON of a Promise or a File is "{}"; that of bytes may be too long to create.
      const type = Object.prototype.toString.call(value).slice("[object ".length, -1);
      if (type !== "Object" && type !== "Array") return makePrintable(`${/^[AEIO]/.test(type) ? "an" : "a"} ${type}`);
      const json = JSON.stringify(value);
      return makePrintable(shorten(json, 61));
    } catch {
      return "an object";
    }
  }
  return String(value);
}

/** Returns the options without `signal` and `onProgress`. */
export function omitTaskOptions<Options extends TaskOptions>({
  signal: _,
  onProgress: __,
  ...options
}: Options): Omit<Options, keyof TaskOptions> {
  return options;
}

/** Returns `signal` and `onProgress` of the options. */
export function pickTaskOptions({ signal, onProgress }: TaskOptions): TaskOptions {
  return { ...(signal && { signal }), ...(onProgress && { onProgress }) };
}
