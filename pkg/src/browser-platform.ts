/** Platform of browsers: for the entry point `kinestitch`, and for the worker script of `kinestitch/worker`. */
import initialise, { BvhReader, ClipHandle } from "../wasm/kinestitch.js";
import startLive from "../wasm/live.js";
import { fetchBytes } from "./core/fetch.js";
import { packageUrl } from "./core/package-url.js";
import { providePlatform } from "./core/platform.js";
import { Networks } from "./networks/networks.js";

const networks = /* @__PURE__ */ new Networks(fetchBytes);

providePlatform({
  // Bundlers recognise only exactly these expressions.
  light: {
    initialise,
    wasm: (override) => override ?? packageUrl(new URL("../wasm/kinestitch_bg.wasm", import.meta.url)),
    ClipHandle,
    BvhReader,
  },
  live: {
    initialise: startLive,
    wasm: (override) => override ?? packageUrl(new URL("../wasm/live_bg.wasm", import.meta.url)),
  },
  read: fetchBytes,
  networks: () => networks,
});
