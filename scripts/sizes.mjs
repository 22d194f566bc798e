// Compressed sizes of what a visitor downloads.
//
//     node scripts/sizes.mjs
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { files, root, script } from "./shell.mjs";

const gzip = (path) => gzipSync(readFileSync(path), { level: 9 }).length;
const kb = (bytes) => `${(bytes / 1000).toFixed(1).padStart(7)} KB`;

/** Every script, style, page and module of www/dist, gzip, largest first. */
export function printSizes() {
  const dist = join(root, "www", "dist");
  const all = files(["www/dist"], (path) => /\.(js|css|html|wasm)$/.test(path)).map((path) => [gzip(path), relative(dist, path)]);
  console.log("\nwww/dist, gzip:");
  for (const [size, name] of all.sort((a, b) => b[0] - a[0])) console.log(`${kb(size)}  ${name}`);
}

await script(import.meta, printSizes);
