/**
 * Entry point `kinestitch/networks`: an app that uses networks imports it once, in addition to `kinestitch` or
 * `kinestitch/worker`. It registers the URLs of the networks' files, and makes bundlers copy the files; nothing is
 * loaded before a network is used. Without this import, an app contains no networks.
 *
 * @example
 * ```js
 * import { load, stitch } from "kinestitch/worker";
 * import "kinestitch/networks";
 *
 * const motion = await stitch([await load("walk.bvh"), await load("run.bvh")], { method: "rmr" });
 * ```
 * @module kinestitch/networks
 */
import { manifest, models, wasmBytes } from "../models/index.js";
import { packageUrl } from "./core/package-url.js";
import { provideNetworks } from "./networks/urls.js";

// Bundlers find the files only by literal `new URL("…", import.meta.url)`.
provideNetworks(() => ({
  script: packageUrl(new URL("../wasm/networks.js", import.meta.url)).href,
  wasm: packageUrl(new URL("../wasm/networks_bg.wasm", import.meta.url)).href,
  wasmBytes,
  manifest,
  models: Object.fromEntries(Object.entries(models()).map(([name, url]) => [name, packageUrl(url).href])),
}));
