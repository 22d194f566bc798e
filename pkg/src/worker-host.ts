/** The computing side of `kinestitch/worker` in browsers: the script of the Web Worker. */
import "./browser-platform.js";
import * as tasks from "./tasks/index.js";
import { serve } from "./worker/serve.js";

serve(tasks, {
  listen: (receive) => self.addEventListener("message", (event) => receive(event.data)),
  // `postMessage` of a worker takes no origin; the DOM's types know only the one of a window here.
  post: (message, transfer) => (self as unknown as Worker).postMessage(message, transfer),
});
