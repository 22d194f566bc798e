// models/ → pkg/models: the open weights of the manifest, and a script that names them for bundlers. Research weights are
// served beside the package (the site has its own copy of models/): nobody installs by accident what must not be sold.
//
//     node scripts/models.mjs
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, root, script, Stop } from "./shell.mjs";

const OUT = join(root, "pkg", "models");

export function copyModels() {
  const from = join(root, "models");
  const manifest = JSON.parse(readFileSync(join(from, "manifest.json"), "utf8"));
  const models = manifest.models.filter(({ set }) => set === "open");
  const missing = models.find(({ file }) => !existsSync(join(from, file)));
  if (missing) throw new Stop(`models/manifest.json names ${missing.file}, which models/ does not hold`);
  rmSync(OUT, { recursive: true, force: true });
  folder(OUT);
  const names = ["manifest.json", ...models.map(({ file }) => file)];
  for (const { file } of models) copyFileSync(join(from, file), join(OUT, file));
  writeFileSync(join(OUT, "manifest.json"), JSON.stringify({ ...manifest, models }, null, 2));
  // The query keeps Vite from putting a small file into the script as a data: address, which strict policies forbid.
  const entries = names.map((name) => `  ${JSON.stringify(name)}: new URL("./${name}?no-inline", import.meta.url),\n`);
  const { size } = statSync(join(root, "pkg", "wasm", "networks_bg.wasm"));
  writeFileSync(join(OUT, "index.js"), `// Made by scripts/models.mjs. Spelled out for bundlers, which look for exactly these expressions.
/** Files of this folder. */
export const models = () => ({
${entries.join("")}});

/** Size of wasm/networks_bg.wasm. */
export const wasmBytes = ${size};
`);
  writeFileSync(join(OUT, "index.d.ts"), "export declare const models: () => Record<string, URL>;\nexport declare const wasmBytes: number;\n");
}

await script(import.meta, copyModels);
