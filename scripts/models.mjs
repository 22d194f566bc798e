// Copies the open weights from models/ to pkg/models, and writes the scripts by which bundlers find them: index.js for
// all networks, one script per network, and webgpu.js for the WebGPU module. Research weights are not in the package,
// so that nobody installs non-commercial weights by accident; the site has its own copy of models/.
//
//     node scripts/models.mjs
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, root, runScript, UserError } from "./shell.mjs";

/** Properties of a network that pkg/src/networks/manifest-check.ts reads. */
const READ_PROPERTIES = ["name", "for", "character", "set", "licence", "data", "files", "layout", "scores"];
const OUT = join(root, "pkg", "models");

/** Comment of the generated scripts. */
const HEADER = "Made by scripts/models.mjs. The URLs are literals, because bundlers find files only by literals.";

/**
 * Returns the script of an entry "kinestitch/networks/…", which registers a network or the WebGPU module on import.
 * `registered`: JavaScript text of a NetworkPart (pkg/src/networks/urls.ts).
 */
const entryScript = (registered) => `// ${HEADER}
import { addNetwork } from "../dist/networks/urls.js";

addNetwork(() => (${registered}));
`;

/** Writes the script of one network, so that an app can include its files without those of other networks. */
function writeEntry(version, network) {
  const { name, character, files } = network;
  const urlLines = files.map(
    ({ name }) => `    ${JSON.stringify(name)}: new URL("../models/${name}?no-inline", import.meta.url),\n`,
  );
  writeFileSync(
    join(OUT, `${character ? `${name}-${character}` : name}.js`),
    entryScript(`{
  manifest: ${JSON.stringify(JSON.stringify({ version, networks: [network] }))},
  models: {
${urlLines.join("")}  },
}`),
  );
}

/** Writes pkg/models anew. */
export function copyModels() {
  const source = join(root, "models");
  const manifest = JSON.parse(readFileSync(join(source, "manifest.json"), "utf8"));
  const networks = manifest.networks.filter(({ set }) => set === "open");
  const files = networks.flatMap(({ files }) => files.map(({ name }) => name));
  const missing = files.find((name) => !existsSync(join(source, name)));
  if (missing) throw new UserError(`models/manifest.json names ${missing}, which is not in models/`);
  rmSync(OUT, { recursive: true, force: true });
  makeFolder(OUT);
  for (const name of files) copyFileSync(join(source, name), join(OUT, name));
  writeFileSync(join(OUT, "manifest.json"), JSON.stringify({ ...manifest, networks }, null, 2));
  // Every page downloads this file, so it holds only the fields that parseManifest() reads.
  const listed = networks.map((network) =>
    Object.fromEntries(READ_PROPERTIES.filter((key) => key in network).map((key) => [key, network[key]])),
  );
  const text = JSON.stringify({ version: manifest.version, networks: listed });
  // URLs begin at the parent folder: correct also if Vite's development server serves this script from another folder.
  // The query keeps Vite from inlining a small file as a data: URL, which strict content security policies forbid.
  const urlLines = files.map(
    (name) => `  ${JSON.stringify(name)}: new URL("../models/${name}?no-inline", import.meta.url),\n`,
  );
  const { size } = statSync(join(root, "pkg", "wasm", "networks_bg.wasm")); // an empty placeholder until it is built
  writeFileSync(
    join(OUT, "index.js"),
    `// ${HEADER}
/** manifest.json without its notes. Embedded, because some bundlers turn JSON files into scripts. */
export const manifest = ${JSON.stringify(text)};

/** Weights in this folder. */
export const models = () => ({
${urlLines.join("")}});

/** Size of wasm/networks_bg.wasm; 0 if it is not built. */
export const wasmBytes = ${size};
`,
  );
  for (const network of listed) writeEntry(manifest.version, network);
  writeFileSync(
    join(OUT, "webgpu.js"),
    entryScript(`{
  script: new URL("../wasm/networks.js", import.meta.url),
  wasm: new URL("../wasm/networks_bg.wasm", import.meta.url),
  wasmBytes: ${size},
}`),
  );
  writeFileSync(
    join(OUT, "index.d.ts"),
    "export declare const manifest: string;\nexport declare const models: () => Record<string, URL>;\nexport declare const wasmBytes: number;\n",
  );
}

await runScript(import.meta, copyModels);
