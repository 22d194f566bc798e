import { anything, oneOf, place, text } from "../core/options.js";
import { task } from "../core/task.js";
import { devices, type LoadNetworksOptions, type NetworkInfo, type NetworkInfoOptions, type NetworkModel, networkTasks } from "../core/types.js";

const options = { for: /* @__PURE__ */ oneOf(networkTasks), device: /* @__PURE__ */ oneOf(devices), set: text, models: place, wasm: anything };

/** Loads the network of a task and chooses its device. What `stitch` does where no method is named stays as it was. */
export const loadNetworks = /* @__PURE__ */ task<[], LoadNetworksOptions, NetworkInfo>({
  name: "loadNetworks",
  makes: "value",
  takes: 0,
  options,
  early: true,
  async run({ networks, ready }, options) {
    await ready;
    return networks().load(options);
  },
});

/** The network loaded for a task, and where it runs; `undefined` where none is. */
export const networkInfo = /* @__PURE__ */ task<[], NetworkInfoOptions, NetworkInfo | undefined>({
  name: "networkInfo",
  makes: "value",
  takes: 0,
  options: { for: options.for },
  early: true,
  run: ({ networks }, { for: task = "stitch" }) => networks().info(task),
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
