/** Nesting of JSON, checked before parsing: a parser takes minutes for ten million brackets. */

/** Largest nesting of brackets. glTF itself has six levels; extensions and extras have more. */
const MAX_NESTING = 128;
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Whether brackets are nested too deeply. */
export function isTooDeep(text: Uint8Array): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === OPEN_LIST || letter === OPEN_OBJECT) {
      if (++depth > MAX_NESTING) return true;
    } else if (letter === CLOSE_LIST || letter === CLOSE_OBJECT) depth--;
    else if (letter === QUOTE) at = endOfString(text, at);
  }
  return false;
}

/** End of the string that begins at a quotation mark: buffers may be strings of many megabytes. */
function endOfString(text: Uint8Array, start: number): number {
  for (let at = text.indexOf(QUOTE, start + 1); at >= 0; at = text.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}
