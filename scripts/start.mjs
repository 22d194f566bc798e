// `npm start`: sets up, builds and serves the site at http://localhost:8080, with quickly built modules. If the WebGPU
// module is missing or out of date, it is built in the background with the published modules (twelve minutes).
//
//     node scripts/start.mjs [--port 8080]
import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { hasGpu } from "./build-wasm.mjs";
import { makeFolder, portOf, root, runScript } from "./shell.mjs";

/** Builds the published modules while the server runs. */
function buildMissingModules() {
  const log = join(makeFolder(join(root, "target")), "webgpu.log");
  const logFile = openSync(log, "w");
  console.log(
    `The WebGPU module is being built in the background (about twelve minutes, log in ${log}); until then networks run on the CPU.`,
  );
  const child = spawn(process.execPath, [join(root, "scripts", "build.mjs")], {
    cwd: root,
    stdio: ["ignore", logFile, logFile],
  });
  process.on("exit", () => child.kill());
  child.on("close", (code) => {
    console.log(
      code === 0
        ? "The WebGPU module is built: reload the page."
        : `The WebGPU module could not be built, see ${log}; networks run on the CPU.`,
    );
  });
}

await runScript(import.meta, async (args) => {
  const port = portOf(args);
  await build({ dev: true, gpu: false });
  const { serve } = await import("./serve.mjs"); // needs a package that build() has installed
  const { url } = await serve(port);
  console.log(`\nKinestitch is at ${url} (Ctrl-C stops it)`);
  if (!hasGpu()) buildMissingModules();
});
