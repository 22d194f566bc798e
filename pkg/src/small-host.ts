/** The worker script of `kinestitch/small`. */
import initialise, { BvhReader, ClipHandle } from "../wasm/kinestitch_small.js";
import { KinestitchError } from "./core/error.js";
import { fetchBytes } from "./core/fetch.js";
import { provideFiles } from "./core/files.js";
import { packageUrl } from "./core/package-url.js";
import { type ClipModule, providePlatform } from "./core/platform.js";
import * as reader from "./gltf/read.js";
import { animations, listAnimations } from "./gltf/tasks.js";
import { init } from "./tasks/init.js";
import { load } from "./tasks/load.js";
import { serve } from "./worker/serve.js";

const wasm = (override?: URL | string): URL | string =>
  override ?? packageUrl(new URL("../wasm/kinestitch_small_bg.wasm", import.meta.url));
const throwAbsent = (): never => {
  throw new KinestitchError("wasm", 'kinestitch/small only reads and shows motions; import "kinestitch/worker"');
};

providePlatform({
  // The classes are built from the same source as the classes of the main module, but have fewer methods.
  module: { initialise, wasm, ClipHandle, BvhReader } as unknown as ClipModule,
  read: fetchBytes,
  networks: throwAbsent,
});

provideFiles({ read: fetchBytes, gltf: async () => reader, load });

serve(
  { init, load, animations, listAnimations },
  {
    listen: (receive) => self.addEventListener("message", (event) => receive(event.data)),
    // `postMessage` of a worker has no origin parameter; the DOM types here describe a window.
    post: (message, transfer) => (self as unknown as Worker).postMessage(message, transfer),
  },
);
