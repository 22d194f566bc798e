// For parser-targets.mjs: the site's reader and writer of project files, bundled for Node. They need neither three.js
// nor the package.
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./support.mjs";

const SOURCE = `
export { packProject, readProject } from "./www/core/project-file";
export { validateHead } from "./www/core/stored-work-schema";
import { project } from "./www/modes/stitch/schema";
import { document } from "./www/modes/inbetween/schema";
import { controlSettings } from "./www/modes/control/schema";
export const schemas = { stitch: project, inbetween: document, control: controlSettings };`;

/** Lists of methods and their options, from which schemas are built. */
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

/** Returns the page's `packProject(record, files)`, `readProject(file)` and `validateHead(value)`. */
export async function siteRecords() {
  const { outputFiles } = await build({
    stdin: { contents: SOURCE, resolveDir: root, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
    logLevel: "error",
    plugins: [stubs],
  });
  globalThis.location ??= { href: "https://site.invalid/" };
  const site = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
  const loadMode = async (id) =>
    Object.hasOwn(site.schemas, id) ? { storage: { schema: async () => site.schemas[id] } } : undefined;
  return {
    packProject: site.packProject,
    validateHead: (value) => site.validateHead({ loadMode }, value),
    readProject: (file) => site.readProject({ loadMode }, file),
  };
}
