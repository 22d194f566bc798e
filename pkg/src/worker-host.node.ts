/** The computing side of `kinestitch/worker` in Node: the script of the worker thread. */
import { parentPort } from "node:worker_threads";
import { bestSeam, inbetween, init, load, loadNetworks, lscore, networkInfo, networkModels, seamMap, stitch } from "./node.js";
import { serve } from "./serve.js";

serve({ init, load, stitch, inbetween, lscore, bestSeam, seamMap, loadNetworks, networkInfo, networkModels }, {
  listen: (receive) => parentPort?.on("message", receive),
  post: (message, transfer) => parentPort?.postMessage(message, transfer),
});
