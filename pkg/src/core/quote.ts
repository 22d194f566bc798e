/** Makes untrusted text (names in files, words of a command line, URLs) safe for messages and reports. */

/** Maximum length of the text of an error, characters. */
const MAX_MESSAGE_LENGTH = 2000;
/** Maximum length of a quoted name, characters. */
const MAX_NAME_LENGTH = 64;

/**
 * Characters with an effect on a terminal or on the order of a line: control characters (such as the start of escape
 * sequences), marks of writing direction, line and paragraph separators, halves of surrogate pairs. Line feeds and
 * tabs are kept.
 */
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;

/** Returns the text with each invisible character replaced by U+FFFD. */
export function makePrintable(text: string): string {
  return text.replace(INVISIBLE, "\ufffd");
}

/** Returns the first `maxLength` characters of a text; if the text is longer, the last of them is "…". */
export function shorten(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

/** Returns a name in quotation marks: on one line, without invisible characters, at most 64 characters long. */
export function quote(text: string): string {
  return `"${makePrintable(shorten(text, MAX_NAME_LENGTH)).replace(/[\n\t]/g, "\ufffd")}"`;
}

/** Returns the text of an error without invisible characters, at most 2,000 characters long. */
export function messageText(text: string): string {
  return makePrintable(shorten(text, MAX_MESSAGE_LENGTH));
}

/** Returns JSON without invisible characters: `JSON.stringify` leaves some control characters unescaped. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    INVISIBLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
