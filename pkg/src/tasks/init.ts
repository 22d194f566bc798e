import { checkInitOptions } from "../core/init-options.js";
import { platform } from "../core/platform.js";
import type { InitOptions } from "../core/types.js";
import { light, live } from "../core/wasm.js";

/**
 * Loads the wasm module of clips and stitching, and sets locations and defaults of later calls. Call it only to set a
 * location, to load early, or to set the default method of `stitch`.
 *
 * @param options Locations of files, settings of networks, the default method.
 * @throws {KinestitchError} `wasm` if the module cannot be loaded (the call may be repeated), `option`.
 * @example
 * ```js
 * await init({ wasm: "/wasm/kinestitch_bg.wasm", method: "inertialize" });
 * ```
 */
export async function init(options?: InitOptions): Promise<void> {
  const settings = checkInitOptions<InitOptions>(options, {});
  const registeredPlatform = platform();
  if (settings.networks) registeredPlatform.networks().configure(settings.networks);
  if (settings.method) registeredPlatform.method = settings.method;
  light.setSource(settings.wasm);
  live.setSource(settings.live);
  await light.ensure();
}
