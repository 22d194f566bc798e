// Prints compressed sizes of the downloads and of the npm package; fails if a published one exceeds its limit.
//
//     node scripts/sizes.mjs
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { printPackage } from "./package-size.mjs";
import { files, root, script, Stop } from "./shell.mjs";

const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;
const kb = (bytes) => `${(bytes / 1000).toFixed(1).padStart(8)} KB`;

/** Limit of the module that every page loads first, bytes. */
const LIGHT = 330_000;

/** Whether the modules are built for publication, not quickly. */
const isPublished = () => !JSON.parse(readFileSync(join(root, "pkg", "wasm", ".kinestitch.stamp.json"), "utf8")).dev;

/**
 * Prints every script, style, page and module of www/dist, largest first. The WebGPU module and weights load on demand.
 * Returns a sentence if the published light module exceeds its limit.
 */
export function printSizes() {
  const dist = join(root, "www", "dist");
  const all = files(["www/dist"], (path) => /\.(js|css|html|wasm|safetensors)$/.test(path)).map((path) => {
    const bytes = readFileSync(path);
    return { name: relative(dist, path), raw: bytes.length, small: gzip(bytes) };
  });
  console.log("\nwww/dist:    gzip         raw");
  for (const { name, raw, small } of all.sort((a, b) => b.small - a.small))
    console.log(`${kb(small)}  ${kb(raw)}  ${name}`);
  const light = all.find(({ name }) => /^kinestitch_bg\.\w+\.wasm$/.test(name));
  if (!light || !isPublished() || light.small <= LIGHT) return undefined;
  return `${light.name} takes ${kb(light.small).trim()} compressed; at most ${kb(LIGHT).trim()} were promised`;
}

await script(import.meta, () => {
  const excess = [printSizes(), printPackage({ isPublished: isPublished() })].filter(Boolean);
  if (excess.length > 0) throw new Stop(excess.join("; "));
});
