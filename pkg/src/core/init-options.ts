/** Types of the settings of networks, and the check of the options of `init` of all entries. */
import { anything, checkOptions, oneOf, type Schema, text, url, wasmSource } from "./options.js";
import { devices, type InitOptions, methods, type NetworkOptions } from "./types.js";

/** Types of the settings of networks. */
export const networkSettings = {
  device: /* @__PURE__ */ oneOf(devices),
  set: text,
  models: url,
  wasm: wasmSource,
  script: url,
};

const initSchema: Schema<InitOptions> = {
  wasm: wasmSource,
  networks: anything as Schema<InitOptions>["networks"],
  method: /* @__PURE__ */ oneOf(methods),
  worker: url,
};

/** Checks the options of `init`: an invalid setting would be kept, and would make later calls fail. */
export function checkInitOptions(options: InitOptions | undefined): InitOptions {
  const checkedOptions = checkOptions<InitOptions>("init", initSchema, options);
  if (checkedOptions.networks !== undefined)
    checkOptions<NetworkOptions>("networks", networkSettings, checkedOptions.networks);
  return checkedOptions;
}
