// Measures the size of the npm packages as users download them, bytes: `kinestitch`, the same without networks and
// WebGPU, and `kinestitch-player`. Used by `npm run sizes`.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import { root } from "./shell.mjs";

/** Limit of the package without networks, bytes of the packed file: half of it is the main module, 0.75 MB at most. */
const MAX_PACKAGE_BYTES = 1_500_000;

/** Files in wasm/ of the module that runs networks on WebGPU. */
const NETWORK_MODULES = /^networks[._]/;

/**
 * Runs `npm pack` on a folder without writing. Returns the size of the packed file, the total size of its contents, and
 * their paths.
 */
function measurePackage(directory) {
  const json = execFileSync("npm", ["pack", "--json", "--dry-run", "--ignore-scripts"], {
    cwd: directory,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ size, unpackedSize, files }] = JSON.parse(json);
  return { size, unpackedSize, files: files.map(({ path }) => path) };
}

/** Measures the package without networks, in a copy of `pkg`. */
function measureWithoutNetworks() {
  const folder = mkdtempSync(join(tmpdir(), "kinestitch-size-"));
  try {
    const directory = join(folder, "package");
    const skipped = new Set(["node_modules", "models", "src", "test"].map((name) => join(root, "pkg", name)));
    cpSync(join(root, "pkg"), directory, { recursive: true, filter: (path) => !skipped.has(path) });
    for (const name of readdirSync(join(directory, "wasm")))
      if (NETWORK_MODULES.test(name)) rmSync(join(directory, "wasm", name));
    return measurePackage(directory);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Reports the sizes of all packages, and the largest parts of `kinestitch`. `isPublished`: whether the modules are
 * built for publication. If they are, and the package without networks exceeds its limit, returns an error message.
 */
export function reportPackage(report, { isPublished }) {
  const mb = (bytes) => (bytes / 1e6).toFixed(2);
  const withoutNetworks = measureWithoutNetworks();
  report.table("npm packages, MB", ["package", "packed", "unpacked"]);
  const sizes = [
    ["kinestitch", measurePackage(join(root, "pkg"))],
    ["kinestitch without networks", withoutNetworks],
    ["kinestitch-player", measurePackage(join(root, "player"))],
  ];
  for (const [name, { size, unpackedSize }] of sizes) report.row(name, mb(size), mb(unpackedSize));
  // A part is a folder in dist/, or a file with its types.
  const sizeByPart = new Map();
  for (const path of withoutNetworks.files) {
    const names = path.split("/").slice(0, path.startsWith("wasm/") ? 3 : 2);
    const part = names.join("/").replace(/\.d\.ts$|\.js$/, "");
    const bytes = gzipSync(readFileSync(join(root, "pkg", path)), { level: 9 }).length;
    sizeByPart.set(part, (sizeByPart.get(part) ?? 0) + bytes);
  }
  report.table("Largest parts of the package without networks, KB, each compressed", ["part", "gzip -9"]);
  for (const [name, bytes] of [...sizeByPart].sort((a, b) => b[1] - a[1]).slice(0, 12))
    report.row(name, (bytes / 1000).toFixed(1));
  if (!isPublished || withoutNetworks.size <= MAX_PACKAGE_BYTES) return undefined;
  return `the package without networks takes ${mb(withoutNetworks.size)} MB; the limit is ${mb(MAX_PACKAGE_BYTES)} MB`;
}
