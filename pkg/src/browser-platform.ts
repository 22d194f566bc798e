/** What computing in browsers needs: for the entry `kinestitch`, and for the thread of `kinestitch/worker`. */
import { models, wasmBytes } from "../models/index.js";
import initialise, { BvhReader, ClipHandle } from "../wasm/kinestitch.js";
import startLive from "../wasm/live.js";
import { fetchBytes } from "./core/fetch.js";
import { provide } from "./core/platform.js";
import { placeOf } from "./networks/manifest.js";
import { Networks } from "./networks/networks.js";

const networks = /* @__PURE__ */ new Networks(
  {
    script: () => new URL("../wasm/networks.js", import.meta.url),
    wasm: (override) => override ?? new URL("../wasm/networks_bg.wasm", import.meta.url),
    wasmBytes,
    model: (file, folder) => placeOf(file, folder, models()),
  },
  fetchBytes,
);

provide({
  // Spelled out for bundlers, which look for exactly these expressions.
  light: { initialise, wasm: (override) => override ?? new URL("../wasm/kinestitch_bg.wasm", import.meta.url), ClipHandle, BvhReader },
  live: { initialise: startLive, wasm: (override) => override ?? new URL("../wasm/live_bg.wasm", import.meta.url) },
  read: fetchBytes,
  networks: () => networks,
});
