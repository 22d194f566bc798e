/** `loadNetworks`, `networkInfo`, `networkModels` and `styles`: loads and lists networks. */
import { networkSettings } from "../core/init-options.js";
import { oneOf, text } from "../core/options.js";
import { methodsWith } from "../core/method.js";
import { task } from "../core/task.js";
import {
  type LoadNetworksOptions,
  type NetworkInfo,
  type NetworkInfoOptions,
  type NetworkModel,
  type NetworkOptions,
  networkTasks,
  type StylesOptions,
} from "../core/types.js";

const options = {
  for: /* @__PURE__ */ oneOf(networkTasks),
  name: text,
  ...networkSettings,
};

/** Returns the options that are set, for a function that loads its network itself. */
export function pickNetworkOptions({
  set,
  models,
  device,
}: { [Name in "set" | "models" | "device"]: NetworkOptions[Name] | undefined }): Pick<
  NetworkOptions,
  "set" | "models" | "device"
> {
  return { ...(set !== undefined && { set }), ...(models !== undefined && { models }), ...(device && { device }) };
}

/**
 * Loads the network of a task and chooses its device. The default method of `stitch` does not change.
 *
 * @param options Task (`for`), device, set, and location of the files.
 * @returns The network, its licence, its device, and the reason for the device.
 * @throws {KinestitchError} `weights` for a manifest or file that is missing or damaged, `device` if "webgpu"
 * was requested and is not available, `aborted`.
 * @function
 * @example
 * ```js
 * import "kinestitch/networks"; // in browsers: registers the URLs of the networks' files
 *
 * const { licence, device } = await loadNetworks({ for: "inbetween" });
 * console.log(licence, device.used);
 * ```
 */
export const loadNetworks = /* @__PURE__ */ task<(options?: LoadNetworksOptions) => Promise<NetworkInfo>>({
  name: "loadNetworks",
  resultKind: "value",
  argumentCount: 0,
  options,
  startsEarly: true,
  async run({ networks, ready }, options) {
    await ready;
    return networks().load(options);
  },
});

/**
 * Returns the loaded network of a task, with its device; `undefined` if none is loaded.
 *
 * @param options The task, `for`; default "stitch".
 * @function
 * @example
 * ```js
 * const info = await networkInfo({ for: "inbetween" });
 * console.log(info?.name, info?.device.used);
 * ```
 */
export const networkInfo = /* @__PURE__ */ task<(options?: NetworkInfoOptions) => Promise<NetworkInfo | undefined>>({
  name: "networkInfo",
  resultKind: "value",
  argumentCount: 0,
  options: { for: options.for, name: options.name },
  startsEarly: true,
  run: ({ networks }, { for: task = "stitch", name }) => networks().info(task, name),
});

/**
 * Lists the available networks, with their licences and scores, from the manifest alone.
 *
 * @param options `for` lists the networks of one task, `models` the networks of another folder.
 * @throws {KinestitchError} `weights` for a manifest that is missing or invalid.
 * @function
 * @example
 * ```js
 * for (const { name, set, licence } of await networkModels()) console.log(name, set, licence);
 * ```
 */
export const networkModels = /* @__PURE__ */ task<(options?: LoadNetworksOptions) => Promise<NetworkModel[]>>({
  name: "networkModels",
  resultKind: "value",
  argumentCount: 0,
  options,
  startsEarly: true,
  run: ({ networks }, options) => networks().models(options),
});

/**
 * Returns the names of the styles of the `inbetween` method that has a `style`; loads its network.
 *
 * @throws {KinestitchError} `weights` if there is no such network.
 * @function
 * @example
 * ```js
 * console.log(await styles()); // ["walk", "run", "boxing"]
 * ```
 */
export const styles = /* @__PURE__ */ task<(options?: StylesOptions) => Promise<string[]>>({
  name: "styles",
  resultKind: "value",
  argumentCount: 0,
  options: {},
  run: ({ networks }, options) => networks().styles(methodsWith("style")[0] as string, options),
});
