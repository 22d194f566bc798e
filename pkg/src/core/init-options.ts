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

/** Checks the options of `init`: an invalid setting would be kept, and would make later calls fail. */
export function checkInitOptions<Options extends InitOptions>(
  options: Options | undefined,
  ownSchema: Schema<Omit<Options, keyof InitOptions>>,
): Options {
  const schema = { wasm: wasmSource, networks: anything, method: oneOf(methods), ...ownSchema };
  const checkedOptions = checkOptions<Options>("init", schema as unknown as Schema<Options>, options);
  if (checkedOptions.networks !== undefined)
    checkOptions<NetworkOptions>("networks", networkSettings, checkedOptions.networks);
  return checkedOptions;
}
