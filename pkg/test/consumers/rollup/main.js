// For bundlers that copy no files: the package with embedded wasm; other files are in the folder `kinestitch`, a copy
// of the package's dist, wasm and models.
import * as main from "kinestitch-single";
import * as worker from "kinestitch/worker";
import { inWorker, onThread, report } from "./story.js";

const networks = { models: "kinestitch/models/" };

async function runAll() {
  const light = (await main.stitch([await main.load("a.bvh"), await main.load("b.bvh")], { method: "inertialize" }))
    .frames;
  const thread = await onThread(main, { networks });
  return { light, thread, worker: await inWorker(worker, { worker: "kinestitch/dist/worker-host.js", networks }) };
}

report(runAll());
