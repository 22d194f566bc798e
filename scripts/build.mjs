// Builds everything for users: the wasm modules, the package, the site and its documentation. Steps with unchanged
// inputs are skipped.
//
//     node scripts/build.mjs [--dev] [--no-gpu]
//
// --dev: larger, slower wasm modules, built in seconds; the WebGPU module in four minutes instead of twelve. --no-gpu:
// without the WebGPU module.
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildWasm } from "./build-wasm.mjs";
import { bundle } from "./bundles.mjs";
import { buildDocs } from "./docs.mjs";
import { copyModels } from "./models.mjs";
import { writeNotices } from "./notices.mjs";
import { installPackages } from "./packages.mjs";
import { listFiles, fingerprint, makeFolder, readIfExists, root, run, runScript } from "./shell.mjs";
import { RunReport } from "./run-report.mjs";
import { reportSizes } from "./sizes.mjs";

const bin = (name) => join(root, "node_modules", ".bin", name);

/**
 * Runs `work`, unless all `results` exist and the inputs are unchanged since the last run. `results`: paths from the
 * root; `inputs`: absolute paths of files; `values`: strings that are inputs too.
 */
async function step(name, results, inputs, work, values = []) {
  const stampPath = join(makeFolder(join(root, "target")), `${name}.stamp`);
  const inputHash = fingerprint(inputs, values);
  if (results.every((result) => existsSync(join(root, result))) && readIfExists(stampPath) === inputHash) {
    console.log(`${name} is up to date`);
    return;
  }
  await work();
  writeFileSync(stampPath, inputHash);
}

const lockFile = ["package-lock.json"];
/** Inputs of the compiled packages. No source imports the types of the WebGPU module. */
const compileInputs = () =>
  listFiles(
    [
      ...["pkg/src", "pkg/wasm", "pkg/package.json", "pkg/tsconfig.json"],
      ...["player/src", "player/package.json", "player/tsconfig.json", ...lockFile],
    ],
    (path) => !path.startsWith("pkg/wasm/") || (path.endsWith(".d.ts") && !path.startsWith("pkg/wasm/networks")),
  );
const packageInputs = () =>
  listFiles(["pkg/src", "pkg/bin", "pkg/wasm", "pkg/models", "pkg/package.json", "pkg/tsconfig.json", ...lockFile]);
const playerInputs = () =>
  listFiles([
    ...["player/src", "player/package.json", "player/tsconfig.json", "www/player", "www/viewer", "www/core"],
    "scripts/bundles.mjs",
  ]);
export const siteInputs = () =>
  listFiles(
    [
      ...["www", "models", "tests/fixtures", "webpack.config.js", ...lockFile],
      ...["headers", "demo-motion", "round-motion", "short-shader"].map((name) => `scripts/${name}.mjs`),
      ...["pkg/THIRD-PARTY-NOTICES.txt", "pkg/llms.txt", "pkg/skill"],
    ],
    (path) => !path.startsWith("www/dist/"),
  );

const docsInputs = () =>
  listFiles(
    [
      "docs",
      "research/notes",
      "research/runs",
      "tests/fixtures",
      "CHANGELOG.md",
      "pkg/typedoc.json",
      "pkg/tsconfig.docs.json",
      "player/src",
      "scripts/docs.mjs",
      "scripts/headers.mjs",
    ],
    (path) => !path.startsWith("docs/api/") && !path.startsWith("docs/notes/"),
  );

/** `gpu`: with the WebGPU module. `site`: with the site and its documentation. */
export async function build({ dev = false, gpu = true, site = true } = {}) {
  await buildWasm({ dev, gpu }); // first, so that it compiles while packages are installed
  installPackages();
  await step(
    "models",
    ["pkg/models/index.js"],
    listFiles(["models", "scripts/models.mjs", "pkg/wasm/networks_bg.wasm"]),
    copyModels,
  );
  await step(
    "notices",
    ["pkg", "single", "player"].map((name) => `${name}/THIRD-PARTY-NOTICES.txt`),
    listFiles(["Cargo.toml", "Cargo.lock", "scripts/notices.mjs", ...lockFile]),
    writeNotices,
  );
  copyFileSync(join(root, "CHANGELOG.md"), join(root, "pkg", "CHANGELOG.md"));
  await step("package", ["pkg/dist/browser.js", "player/dist/index.js"], compileInputs(), () =>
    run("npm", ["run", "build", "-w", "pkg", "-w", "player", "--silent"]),
  );
  await step(
    "bundles",
    ["pkg/dist/cdn/kinestitch.js", "player/dist/element.js", "player/standalone", "single/kinestitch.js"],
    [...packageInputs(), ...playerInputs()],
    bundle,
  );
  if (!site) return;
  const base = process.env.KINESTITCH_BASE ?? "/";
  const buildSite = () => {
    run(bin("tsc"), ["-p", "www"]);
    run(bin("webpack"), ["--mode", "production"]);
    const excessMessage = reportSizes(new RunReport("npm run sizes", []));
    if (excessMessage) console.warn(`warning: ${excessMessage} (npm run sizes fails until it is smaller)`);
  };
  await step("site", ["www/dist/index.html"], [...packageInputs(), ...siteInputs()], buildSite, [base]);
  await step(
    "documentation",
    ["www/dist/docs/index.html"],
    [...packageInputs(), ...docsInputs()],
    () => buildDocs(base),
    [base],
  );
}

await runScript(import.meta, (args) => build({ dev: args.includes("--dev"), gpu: !args.includes("--no-gpu") }));
