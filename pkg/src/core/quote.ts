/** Text of others (names in files, words of a command line, addresses) as messages and reports show it. */

/** Letters of an error's text at most. */
const LONGEST_MESSAGE = 2000;
/** Letters of a quoted name at most. */
const LONGEST_NAME = 64;

/**
 * Characters that act on a terminal or reorder a line instead of being seen: controls (escape sequences begin with one), marks of
 * writing direction, line and paragraph separators, halves of surrogate pairs. A line feed and a tab stay.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;

/** The text with U+FFFD in place of each character that is not seen but acted on. */
export function printable(text: string): string {
  return text.replace(UNSEEN, "\ufffd");
}

/** At most `most` letters of a text, the last of them "…" where it is longer. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** A name in quotation marks: printable, on one line, at most 64 letters. */
export function quoted(text: string): string {
  return `"${printable(shortened(text, LONGEST_NAME)).replace(/[\n\t]/g, "\ufffd")}"`;
}

/** The text of an error: printable, at most 2,000 letters. Every error of the package passes through here. */
export function messageText(text: string): string {
  return printable(shortened(text, LONGEST_MESSAGE));
}

/** JSON that a terminal shows as it is: `JSON.stringify` leaves some control characters unescaped. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    UNSEEN,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
