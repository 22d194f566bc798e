// Compressed sizes of what a visitor downloads.
//
//     node scripts/sizes.mjs
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { files, root, script } from "./shell.mjs";

const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;
const kb = (bytes) => `${(bytes / 1000).toFixed(1).padStart(8)} KB`;

/** Every script, style, page and module of www/dist, largest first. The WebGPU module and weights load on first need. */
export function printSizes() {
  const dist = join(root, "www", "dist");
  const all = files(["www/dist"], (path) => /\.(js|css|html|wasm|safetensors)$/.test(path)).map((path) => {
    const bytes = readFileSync(path);
    return { name: relative(dist, path), raw: bytes.length, small: gzip(bytes) };
  });
  console.log("\nwww/dist:    gzip         raw");
  for (const { name, raw, small } of all.sort((a, b) => b.small - a.small)) console.log(`${kb(small)}  ${kb(raw)}  ${name}`);
}

await script(import.meta, printSizes);
