// `npm run dev`: serves the site and reloads it after changes in www/. Rust and the npm package are built once, at the
// start: Rust in a quick build, which leaves the WebGPU module as it is. After changes in Rust run
// `npm run build:wasm -- --dev --no-gpu`; after changes in pkg/src run `npm run build -w pkg`. Arguments are passed to
// `webpack serve`.
import { join } from "node:path";
import { buildWasm } from "./build-wasm.mjs";
import { installPackages } from "./packages.mjs";
import { root, run, runScript } from "./shell.mjs";

await runScript(import.meta, async (args) => {
  installPackages();
  await buildWasm({ dev: true, gpu: false });
  run("npm", ["run", "build", "-w", "pkg", "--silent"]);
  run(join(root, "node_modules", ".bin", "webpack"), ["serve", "--mode", "development", ...args]);
});
