/** The computing side of `kinestitch/worker` in Node: the script of the worker thread. */
import { parentPort } from "node:worker_threads";
import { bestSeam, init, load, lscore, seamMap, stitch } from "./node.js";
import { serve } from "./serve.js";

serve({ init, load, stitch, lscore, bestSeam, seamMap }, {
  listen: (receive) => parentPort?.on("message", receive),
  post: (message, transfer) => parentPort?.postMessage(message, transfer),
});
