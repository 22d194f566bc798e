/** Choice of the method that fills a gap: its name, or an object with its name and options. */
import { methodDefaults } from "./generated/methods.js";
import type { Kind } from "./options.js";
import { type InbetweenChoice, type InbetweenMethod, inbetweenMethods } from "./inbetween-types.js";

/** Name of the choice that tries every method and keeps the most natural motion. */
export const AUTO = "auto";

const isName = (value: unknown): value is InbetweenMethod => inbetweenMethods.includes(value as InbetweenMethod);

const OBJECT = "or an object of a method's name and options of that method";

/** Accepts a method's name, or an object with its name and its options. Values are checked by the method in wasm. */
export const gapMethod: Kind<InbetweenChoice> = {
  description: `one of ${inbetweenMethods.join(", ")}, ${OBJECT}`,
  is(value): value is InbetweenChoice {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return isName(value);
    const { name, ...own } = value as Record<string, unknown>;
    return isName(name) && Object.keys(own).every((option) => Object.hasOwn(methodDefaults[name], option));
  },
};

/** Like {@link gapMethod}, and "auto". */
export const choice: Kind<InbetweenChoice | typeof AUTO> = {
  description: `one of ${[AUTO, ...inbetweenMethods].join(", ")}, ${OBJECT}`,
  is: (value): value is InbetweenChoice | typeof AUTO => value === AUTO || gapMethod.is(value),
  parse: (word) => word as InbetweenMethod,
  placeholder: [AUTO, ...inbetweenMethods].join("|"),
};

/** Returns the name of a chosen method. */
export const methodName = (choice: InbetweenChoice): InbetweenMethod =>
  typeof choice === "string" ? choice : choice.name;

/** Returns the options of a chosen method; empty for a name. */
export function methodOptions(choice: InbetweenChoice | typeof AUTO | undefined): Record<string, unknown> {
  if (choice === undefined || typeof choice === "string") return {};
  const { name: _, ...own } = choice;
  return own;
}

/** Returns the names of the methods that have an option. */
export const methodsWith = (option: string): InbetweenMethod[] =>
  inbetweenMethods.filter((name) => Object.hasOwn(methodDefaults[name], option));
