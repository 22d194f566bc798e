// Bundles the element with its viewer (pkg/dist/player/), the package kinestitch-single, one file with the wasm module
// inside (single/kinestitch.js), and the entries for CDNs, a few files each instead of seventy (pkg/dist/cdn/). Needs
// the compiled package (tsc), pkg/wasm and pkg/models.
//
//     node scripts/bundles.mjs
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { root, script } from "./shell.mjs";

const dist = join(root, "pkg", "dist");
const COMMON = {
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
};

/**
 * The package's own entries stay separate files, so that a page never loads one twice. Only code for three.js objects
 * is bundled, with the element's own three.js, so that a page does not need to have one.
 */
const beside = {
  name: "beside",
  setup(build) {
    const [three, ofThree, player] = [join(dist, "three.js"), join(dist, "three", sep), join(dist, "player")];
    build.onResolve({ filter: /^kinestitch\/three$/ }, () => ({ path: three }));
    build.onResolve({ filter: /^\.\.?\// }, ({ path, importer }) => {
      if (importer !== three && !importer.startsWith(ofThree)) return undefined;
      const file = resolve(dirname(importer), path);
      return file.startsWith(ofThree) ? undefined : { path: posix(relative(player, file)), external: true };
    });
    build.onResolve({ filter: /^kinestitch(\/.*)?$/ }, ({ path }) => ({
      path: `../${path.slice("kinestitch/".length) || "browser"}.js`,
      external: true,
    }));
  },
};

/** The script of the worker for FBX files under its name in `dist/player/`, where bundlers of others find it. */
const fbxWorker = {
  name: "FBX worker",
  setup(build) {
    build.onLoad({ filter: /[\\/]www[\\/]core[\\/]fbx\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace("../viewer/fbx-worker.ts", "./fbx-worker.js"),
      loader: "ts",
    }));
  },
};

const posix = (path) => path.split(sep).join("/");

/** The compressed wasm module as text: base64 of uncompressed wasm is three times as large. */
const inside = {
  name: "inside",
  setup(build) {
    build.onResolve({ filter: /^wasm:kinestitch$/ }, ({ path }) => ({ path, namespace: "inside" }));
    build.onLoad({ filter: /.*/, namespace: "inside" }, () => {
      const wasm = readFileSync(join(root, "pkg", "wasm", "kinestitch_bg.wasm"));
      return {
        contents: `export default ${JSON.stringify(gzipSync(wasm, { level: 9 }).toString("base64"))};`,
        loader: "js",
      };
    });
  },
};

/**
 * Entries by their names in `dist/cdn/`. The worker's script shares files with the page, which saves downloads and
 * package size.
 */
const CDN = {
  kinestitch: "dist/browser.js",
  worker: "dist/worker.js",
  "worker-host": "dist/worker-host.js",
  small: "dist/small.js",
  "small-host": "dist/small-host.js",
  three: "dist/three.js",
  networks: "dist/networks.js",
};

/** "networks-delta" and so on: entries of single networks, made by scripts/models.mjs. */
const singleNetworks = () =>
  readdirSync(join(root, "pkg", "models"))
    .filter((file) => file.endsWith(".js") && file !== "index.js")
    .map((file) => [`networks-${file.slice(0, -".js".length)}`, `models/${file}`]);

/** Files in `dist/cdn/` are one folder deeper than their sources, and include their worker. */
const deeper = {
  name: "deeper",
  setup(build) {
    build.onLoad({ filter: /[\\/]pkg[\\/](dist|models)[\\/].*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8")
        .replaceAll('new URL("../', 'new URL("../../')
        .replace(/file: "((worker|small)-host\.js)"/, 'file: "cdn/$1"'),
    }));
  },
};

export async function bundle() {
  const { build } = await import("esbuild"); // a package that build() has installed
  rmSync(join(dist, "cdn"), { recursive: true, force: true });
  await build({
    ...COMMON,
    entryPoints: Object.fromEntries(
      [...Object.entries(CDN), ...singleNetworks()].map(([name, file]) => [name, join(root, "pkg", file)]),
    ),
    outdir: join(dist, "cdn"),
    splitting: true,
    chunkNames: "shared-[hash]",
    external: ["three", "node:*"],
    plugins: [deeper],
  });
  rmSync(join(dist, "player"), { recursive: true, force: true });
  await build({
    ...COMMON,
    entryPoints: { "kinestitch-player": join(root, "www", "player", "element.ts") },
    outdir: join(dist, "player"),
    splitting: true,
    chunkNames: "[name]-[hash]",
    plugins: [beside, fbxWorker],
  });
  // One file without imports at run time: other bundlers make classic scripts of workers.
  const worker = join(root, "www", "viewer", "fbx-worker.ts");
  await build({ ...COMMON, entryPoints: [worker], outfile: join(dist, "player", "fbx-worker.js") });
  const outfile = join(root, "single", "kinestitch.js");
  await build({ ...COMMON, entryPoints: [join(dist, "single.js")], outfile, external: ["node:*"], plugins: [inside] });
}

await script(import.meta, bundle);
