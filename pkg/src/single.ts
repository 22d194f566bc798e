/**
 * The package `kinestitch-single`: `kinestitch` in one file, including its wasm module. For bundlers that copy no
 * files, for a single script tag, for pages opened from a disk. Other files are located by `init`: `live`,
 * `networks`.
 * @module
 */
// Inserted by scripts/bundles.mjs: the compressed module as base64.
import module from "wasm:kinestitch";
import { locatedByInit, provideWithoutFiles } from "./without-files.js";

async function unpacked(): Promise<Uint8Array> {
  const packed = Uint8Array.from(atob(module), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

provideWithoutFiles(
  (override) => override ?? unpacked(),
  locatedByInit("kinestitch-single has only the first wasm module; set the location of live_bg.wasm: init({ live })"),
);

export * from "./exports.js";
