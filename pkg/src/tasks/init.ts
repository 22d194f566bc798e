import { checkInitOptions } from "../core/init-options.js";
import { platform } from "../core/platform.js";
import type { InitOptions } from "../core/types.js";
import { mainModule } from "../core/wasm.js";

/**
 * Loads the wasm module, and sets locations and defaults of later calls. Call it only to set a
 * location, to load early, or to set the default method of `stitch`.
 *
 * @param options Locations of files, settings of networks, the default method.
 * @throws {KinestitchError} `wasm` if the module cannot be loaded (the call may be repeated), `option`.
 * @example
 * ```js
 * await init({ wasm: "/wasm/kinestitch_bg.wasm", method: "inertialize" });
 * ```
 */
export function init(options?: InitOptions): Promise<void> {
  // One call after another: a call that fails restores the settings before it, and no other call sees its settings.
  const result = waiting === 0 ? apply(options) : queue.then(() => apply(options));
  waiting++;
  queue = result.then(leave, leave);
  return result;
}

let queue: Promise<void> = Promise.resolve();
/** Number of calls that have not ended. */
let waiting = 0;
const leave = (): void => void waiting--;

async function apply(options: InitOptions | undefined): Promise<void> {
  const settings = checkInitOptions(options);
  const registeredPlatform = platform();
  // `kinestitch/small` has no networks.
  const undoNetworks = settings.networks && registeredPlatform.networks().configure(settings.networks);
  const { method } = registeredPlatform;
  if (settings.method) registeredPlatform.method = settings.method;
  const undoSource = mainModule.setSource(settings.wasm);
  try {
    await mainModule.ensure();
  } catch (error) {
    undoNetworks?.();
    undoSource();
    if (settings.method && registeredPlatform.method === settings.method) {
      if (method) registeredPlatform.method = method;
      else delete registeredPlatform.method;
    }
    throw error;
  }
}
