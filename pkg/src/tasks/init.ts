import { anything, checked, oneOf } from "../core/options.js";
import { platform } from "../core/platform.js";
import { type InitOptions, methods } from "../core/types.js";
import { light, live } from "../core/wasm.js";

/**
 * Loads the wasm module of clips and stitching, from where you say, and sets what later calls fall back on. Needed only to override a place, to load
 * early, or to choose the method that `stitch` takes where a call names none.
 *
 * @param options Places of files, settings of the networks, the default method.
 * @throws {KinestitchError} `wasm` where the module cannot be loaded (it may be tried again), `option`.
 * @example
 * ```js
 * await init({ wasm: "/wasm/kinestitch_bg.wasm", method: "inertialize" });
 * ```
 */
export async function init(options?: InitOptions): Promise<void> {
  const settings = checked<InitOptions>(
    "init",
    { wasm: anything, live: anything, networks: anything, method: oneOf(methods) },
    options,
  );
  const provided = platform();
  if (settings.networks) provided.networks().configure(settings.networks);
  if (settings.method) provided.method = settings.method;
  light.place(settings.wasm);
  live.place(settings.live);
  await light.ensure();
}
