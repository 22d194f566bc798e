/** Checks the nesting of JSON before it is parsed, because a parser takes minutes for ten million nested brackets. */

/** Maximum nesting of brackets. glTF itself has six levels; extensions and extras have more. */
const MAX_NESTING = 128;
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Returns whether brackets are nested more than 128 levels deep. `text`: UTF-8 bytes of JSON. */
export function isTooDeep(text: Uint8Array): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const byte = text[index];
    if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > MAX_NESTING) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
    else if (byte === QUOTE) index = endOfString(text, index);
  }
  return false;
}

/**
 * Returns the index of the quotation mark that closes a string. Searches with `indexOf`, because buffers may
 * be strings of many megabytes.
 */
function endOfString(text: Uint8Array, start: number): number {
  for (let index = text.indexOf(QUOTE, start + 1); index >= 0; index = text.indexOf(QUOTE, index + 1)) {
    let backslashes = 0;
    while (text[index - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return index;
  }
  return text.length;
}
