/** The worker script of `kinestitch/worker` in Node. */
import { parentPort } from "node:worker_threads";
// Provides the platform of Node: file access and the wasm modules.
import "./node.js";
import { platform } from "./core/platform.js";
import * as gltf from "./gltf/tasks.js";
import * as tasks from "./tasks/index.js";
import { serve } from "./worker/serve.js";

serve(
  { ...tasks, ...gltf },
  {
    listen: (receive) => parentPort?.on("message", receive),
    post: (message, transfer) => parentPort?.postMessage(message, transfer),
  },
  platform().networks(),
);
