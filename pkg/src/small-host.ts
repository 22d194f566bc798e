/** The computing side of `kinestitch/small`: the script of its Web Worker. */
import initialise, { BvhReader, ClipHandle } from "../wasm/kinestitch_small.js";
import { KinestitchError } from "./core/error.js";
import { fetchBytes } from "./core/fetch.js";
import { provide, type Script } from "./core/platform.js";
import { init } from "./tasks/init.js";
import { load } from "./tasks/load.js";
import { serve } from "./worker/serve.js";

provide({
  // The same classes, made from the same source.
  script: { initialise, ClipHandle, BvhReader } as unknown as Script,
  wasm: (override) => override ?? new URL("../wasm/kinestitch_small_bg.wasm", import.meta.url),
  read: fetchBytes,
  networks() {
    throw new KinestitchError("wasm", 'kinestitch/small has no networks; import "kinestitch/worker"');
  },
});

serve({ init, load }, {
  listen: (receive) => self.addEventListener("message", (event) => receive(event.data)),
  // `postMessage` of a worker takes no origin; the DOM's types know only the one of a window here.
  post: (message, transfer) => (self as unknown as Worker).postMessage(message, transfer),
});
