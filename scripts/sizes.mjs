// Prints compressed sizes of the site's files and of the npm packages, and writes those of the modules into README.md if
// they are built for publication. Fails if the main module or the package without
// networks, built for publication, exceeds its limit.
//
//     node scripts/sizes.mjs [--json FILE]
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { reportPackage } from "./package-size.mjs";
import { RunReport } from "./run-report.mjs";
import { listFiles, root, runScript, UserError } from "./shell.mjs";

const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;
const kb = (bytes) => (bytes / 1000).toFixed(1);

/** Largest compressed size of the main module, bytes. */
const MAX_MODULE_BYTES = 750_000;

/** Whether a file is measured: scripts, styles, pages, modules and weights of the site without its documentation. */
const isMeasured = (path) => /\.(js|css|html|wasm|safetensors)$/.test(path) && !/^www.dist.(docs|models)\b/.test(path);

/** Whether the modules are built for publication, not quickly. */
const isPublished = () => !JSON.parse(readFileSync(join(root, "pkg", "wasm", ".kinestitch.stamp.json"), "utf8")).dev;

/**
 * Reports the files of the site, largest first. The WebGPU module and weights load on demand.
 * If the modules are built for publication and the main one exceeds its limit, returns an error message. Throws if the
 * site has no main module, because then no limit is checked.
 */
export function reportSizes(report) {
  const dist = join(root, "www", "dist");
  const siteFiles = listFiles(["www/dist"], isMeasured).map((path) => {
    const bytes = readFileSync(path);
    return { name: relative(dist, path), raw: bytes.length, compressed: gzip(bytes) };
  });
  report.table("Files of the site, KB", ["file", "gzip -9", "raw"]);
  for (const { name, raw, compressed } of siteFiles.sort((a, b) => b.compressed - a.compressed))
    report.row(name.replace(/\.[0-9a-f]{6,}(?=\.)/, ""), kb(compressed), kb(raw));
  const mainModule = siteFiles.find(({ name }) => /^kinestitch_bg\.\w+\.wasm$/.test(name));
  if (!mainModule) throw new UserError("www/dist contains no kinestitch_bg.*.wasm; run npm run build first");
  if (!isPublished() || mainModule.compressed <= MAX_MODULE_BYTES) return undefined;
  return `${mainModule.name} takes ${kb(mainModule.compressed)} KB compressed; the limit is ${kb(MAX_MODULE_BYTES)} KB`;
}

/** Files of the entry points in the table of README.md. */
const ENTRY_FILES = {
  kinestitch: "kinestitch_bg.wasm",
  "kinestitch/worker": "kinestitch_bg.wasm",
  "kinestitch/small": "kinestitch_small_bg.wasm",
};

/** Returns the text of README.md with the measured sizes of the entry points' modules. */
export function withSizes(text) {
  return Object.entries(ENTRY_FILES).reduce((result, [entry, file]) => {
    const size = `${Math.round(gzip(readFileSync(join(root, "pkg", "wasm", file))) / 1000)} KB`;
    const cell = new RegExp(`(^\\| \`${entry}\` +\\|[^|]*\\| )([^|]*)(?=\\|)`, "m");
    if (!cell.test(result)) throw new UserError(`README.md has no row for ${entry}`);
    return result.replace(cell, (_, start, old) => start + size.padEnd(old.length));
  }, text);
}

function writeReadme() {
  const path = join(root, "README.md");
  writeFileSync(path, withSizes(readFileSync(path, "utf8")));
}

await runScript(import.meta, (args) => {
  const report = new RunReport("npm run sizes", args);
  const excesses = [reportSizes(report), reportPackage(report, { isPublished: isPublished() })].filter(Boolean);
  report.save();
  if (isPublished()) writeReadme();
  if (excesses.length > 0) throw new UserError(excesses.join("; "));
});
