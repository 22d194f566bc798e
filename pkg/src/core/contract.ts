/** Checks options by the schemas of the contract (src/contract in the crate), and fills in their short forms. */
import { schemas } from "../generated/schema.js";
import { formatValue, type Kind, type Schema, wrongOption } from "./options.js";

/** The part of JSON Schema that the contract uses, with the properties `x-…` that it adds. */
interface Shape {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  oneOf?: Shape[];
  anyOf?: Shape[];
  properties?: Record<string, Shape>;
  required?: string[];
  additionalProperties?: boolean;
  items?: Shape;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  maxItems?: number;
  "x-unit"?: string;
  /** Short forms of a value, by word. */
  "x-words"?: Record<string, unknown>;
  /** Fields that the parameters after a word set: `inertialize:0.5`. */
  "x-parameters"?: Record<string, string[]>;
}

/** Resolves a reference. The properties beside it (such as its description) are not checks. */
function resolve(schema: Shape): Shape {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
  return resolve((schemas as Record<string, Shape>)[name] ?? {});
}

const variantsOf = (schema: Shape): Shape[] | undefined => {
  const variants = schema.oneOf ?? schema.anyOf;
  // A choice of a choice is one choice, unless it has words of its own.
  return variants?.flatMap((variant) => {
    const resolved = resolve(variant);
    return (resolved["x-words"] ? undefined : variantsOf(resolved)) ?? [resolved];
  });
};

const UNITS: Record<string, string> = { s: "seconds", fps: "frames per second" };

/** Describes the valid values of a schema, as the end of a sentence "… must be". */
function describe(schema: Shape): string {
  const resolved = resolve(schema);
  const words = resolved["x-words"] && Object.keys(resolved["x-words"]);
  if (words) return `one of ${words.map((word) => `"${word}"`).join(", ")}, or an object`;
  const variants = variantsOf(resolved)?.filter(({ type }) => type !== "null");
  if (variants) {
    const tag = tagOf(variants);
    const isTagged = ({ properties }: Shape): boolean => tag !== undefined && properties?.[tag]?.const !== undefined;
    const texts = variants.filter((variant) => !isTagged(variant)).map(describe);
    return joined([...new Set(texts), ...(variants.some(isTagged) ? [`an object with ${tag}`] : [])]);
  }
  if (resolved.const !== undefined) return JSON.stringify(resolved.const);
  if (resolved.enum) return joined(resolved.enum.map((value) => JSON.stringify(value)));
  const type = [resolved.type].flat().find((type) => type !== "null");
  if (type === "boolean") return "true or false";
  if (type === "string") return "a text";
  if (type === "array") return "a list";
  if (type === "object") return fieldsText(resolved);
  return numberText(resolved, type === "integer");
}

function numberText({ minimum, maximum, exclusiveMinimum, "x-unit": unit }: Shape, isWhole: boolean): string {
  const noun = isWhole ? "a whole number" : "a number";
  const counted = unit === undefined ? noun : `${noun} of ${UNITS[unit] ?? unit}`;
  if (exclusiveMinimum !== undefined) return `${counted} above ${exclusiveMinimum}`;
  if (minimum === undefined) return counted;
  return maximum === undefined ? `${counted} from ${minimum}` : `${counted} from ${minimum} to ${maximum}`;
}

