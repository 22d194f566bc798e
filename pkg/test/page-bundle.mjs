// For page-*.test.mjs and site-records.mjs: modules of the page, bundled for Node.
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./support.mjs";

/** Lists of methods and their options, which the page reads from the package. */
const REGISTRY = join(root, "pkg", "dist", "core", "generated", "methods.js");

/** Replaces the packages for drawing and computing by the lists of methods. */
const stubs = {
  name: "stubs",
  setup(bundler) {
    bundler.onResolve({ filter: /^(three|kinestitch)(\/|$)/ }, ({ path }) => ({ path, namespace: "absent" }));
    bundler.onLoad({ filter: /.*/, namespace: "absent" }, () => ({
      contents: `module.exports = require(${JSON.stringify(REGISTRY)});`,
      resolveDir: root,
    }));
  },
};

/** Bundles a module that exports from "./www/…", and imports it. `plugins`: plugins of esbuild, before the stubs. */
export async function bundlePage(source, plugins = []) {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: root, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
    logLevel: "error",
    define: { NETWORK_MODULE_BYTES: "0" },
    plugins: [...plugins, stubs],
  });
  globalThis.location ??= { href: "https://site.invalid/" };
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
