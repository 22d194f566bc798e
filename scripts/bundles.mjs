// Bundles the element with its viewer (pkg/dist/player/), and the package kinestitch-single, one file including the
// wasm module (single/kinestitch.js). Needs the compiled package (tsc) and pkg/wasm.
//
//     node scripts/bundles.mjs
import { readFileSync, rmSync } from "node:fs";
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
 * The package's own entries stay what they are: files beside the bundle, so that a page never loads one twice. Only what works on
 * objects of three.js goes in, with the element's own three.js: a page that has none must not need one.
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

const posix = (path) => path.split(sep).join("/");

/** The wasm module as text, compressed: base64 of bare wasm is three times as much. */
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

export async function bundle() {
  const { build } = await import("esbuild"); // a package that build() has installed
  rmSync(join(dist, "player"), { recursive: true, force: true });
  await build({
    ...COMMON,
    entryPoints: { "kinestitch-player": join(root, "www", "player", "element.ts") },
    outdir: join(dist, "player"),
    splitting: true,
    chunkNames: "[name]-[hash]",
    plugins: [beside],
  });
  const outfile = join(root, "single", "kinestitch.js");
  await build({ ...COMMON, entryPoints: [join(dist, "single.js")], outfile, external: ["node:*"], plugins: [inside] });
}

await script(import.meta, bundle);
