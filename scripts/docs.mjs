// Builds the documentation site: TypeDoc writes the API reference to docs/api, research/notes is copied to docs/notes,
// then VitePress builds docs/ to www/dist/docs.
//
//     node scripts/docs.mjs [--base /PATH/]
//
// --base: path of the site on its host, if it is not "/" (also: KINESTITCH_BASE, which `npm run build` uses for the
// site's `_headers` too). Needs the built package.
import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root, run, runScript, UserError } from "./shell.mjs";

const bin = (name) => join(root, "node_modules", ".bin", name);
const docs = join(root, "docs");
const research = join(root, "research");
const outputFolder = join(root, "www", "dist", "docs");

/** Builds the documentation for a host that serves www/dist under `base`. */
export function buildDocs(base = process.env.KINESTITCH_BASE ?? "/") {
  if (!/^\/(.*\/)?$/.test(base))
    throw new UserError(`--base is "${base}": it must begin and end with a slash, as in /kinestitch/`);
  if (!existsSync(join(root, "pkg", "dist", "worker.js"))) throw new UserError("pkg/dist is empty: run npm run build");
  rmSync(join(docs, "api"), { recursive: true, force: true });
  run(bin("typedoc"), ["--options", "typedoc.json"], { cwd: join(root, "pkg") });
  rmSync(join(docs, "notes"), { recursive: true, force: true });
  cpSync(join(research, "notes"), join(docs, "notes"), { recursive: true });
  run(bin("vitepress"), ["build", "docs"], { env: { KINESTITCH_BASE: base } });
  // Result pages link to their data files.
  cpSync(join(research, "runs"), join(outputFolder, "results", "runs"), { recursive: true });
}

await runScript(import.meta, ([option, base, ...others]) => {
  const unknown = option === undefined || option === "--base" ? others[0] : option;
  if (unknown !== undefined) throw new UserError(`"${unknown}" is not an option of docs.mjs; see --help`);
  if (option === "--base" && base === undefined) throw new UserError("--base needs a path, as in --base /kinestitch/");
  buildDocs(base);
});
