/**
 * Entry `kinestitch` in Node. Importing it reads and starts nothing, so it is safe in server-side rendering.
 * @module
 */
import initialise, { BvhReader, ClipHandle } from "../wasm/kinestitch.js";
import startLive from "../wasm/live.js";
import { provideFiles } from "./core/files.js";
import { readBeside, readBytes } from "./core/node-read.js";
import { providePlatform } from "./core/platform.js";
import { Networks } from "./networks/networks.js";
import { provideNetworks } from "./networks/urls.js";
import { load } from "./tasks/load.js";

const networks = /* @__PURE__ */ new Networks(readBytes);

/**
 * A file of the package. Written so that bundlers of server code do not copy it: Node reads it where it is
 * installed.
 */
const own = (path: string, here = import.meta.url): URL => new URL(path, here);

// Node has no WebGPU.
provideNetworks(() => ({ wasmBytes: 0, models: own("../models/").href }));

providePlatform({
  light: {
    initialise,
    wasm: (override) => readBytes(override ?? own("../wasm/kinestitch_bg.wasm")),
    ClipHandle,
    BvhReader,
  },
  live: { initialise: startLive, wasm: (override) => readBytes(override ?? own("../wasm/live_bg.wasm")) },
  read: readBytes,
  networks: () => networks,
});
provideFiles({ read: readBytes, readBeside: readBeside, gltf: () => import("./gltf/read.js"), load });

export * from "./exports.js";
