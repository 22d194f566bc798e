import * as main from "./node_modules/kinestitch/dist/browser.js";
import "./node_modules/kinestitch/dist/networks.js";
import * as slim from "./node_modules/kinestitch/dist/slim.js";
import * as worker from "./node_modules/kinestitch/dist/worker.js";
import { inWorker, onThread, report } from "./story.js";

async function runAll() {
  const thread = await onThread(main);
  // The first entry on the page has already loaded the module.
  await slim.init({ wasm: "node_modules/kinestitch/wasm/kinestitch_bg.wasm" });
  return { thread, worker: await inWorker(worker), slim: (await slim.load("a.bvh")).frames };
}

report(runAll());
