/** Conversion of options to forms that `postMessage` can clone. */
import { KinestitchError, messageOf } from "../core/error.js";
import type { InitOptions, NetworkOptions } from "../core/types.js";
import type { WorkerPlatform } from "./link.js";

/** Returns settings of networks in a form that `postMessage` can clone. */
export async function toCloneableSettings(
  { models, wasm, script, ...plainSettings }: NetworkOptions,
  platform: WorkerPlatform,
): Promise<NetworkOptions> {
  const cloneableWasm = await toCloneable(wasm, platform);
  const absolute = <T>(url: T): T | string =>
    typeof url === "string" || url instanceof URL ? platform.resolve(url) : url;
  return {
    ...plainSettings,
    ...(models !== undefined && { models: absolute(models) }),
    ...(script !== undefined && { script: absolute(script) }),
    ...(cloneableWasm !== undefined && { wasm: cloneableWasm }),
  };
}

/** Returns a wasm file of the user in a form that `postMessage` can clone. */
export async function toCloneable(
  wasm: InitOptions["wasm"],
  platform: WorkerPlatform,
): Promise<string | ArrayBuffer | WebAssembly.Module | undefined> {
  if (typeof wasm === "string" || wasm instanceof URL) return platform.resolve(wasm);
  if (!(wasm instanceof Response)) return wasm;
  try {
    return await wasm.arrayBuffer();
  } catch (error) {
    throw new KinestitchError("wasm", `cannot read the wasm module: ${messageOf(error)}`, { cause: error });
  }
}
