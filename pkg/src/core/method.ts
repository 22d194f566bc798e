/** The option `method` of a function that fills gaps: the name of a method, or an object with its name and options. */
import { methodDefaults } from "../generated/methods.js";
import type { Kind } from "./options.js";
import { quote } from "./quote.js";
import { type InbetweenChoice, type InbetweenMethod, inbetweenMethods } from "./inbetween-types.js";

/** Value of the option that tries all loaded methods, and fills each gap with the most natural motion. */
export const AUTO = "auto";

const isName = (value: unknown): value is InbetweenMethod => inbetweenMethods.includes(value as InbetweenMethod);

/** Returns the fault of a method's options: an option that the method does not have, or a number that is not finite. */
function optionFault(value: unknown): string | undefined {
  const { name, ...options } = (typeof value === "object" ? (value ?? {}) : {}) as Record<string, unknown>;
  if (!isName(name)) return undefined;
  const known = Object.keys(methodDefaults[name]);
  for (const [option, optionValue] of Object.entries(options)) {
    if (!known.includes(option))
      return `the method "${name}" has no option ${quote(option)}; it has ${known.join(", ") || "none"}`;
    if (typeof optionValue === "number" && !Number.isFinite(optionValue))
      return `the option ${option} of the method "${name}" must be a finite number, not ${optionValue}`;
  }
  return undefined;
}

const OR_OBJECT = "or an object with the name and options of a method";

/**
 * The name of a method, or an object with the name and options of the method. Names are checked here, and that numbers
 * are finite; all other values of options are checked by the method, in wasm.
 */
export const inbetweenChoice: Kind<InbetweenChoice> = {
  description: `one of ${inbetweenMethods.join(", ")}, ${OR_OBJECT}`,
  is(value): value is InbetweenChoice {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return isName(value);
    return isName((value as { name?: unknown }).name) && optionFault(value) === undefined;
  },
  fault: optionFault,
};

/** Like {@link inbetweenChoice}, but accepts "auto" too. */
export const inbetweenChoiceOrAuto: Kind<InbetweenChoice | typeof AUTO> = {
  description: `one of ${[AUTO, ...inbetweenMethods].join(", ")}, ${OR_OBJECT}`,
  is: (value): value is InbetweenChoice | typeof AUTO => value === AUTO || inbetweenChoice.is(value),
  fault: optionFault,
  parse: (word) => word as InbetweenMethod,
  placeholder: [AUTO, ...inbetweenMethods].join("|"),
};

/** Returns the name of a chosen method. */
export const methodName = (method: InbetweenChoice): InbetweenMethod =>
  typeof method === "string" ? method : method.name;

/** Returns the options of a chosen method; an empty object for a name, and for an omitted method. */
export function methodOptions(method: InbetweenChoice | typeof AUTO | undefined): Record<string, unknown> {
  if (method === undefined || typeof method === "string") return {};
  const { name: _, ...options } = method;
  return options;
}

/** Returns the names of the methods that have an option. */
export const methodsWith = (option: string): InbetweenMethod[] =>
  inbetweenMethods.filter((name) => Object.hasOwn(methodDefaults[name], option));
