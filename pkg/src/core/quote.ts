/** Foreign text (names in files, words of a command line, addresses) for messages and reports. */

/** Longest text of an error, characters. */
const LONGEST_MESSAGE = 2000;
/** Longest quoted name, characters. */
const LONGEST_NAME = 64;

/**
 * Characters with an effect on a terminal or on the order of a line: controls (such as the start of escape
 * sequences), marks of writing direction, line and paragraph separators, halves of surrogate pairs. Line feeds and
 * tabs are kept.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;

/** The text with each such character replaced by U+FFFD. */
export function printable(text: string): string {
  return text.replace(UNSEEN, "\ufffd");
}

/** At most `most` characters of a text, ending with "…" where it is longer. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** A name in quotation marks: printable, on one line, at most 64 characters. */
export function quoted(text: string): string {
  return `"${printable(shortened(text, LONGEST_NAME)).replace(/[\n\t]/g, "\ufffd")}"`;
}

/** The text of an error: printable, at most 2,000 characters. Used by every error of the package. */
export function messageText(text: string): string {
  return printable(shortened(text, LONGEST_MESSAGE));
}

/** JSON without invisible characters: `JSON.stringify` leaves some control characters unescaped. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    UNSEEN,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
