/** Checks of the caller's buffers: a buffer that was transferred to another thread still exists, but is empty. */
import { wrongOption } from "./options.js";

const gone = (what: string): Error =>
  wrongOption(what, `the buffer of ${what} was transferred to another thread, and is empty here; give a copy`);

/** Throws if the buffer of `values` was transferred. */
export function checkAttached(values: Uint8Array | Float32Array, what: string): void {
  try {
    // The constructor throws on a detached buffer; a length of 0 could also be an empty one.
    new Uint8Array(values.buffer, values.byteOffset, 0);
  } catch {
    throw gone(what);
  }
}

/** Returns the bytes of a buffer; throws if the buffer was transferred. */
export function attached(given: ArrayBuffer | Uint8Array, what: string): Uint8Array {
  if (given instanceof Uint8Array) {
    checkAttached(given, what);
    return given;
  }
  try {
    return new Uint8Array(given);
  } catch {
    throw gone(what);
  }
}
