/**
 * The package `kinestitch-single`: `kinestitch` in one file with its light wasm module, for bundlers that copy no
 * files, for a single script tag, and for pages opened from a disk. `init({ live, networks })` sets the locations of
 * the other files.
 * @module
 */
// The compressed wasm module as base64; scripts/bundles.mjs inserts it.
import base64Module from "wasm:kinestitch";
import { locatedByInit, provideWithoutFiles } from "./without-files.js";

/** Decompresses the wasm module. */
async function decompress(): Promise<Uint8Array> {
  const compressed = Uint8Array.from(atob(base64Module), (character) => character.charCodeAt(0));
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

provideWithoutFiles(
  (override) => override ?? decompress(),
  locatedByInit(
    "kinestitch-single includes only the module of clips and stitching; set the URL of live_bg.wasm: init({ live })",
  ),
);

export * from "./exports.js";
