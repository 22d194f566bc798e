// An app that stitches, on the page's thread and in a worker, without networks.
import { load, stitch } from "kinestitch";
import * as worker from "kinestitch/worker";
import { report } from "./story.js";

async function runAll() {
  const onThread = await stitch([await load("a.bvh"), await load("b.bvh")], { method: "inertialize" });
  const inWorker = await worker.stitch([await worker.load("a.bvh"), await worker.load("b.bvh")], {
    method: "inertialize",
  });
  const errorWithoutNetwork = await stitch([await load("a.bvh"), await load("b.bvh")], { method: "rmr" }).catch(
    ({ code, message }) => [code, message.includes("kinestitch/networks")],
  );
  return [onThread.frames, inWorker.frames, errorWithoutNetwork];
}

report(runAll());
