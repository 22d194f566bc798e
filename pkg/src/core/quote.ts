/** Makes untrusted text (names in files, command-line arguments, URLs) safe for messages and reports. */

/** Maximum length of an error message, characters. */
const MAX_MESSAGE_LENGTH = 2000;
/** Maximum length of a quoted name, characters. */
const MAX_NAME_LENGTH = 64;

/**
 * Characters that could control a terminal or change how text is displayed: control characters (such as the start of
 * escape sequences), marks of writing direction, byte order marks, line and paragraph separators, unpaired surrogates.
 * Line feeds and tabs are not among them.
 */
const UNPRINTABLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;

/** Returns the text with each unprintable character replaced by U+FFFD. */
export function makePrintable(text: string): string {
  return text.replace(UNPRINTABLE, "\ufffd");
}

/** Shortens a text to at most `maxLength` characters; a shortened text ends with "…". */
export function shorten(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

/** Returns a name in quotation marks: shortened to 64 characters, on one line, without unprintable characters. */
export function quote(text: string): string {
  return `"${makePrintable(shorten(text, MAX_NAME_LENGTH)).replace(/[\n\t]/g, "\ufffd")}"`;
}

/** Returns an error message without unprintable characters, shortened to 2,000 characters. */
export function printableMessage(text: string): string {
  return makePrintable(shorten(text, MAX_MESSAGE_LENGTH));
}

/** Returns JSON with unprintable characters escaped: `JSON.stringify` leaves some control characters unescaped. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
