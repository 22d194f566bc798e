// Bundles three outputs:
// - the player element for the package kinestitch-player: player/dist/ for bundlers, player/standalone/ for other pages
// - the package kinestitch-single: one file that includes the wasm module (single/kinestitch.js), without decoders
// - the entries for CDNs: a few files per entry instead of seventy (pkg/dist/cdn/)
// Needs the compiled packages (tsc), pkg/wasm and pkg/models.
//
//     node scripts/bundles.mjs
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { root, runScript } from "./shell.mjs";

const dist = join(root, "pkg", "dist");
const player = join(root, "player");
const COMMON = {
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
};

/** Replaces the site's script that starts the worker for FBX files by the script of the package. */
const fbxStart = {
  name: "FBX start",
  setup(build) {
    build.onResolve({ filter: /\/fbx-start$/ }, () => ({ path: join(player, "src", "fbx-start.ts") }));
  },
};

/** Plug-in that embeds the compressed wasm module as text: base64 of uncompressed wasm is three times as large. */
const embedWasm = {
  name: "embed wasm",
  setup(build) {
    build.onResolve({ filter: /^wasm:kinestitch$/ }, ({ path }) => ({ path, namespace: "embedded" }));
    build.onLoad({ filter: /.*/, namespace: "embedded" }, () => {
      const wasm = readFileSync(join(root, "pkg", "wasm", "kinestitch_bg.wasm"));
      return {
        contents: `export default ${JSON.stringify(gzipSync(wasm, { level: 9 }).toString("base64"))};`,
        loader: "js",
      };
    });
  },
};

/** Plug-in for the bundles in dist/cdn/, which load the decoders of compressed glTF files from the package itself. */
const sharedDecoders = {
  name: "shared decoders",
  setup(build) {
    build.onResolve({ filter: /\/decoders\/(draco|meshopt)\.js$/ }, ({ path }) => ({
      path: `../gltf/decoders/${path.split("/").pop()}`,
      external: true,
    }));
  },
};

/** Plug-in that leaves the decoders of compressed glTF files out of a bundle: they are larger than all other code. */
const withoutDecoders = {
  name: "without decoders",
  setup(build) {
    build.onResolve({ filter: /\/decoders\/(draco|meshopt)\.js$/ }, ({ path }) => ({ path, namespace: "decoder" }));
    build.onLoad({ filter: /.*/, namespace: "decoder" }, () => ({
      contents: `
        const fail = () => { throw new Error("it is compressed by Draco or meshopt, which needs the package kinestitch"); };
        export { fail as decodeDraco, fail as decodeMeshopt };`,
    }));
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

/** Returns the entries that scripts/models.mjs writes: single networks, such as "networks-delta", and WebGPU. */
const singleNetworks = () =>
  readdirSync(join(root, "pkg", "models"))
    .filter((file) => file.endsWith(".js") && file !== "index.js")
    .map((file) => [`networks-${file.slice(0, -".js".length)}`, `models/${file}`]);

/** Returns a plug-in for bundles in another folder: adapts the relative URLs of wasm modules and of worker scripts. */
const adaptUrls = (wasmUrl, workerUrl) => ({
  name: "adapt URLs",
  setup(build) {
    build.onLoad({ filter: /[\\/]pkg[\\/](dist|models)[\\/].*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8")
        .replaceAll('new URL("../', `new URL("${wasmUrl}`)
        .replace(/file: "((worker|small)-host\.js)"/, `file: "${workerUrl}$1"`),
    }));
  },
});

/** Modules that the player element fetches: the small one for motions, the main one for characters. */
const PLAYER_MODULES = ["kinestitch_small_bg.wasm", "kinestitch_bg.wasm"];

/**
 * Bundles the player element twice. For bundlers it imports `kinestitch` and three.js, so that an app has each once. The
 * folder for pages without a bundler holds everything; it also has the worker for FBX files of both bundles, which is a
 * single file, because other bundlers make classic scripts of workers.
 */
async function bundlePlayer(build) {
  const [out, standalone] = [join(player, "dist"), join(player, "standalone")];
  const element = join(root, "www", "player", "element.ts");
  const workerUrl = (url) => ({ FBX_WORKER: JSON.stringify(url) });
  for (const name of readdirSync(out)) if (/^(element|part)\b.*\.js$/.test(name)) rmSync(join(out, name));
  await build({
    ...COMMON,
    entryPoints: { element },
    outdir: out,
    splitting: true,
    chunkNames: "part-[hash]",
    external: ["kinestitch", "three"],
    define: workerUrl("../standalone/fbx-worker.js"),
    plugins: [fbxStart],
  });
  rmSync(standalone, { recursive: true, force: true });
  await build({
    ...COMMON,
    entryPoints: { "kinestitch-player": element, "small-host": join(dist, "small-host.js") },
    outdir: standalone,
    splitting: true,
    chunkNames: "shared-[hash]",
    external: ["node:*"],
    define: workerUrl("./fbx-worker.js"),
    plugins: [fbxStart, adaptUrls("./", "../"), withoutDecoders],
  });
  const worker = join(root, "www", "viewer", "fbx-worker.ts");
  await build({ ...COMMON, entryPoints: [worker], outfile: join(standalone, "fbx-worker.js") });
  for (const name of PLAYER_MODULES) cpSync(join(root, "pkg", "wasm", name), join(standalone, "wasm", name));
}

/** Writes all bundles. */
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
    plugins: [adaptUrls("../../", "cdn/"), sharedDecoders],
  });
  await bundlePlayer(build);
  const outfile = join(root, "single", "kinestitch.js");
  await build({
    ...COMMON,
    entryPoints: [join(dist, "single.js")],
    outfile,
    external: ["node:*"],
    plugins: [embedWasm, withoutDecoders],
  });
}

await runScript(import.meta, bundle);
