/**
 * Entry point `kinestitch` in Node. Importing it reads no files and starts nothing, so it is safe in server-side
 * rendering.
 * @module
 */
import initialise, { BvhReader, ClipHandle } from "../wasm/kinestitch.js";
import { provideFiles } from "./core/files.js";
import { readBeside, readBytes } from "./core/node-read.js";
import { providePlatform } from "./core/platform.js";
import { Networks } from "./networks/networks.js";
import { provideNetworks } from "./networks/urls.js";
import { load } from "./tasks/load.js";

const networks = /* @__PURE__ */ new Networks(readBytes);

/**
 * Returns the URL of a file of the package. Bundlers of server code do not recognise this expression, so they do not
 * copy the file: Node reads it from the installed package.
 */
const installedFile = (path: string, moduleUrl = import.meta.url): URL => new URL(path, moduleUrl);

// Node has no WebGPU.
provideNetworks(() => ({ wasmBytes: 0, models: installedFile("../models/").href }));

providePlatform({
  module: {
    initialise,
    wasm: (override) => readBytes(override ?? installedFile("../wasm/kinestitch_bg.wasm")),
    ClipHandle,
    BvhReader,
  },
  read: readBytes,
  networks: () => networks,
});
provideFiles({
  read: readBytes,
  readBeside: readBeside,
  gltf: () => import("./gltf/read.js"),
  readFbx: async (...args) => (await import("./fbx/read.node.js")).readFbx(...args),
  load,
});

export * from "./exports.js";
