// An app bundled by Vite, which has to find the wasm modules, the worker and the weight files of these entry points.
import * as main from "kinestitch";
import "kinestitch/networks";
import * as slim from "kinestitch/slim";
import * as worker from "kinestitch/worker";
import { inWorker, onThread, report } from "./story.js";

async function runAll() {
  return { thread: await onThread(main), worker: await inWorker(worker), slim: (await slim.load("a.bvh")).frames };
}

report(runAll());
