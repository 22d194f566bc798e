// `npm start`: sets up, builds and serves the site at http://localhost:8080, with quickly built modules. The published
// modules and the WebGPU module (twelve minutes) are built in the background; until then networks run on the CPU.
import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { hasGpu } from "./build-wasm.mjs";
import { makeFolder, root, runScript } from "./shell.mjs";

/** Builds the published modules while the server runs; calls `onBuilt` after success. */
function buildMissingModules(onBuilt) {
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
    if (code === 0) onBuilt();
    console.log(
      code === 0
        ? "The WebGPU module is built: reload the page."
        : `The WebGPU module could not be built, see ${log}; networks run on the CPU.`,
    );
  });
}

await runScript(import.meta, async (args) => {
  await build({ dev: true, gpu: false });
  const { serve } = await import("./serve.mjs"); // needs a package that build() has installed
  const port = args.includes("--port") ? Number(args[args.indexOf("--port") + 1]) : Number(process.env.PORT ?? 8080);
  const { url, refresh } = await serve(port);
  console.log(`\nKinestitch is at ${url} (Ctrl-C stops it)`);
  if (!hasGpu()) buildMissingModules(refresh);
});