const joined = (texts: readonly string[]): string =>
  texts.length < 2 ? (texts[0] ?? "") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`;

const fieldsText = ({ properties }: Shape): string =>
  properties ? `an object of ${Object.keys(properties).join(", ")}` : "an object";

/**
 * Checks a value, and returns it with short forms replaced by the values that they stand for.
 *
 * @param path Name of the option, with the names of the objects around it: `join.transition.seconds`.
 * @throws {KinestitchError} `option` with the path, the value, its range and the remedy.
 */
export function readValue(schema: Shape, path: string, value: unknown): unknown {
  const resolved = resolve(schema);
  if (typeof value === "string" && resolved["x-words"]) return readWord(resolved, path, value);
  const variants = variantsOf(resolved);
  if (variants) return readVariant(resolved, variants, path, value);
  const refuse = (): never => {
    throw wrongOption(path, `${path} must be ${describe(resolved)}, not ${formatValue(value)}`);
  };
  if ("const" in resolved) return value === resolved.const ? value : refuse();
  if (resolved.enum) return resolved.enum.includes(value) ? value : refuse();
  const types = [resolved.type].flat();
  if (value === null && types.includes("null")) return value;
  if (types.includes("object")) return isObject(value) ? readObject(resolved, path, value) : refuse();
  if (types.includes("array")) return Array.isArray(value) ? readList(resolved, path, value) : refuse();
  if (types.includes("boolean")) return typeof value === "boolean" ? value : refuse();
  if (types.includes("string")) return typeof value === "string" ? value : refuse();
  return isInRange(resolved, types.includes("integer"), value) ? value : refuse();
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);

function isInRange(schema: Shape, isWhole: boolean, value: unknown): boolean {
  if (typeof value !== "number" || Number.isNaN(value)) return false;
  // Whole numbers are 32 bits wide in wasm, except seeds.
  if (isWhole && !(Number.isSafeInteger(value) && (schema.format === "uint64" || value < 2 ** 32))) return false;
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = schema;
  return value >= minimum && value <= maximum && value > exclusiveMinimum;
}

function readWord(schema: Shape, path: string, text: string): unknown {
  const [word = "", ...parameters] = text.split(":");
  const known = schema["x-words"] ?? {};
  if (!Object.hasOwn(known, word)) {
    throw wrongOption(path, `${path} must be ${describe(schema)}, not ${formatValue(text)}`);
  }
  const names = schema["x-parameters"]?.[word] ?? [];
  if (parameters.length > names.length) {
    const form = [word, ...names].join(":");
    throw wrongOption(path, `${path}: "${word}" takes ${names.length} values (${form}), not ${formatValue(text)}`);
  }
  const isNumber = (parameter: string): boolean => /^\d+(\.\d+)?$/.test(parameter);
  const fields = parameters.map((parameter, index) => [
    names[index],
    isNumber(parameter) ? Number(parameter) : parameter,
  ]);
  return readValue(schema, path, { ...(known[word] as object), ...Object.fromEntries(fields) });
}

/** Reads one of several types: objects are told apart by a constant field, other values by their type. */
function readVariant(schema: Shape, variants: readonly Shape[], path: string, value: unknown): unknown {
  if (value === null && variants.some(({ type }) => type === "null")) return value;
  const candidates = variants.filter((variant) => fits(variant, value));
  const [candidate] = candidates;
  if (candidate) return readValue(candidate, path, value);
  const tag = tagOf(variants);
  const isUnknownTag = tag !== undefined && isObject(value) && value[tag] !== undefined;
  const place = isUnknownTag ? `${path}.${tag}` : path;
  const tags = variants.map(({ properties }) => properties?.[tag ?? ""]?.const).filter((name) => name !== undefined);
  const expected = isUnknownTag || (isObject(value) && tags.length > 0) ? tags.map((name) => JSON.stringify(name)) : [];
  const found = isUnknownTag ? value[tag] : value;
  const remedy = expected.length > 0 && !isUnknownTag ? ` with ${tag}: ${joined(expected)}` : "";
  const range = isUnknownTag ? joined(expected) : describe(schema) + remedy;
  throw wrongOption(place, `${place} must be ${range}, not ${formatValue(found)}`);
}

/** Returns the name of the field that tells the variants apart. */
const tagOf = (variants: readonly Shape[]): string | undefined =>
  ["kind", "name"].find((tag) => variants.some(({ properties }) => properties?.[tag]?.const !== undefined));

function fits(variant: Shape, value: unknown): boolean {
  const inner = variantsOf(variant);
  if (inner) return (typeof value === "string" && !!variant["x-words"]) || inner.some((part) => fits(part, value));
  if ("const" in variant) return variant.const === value;
  if (variant.enum) return variant.enum.includes(value);
  const types = [variant.type].flat();
  if (isObject(value)) {
    if (!types.includes("object")) return false;
    const tags = ["kind", "name"].flatMap((tag) => {
      const { const: expected } = variant.properties?.[tag] ?? {};
      return expected === undefined ? [] : [value[tag] === expected];
    });
    return tags.length > 0 ? tags.every(Boolean) : value.kind === undefined || variant.properties?.kind !== undefined;
  }
  if (Array.isArray(value)) return types.includes("array");
  if (typeof value === "number") return types.includes("integer") || types.includes("number");
  return types.includes(typeof value);
}

function readObject(schema: Shape, path: string, value: Record<string, unknown>): object {
  const { properties = {}, required = [] } = schema;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  for (const [name] of fields) {
    if (Object.hasOwn(properties, name)) continue;
    const names = Object.keys(properties).join(", ");
    throw wrongOption(`${path}.${name}`, `${path} has no option "${name}"; it has ${names}`);
  }
  for (const name of required) {
    if (value[name] === undefined) {
      const expected = describe(properties[name] ?? {});
      throw wrongOption(`${path}.${name}`, `${path}.${name} is missing: it is ${expected}`);
    }
  }
  const entries = fields.map(([name, field]) => [name, readValue(properties[name] ?? {}, `${path}.${name}`, field)]);
  return Object.fromEntries(entries);
}

function readList(schema: Shape, path: string, value: readonly unknown[]): unknown[] {
  const { items = {}, minItems = 0, maxItems = Infinity } = schema;
  if (value.length < minItems || value.length > maxItems) {
    throw wrongOption(path, `${path} must have ${minItems} entries, not ${value.length}`);
  }
  // Holes, and `undefined`, are entries that change nothing.
  return Array.from(value, (entry) => entry ?? null).map((entry, index) =>
    readValue(items, `${path}[${index}]`, entry),
  );
}

/** Parses a value of the command line: JSON for objects and lists, else a number, on or off, or a word. */
function parseArgument(schema: Shape, argument: string): unknown {
  const resolved = resolve(schema);
  if (/^\s*[[{]/.test(argument)) {
    try {
      return JSON.parse(argument) as unknown;
    } catch {
      return argument;
    }
  }
  const types = [resolved, ...(variantsOf(resolved) ?? [])].flatMap(({ type }) => type ?? []);
  if (types.includes("boolean")) return argument === "on" ? true : argument === "off" ? false : argument;
  const isNumeric = types.includes("number") || types.includes("integer");
  return isNumeric && argument.trim() !== "" && Number.isFinite(Number(argument)) ? Number(argument) : argument;
}

/** Placeholder of a value in the help of the command line. */
function placeholder(schema: Shape): string {
  const resolved = resolve(schema);
  if (resolved["x-words"]) return "CHOICE";
  if (resolved.enum) return resolved.enum.join("|");
  const types = [resolved.type].flat();
  if (types.includes("boolean")) return "on|off";
  if (types.includes("array") || types.includes("object")) return "JSON";
  return types.includes("string") ? "TEXT" : resolved["x-unit"] === "s" ? "S" : "N";
}

/** Creates the table of the options of a type of the contract, for `checkOptions` and the command line. */
export function contractKinds<Options extends object>(type: string): Schema<Options> {
  const { properties = {} } = (schemas as Record<string, Shape>)[type] ?? {};
  const faultOf = (name: string, schema: Shape, value: unknown): string | undefined => {
    try {
      readValue(schema, name, value);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const entries = Object.entries(properties).map(([name, schema]): [string, Kind] => [
    name,
    {
      description: describe(schema),
      is: (value: unknown): value is unknown => faultOf(name, schema, value) === undefined,
      fault: (value: unknown) => faultOf(name, schema, value),
      parse: (argument: string) => parseArgument(schema, argument),
      placeholder: placeholder(schema),
    },
  ]);
  return Object.fromEntries(entries) as unknown as Schema<Options>;
}

/** Returns checked options of a type of the contract with their short forms filled in. */
export function readOptions(type: string, options: object): Record<string, unknown> {
  const { properties = {} } = (schemas as Record<string, Shape>)[type] ?? {};
  const given = Object.entries(options).filter(
    ([name, value]) => value !== undefined && Object.hasOwn(properties, name),
  );
  return Object.fromEntries(given.map(([name, value]) => [name, readValue(properties[name] ?? {}, name, value)]));
}
