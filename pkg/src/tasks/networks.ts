import { oneOf, place, text, anything } from "../core/options.js";
import { task } from "../core/task.js";
import { devices, type LoadNetworksOptions, type NetworkInfo, type NetworkModel, type TaskOptions } from "../core/types.js";

const options = { device: /* @__PURE__ */ oneOf(devices), set: text, models: place, wasm: anything };

/** Loads the networks' module and weights and chooses their device. What `stitch` does where no method is named stays as it was. */
export const loadNetworks = /* @__PURE__ */ task<[], LoadNetworksOptions, NetworkInfo>({
  name: "loadNetworks",
  makes: "value",
  takes: 0,
  options,
  early: true,
  run: ({ networks }, options) => networks().load(options),
});

/** The loaded network and where it runs; `undefined` where none is. */
export const networkInfo = /* @__PURE__ */ task<[], TaskOptions, NetworkInfo | undefined>({
  name: "networkInfo",
  makes: "value",
  takes: 0,
  options: {},
  early: true,
  run: ({ networks }) => networks().info,
});

/** The networks there are, with their licences and scores, from the manifest alone. */
export const networkModels = /* @__PURE__ */ task<[], LoadNetworksOptions, NetworkModel[]>({
  name: "networkModels",
  makes: "value",
  takes: 0,
  options,
  early: true,
  run: ({ networks }, options) => networks().models(options),
});
