/** The computing side of `kinestitch/worker` in browsers: the script of the Web Worker. */
import "./browser-platform.js";
import { fetchBytes } from "./core/fetch.js";
import { provideFiles } from "./core/files.js";
import * as reader from "./gltf/read.js";
import * as gltf from "./gltf/tasks.js";
import * as tasks from "./tasks/index.js";
import { serve } from "./worker/serve.js";

// Here and not fetched on first need: a worker's script is one file where bundlers make it so.
provideFiles({ read: fetchBytes, gltf: async () => reader, load: tasks.load });

serve({ ...tasks, ...gltf }, {
  listen: (receive) => self.addEventListener("message", (event) => receive(event.data)),
  // `postMessage` of a worker takes no origin; the DOM's types know only the one of a window here.
  post: (message, transfer) => (self as unknown as Worker).postMessage(message, transfer),
});
