// The networks that the method "Automatic" may also try. Their module is bundled for Node, with a simulated engine.
import assert from "node:assert/strict";
import { it } from "node:test";
import { bundlePage } from "./page-bundle.mjs";

const engine = {};
globalThis.simulatedNetworksEngine = engine;

/** Replaces the page's engine by {@link engine}. */
const simulation = {
  name: "simulation",
  setup(bundler) {
    bundler.onLoad({ filter: /www\/core\/engine\.ts$/ }, () => ({
      contents: ["isCached", "loadNetworks", "networkInfo", "problemOf"]
        .map((name) => `export const ${name} = (...args) => globalThis.simulatedNetworksEngine.${name}(...args);`)
        .join("\n"),
    }));
  },
};

const { Automatic } = await bundlePage('export { Automatic } from "./www/core/automatic";', [simulation]);
globalThis.document = { baseURI: "https://site.invalid/" };

/** Loads the networks. Returns the device of each request. `loaded`: names of the networks that the user has loaded. */
async function requestedDevices(...loaded) {
  const devices = [];
  engine.networkInfo = async ({ name = "rmr" }) => (loaded.includes(name) ? {} : undefined);
  engine.loadNetworks = async ({ for: task, name, device }) => {
    if (task === "judge") return;
    devices.push(device);
    loaded.push(name);
  };
  assert.ok(await new Automatic(() => undefined).loadNetworks());
  return devices;
}

it("they run on the CPU, unless the user has loaded a network, whose device is that of all networks", async () => {
  assert.deepEqual(await requestedDevices(), ["cpu", undefined]);
  for (const name of ["rmr", "manifold"]) assert.deepEqual(await requestedDevices(name), [undefined, undefined], name);
});
