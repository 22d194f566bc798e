/** Platform of browsers: for the entry point `kinestitch`, and for the worker script of `kinestitch/worker`. */
import initialise, { BvhReader, ClipHandle } from "../wasm/kinestitch.js";
import { fetchBytes } from "./core/fetch.js";
import { packageUrl } from "./core/package-url.js";
import { providePlatform } from "./core/platform.js";
import { Networks } from "./networks/networks.js";

const networks = /* @__PURE__ */ new Networks(fetchBytes);

// Bundlers find the wasm files only by literal `new URL("…", import.meta.url)`.
providePlatform({
  module: {
    initialise,
    wasm: (override) => override ?? packageUrl(new URL("../wasm/kinestitch_bg.wasm", import.meta.url)),
    ClipHandle,
    BvhReader,
  },
  read: fetchBytes,
  networks: () => networks,
});
