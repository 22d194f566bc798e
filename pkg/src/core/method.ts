/** How a gap is filled: a method by name, or an object of its name and its own options. */
import { methodDefaults } from "./generated/methods.js";
import type { Kind } from "./options.js";
import { type InbetweenChoice, type InbetweenMethod, inbetweenMethods } from "./inbetween-types.js";

/** Tries every method, and takes the most natural motion. */
export const AUTO = "auto";

const isName = (value: unknown): value is InbetweenMethod => inbetweenMethods.includes(value as InbetweenMethod);

const OBJECT = "or an object of a method's name and options of that method";

/** A name, or an object of the name and options that the method has. Their values are checked by the method. */
export const gapMethod: Kind<InbetweenChoice> = {
  words: `one of ${inbetweenMethods.join(", ")}, ${OBJECT}`,
  is(value): value is InbetweenChoice {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return isName(value);
    const { name, ...own } = value as Record<string, unknown>;
    return isName(name) && Object.keys(own).every((option) => Object.hasOwn(methodDefaults[name], option));
  },
};

/** As {@link gapMethod}, or "auto". */
export const choice: Kind<InbetweenChoice | typeof AUTO> = {
  words: `one of ${[AUTO, ...inbetweenMethods].join(", ")}, ${OBJECT}`,
  is: (value): value is InbetweenChoice | typeof AUTO => value === AUTO || gapMethod.is(value),
  parse: (word) => word as InbetweenMethod,
  placeholder: [AUTO, ...inbetweenMethods].join("|"),
};

/** Its name. */
export const nameOf = (choice: InbetweenChoice): InbetweenMethod => (typeof choice === "string" ? choice : choice.name);

/** Its own options. */
export function optionsOf(choice: InbetweenChoice | typeof AUTO | undefined): Record<string, unknown> {
  if (choice === undefined || typeof choice === "string") return {};
  const { name: _, ...own } = choice;
  return own;
}

/** Names of the methods that have an option. */
export const methodsWith = (option: string): InbetweenMethod[] =>
  inbetweenMethods.filter((name) => Object.hasOwn(methodDefaults[name], option));
