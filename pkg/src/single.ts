/**
 * The package `kinestitch-single`: `kinestitch` in one file with its wasm module, for bundlers that copy no files,
 * for a single script tag, and for pages opened from a disk. `init({ networks })` sets the location of the networks.
 * @module
 */
// The compressed wasm module as base64; scripts/bundles.mjs inserts it.
import base64Module from "wasm:kinestitch";
import { provideWithoutFiles } from "./without-files.js";

/** Decompresses the wasm module. */
async function decompress(): Promise<Uint8Array> {
  const compressed = Uint8Array.from(atob(base64Module), (character) => character.charCodeAt(0));
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

provideWithoutFiles((override) => override ?? decompress());

export * from "./exports.js";
