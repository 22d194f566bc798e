/**
 * The package `kinestitch-single`: `kinestitch` in one file, including its wasm module. For bundlers that copy no
 * files, for a single script tag, for pages opened from a disk. Other files are located by `init`: `live`,
 * `networks`.
 * @module
 */
// Inserted by scripts/bundles.mjs: the compressed module as base64.
import module from "wasm:kinestitch";
import initialise, { BvhReader, ClipHandle } from "../wasm/kinestitch.js";
import startLive from "../wasm/live.js";
import { KinestitchError } from "./core/error.js";
import { fetchBytes } from "./core/fetch.js";
import { provideFiles } from "./core/files.js";
import { type Platform, provide } from "./core/platform.js";
import { Networks } from "./networks/networks.js";
import { load } from "./tasks/load.js";

async function unpacked(): Promise<Uint8Array> {
  const packed = Uint8Array.from(atob(module), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const networks = /* @__PURE__ */ new Networks(fetchBytes);

const platform: Platform = {
  light: { initialise, wasm: (override) => override ?? unpacked(), ClipHandle, BvhReader },
  live: {
    initialise: startLive,
    wasm(override) {
      if (override !== undefined) return override;
      throw new KinestitchError(
        "wasm",
        "kinestitch-single has no in-betweening and no networks; set the location of live_bg.wasm: init({ live })",
      );
    },
  },
  read: fetchBytes,
  networks: () => networks,
};
provide(platform, true);
provideFiles({ read: fetchBytes, gltf: () => import("./gltf/read.js"), load });

export * from "./tasks/index.js";
export { animateGlb, type AnimateOptions, animations, packGlb } from "./gltf/tasks.js";
export { KinestitchError } from "./core/error.js";
export {
  cycleChoices,
  devices,
  inbetweenMethods,
  inbetweenSpeeds,
  methodDefaults,
  methods,
  methodTexts,
  networkMethods,
  networkTasks,
  usualNetwork,
} from "./core/types.js";
export type * from "./core/types.js";
