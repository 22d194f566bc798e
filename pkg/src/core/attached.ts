/** Checks the caller's buffers: a buffer that was transferred to another thread still exists, but is empty. */
import { wrongOption } from "./options.js";

const detachedError = (name: string): Error =>
  wrongOption(name, `the buffer of ${name} was transferred to another thread, and is empty here; pass a copy`);

/** Throws if the buffer of `values` was transferred. `name`: the name of the values in the message. */
export function checkAttached(values: Uint8Array | Float32Array, name: string): void {
  try {
    // The constructor throws on a detached buffer; a length of 0 could also be an empty one.
    new Uint8Array(values.buffer, values.byteOffset, 0);
  } catch {
    throw detachedError(name);
  }
}

/** Returns the bytes of a buffer; throws if the buffer was transferred. */
export function attachedBytes(buffer: ArrayBuffer | Uint8Array, name: string): Uint8Array {
  if (buffer instanceof Uint8Array) {
    checkAttached(buffer, name);
    return buffer;
  }
  try {
    return new Uint8Array(buffer);
  } catch {
    throw detachedError(name);
  }
}
