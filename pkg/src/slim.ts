/**
 * Entry `kinestitch/slim`: refers to no wasm file and no weights, so a bundler copies none. Call `init({ wasm })`
 * once first, with `live` for in-betweening, and with `live` and `networks: { models }` for networks.
 * @module kinestitch/slim
 */
import initialise, { BvhReader, ClipHandle } from "../wasm/kinestitch.js";
import startLive from "../wasm/live.js";
import { KinestitchError } from "./core/error.js";
import { fetchBytes } from "./core/fetch.js";
import { provideFiles } from "./core/files.js";
import { type Platform, provide } from "./core/platform.js";
import { Networks } from "./networks/networks.js";
import { load } from "./tasks/load.js";

const networks = /* @__PURE__ */ new Networks(fetchBytes);

function given(option: "wasm" | "live", override: URL | string | undefined): URL | string {
  if (override !== undefined) return override;
  throw new KinestitchError("wasm", `kinestitch/slim has no location of the wasm file; call init({ ${option} }) first`);
}

const platform: Platform = {
  light: { initialise, wasm: (override) => given("wasm", override), ClipHandle, BvhReader },
  live: { initialise: startLive, wasm: (override) => given("live", override) },
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
