// `npm run dev`: serves the site with hot reload. Rust is built once, in a quick build; after changes in Rust run
// `npm run build:wasm -- --dev`.
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
