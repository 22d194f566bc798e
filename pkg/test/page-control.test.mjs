// The mode Control: the loading of characters and bodies. Its modules are bundled for Node, with simulated controllers.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bundlePage } from "./page-bundle.mjs";

const simulation = {
  name: "simulation",
  setup(bundler) {
    const replace = (filter, contents) => bundler.onLoad({ filter }, () => ({ contents, loader: "ts" }));
    replace(
      /www\/core\/engine\.ts$/,
      ["isCached", "loadNetworks", "networkInfo", "problemOf", "sentence"]
        .map((name) => `export const ${name} = ({ message }) => ({ message });`)
        .join("\n"),
    );
    replace(
      /www\/core\/live-functions\.ts$/,
      "export const createController = (options) => globalThis.simulatedController(options);",
    );
    replace(
      /www\/modes\/control\/actor\.ts$/,
      `export class Actor {
        groundPose = { x: 0, z: 0, heading: 0 };
        constructor(controller, color, ground, body, bodyVersion) {
          Object.assign(this, { controller, ground, bodyVersion });
        }
      }`,
    );
    replace(/www\/modes\/control\/monitor\.ts$/, "export class Monitor { watch() {} }");
    replace(/www\/modes\/control\/panels\/index\.ts$/, "export const createPanels = () => [];");
  },
};

globalThis.matchMedia = () => ({ matches: true });
const { Control } = await bundlePage('export { Control } from "./www/modes/control/control";', [simulation]);
// Set after the import, because lit-html needs more of a page than these.
Object.assign(globalThis, { window: new EventTarget(), document: new EventTarget() });

/** The loads that were started, in order. A test finishes them. */
const loads = [];
globalThis.simulatedController = ({ character, target, signal }) =>
  new Promise((resolve, reject) => {
    const finish = () => resolve({ free: () => undefined });
    loads.push({ name: `${character} on ${target ?? "its own body"}`, finish, fail: reject });
    signal.addEventListener("abort", () => reject(new Error("aborted")));
  });

describe("the loading of characters in the mode Control", () => {
  /** Lets pending promises settle, and draws the page. */
  async function draw(mode) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    mode.update();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }

  /** Names of the loads since the last call. */
  let reported = 0;
  const newLoads = () => {
    const names = loads.slice(reported).map(({ name }) => name);
    reported = loads.length;
    return names;
  };

  /** Finishes the last load. */
  async function finish(mode) {
    loads.at(-1).finish();
    await draw(mode);
  }

  /** Creates a mode that shows a person on its own body. The clip "walk" is another body for it. */
  async function createMode() {
    const source = { id: "walk", name: "walk", clip: {}, info: { kind: "biped" } };
    const app = {
      characters: { current: undefined },
      host: { view: () => undefined, zoom: () => undefined },
      library: { sources: new Map([["walk", source]]), clip: async (id) => ({ clip: id }) },
      notify: () => undefined,
      requestUpdate: () => undefined,
      settings: { controlSet: "research" },
    };
    const mode = new Control(app);
    mode.enter();
    await finish(mode);
    assert.deepEqual(newLoads(), ["biped on its own body"]);
    return mode;
  }

  /** Creates a mode in which a body is being loaded. */
  async function createLoadingMode() {
    const mode = await createMode();
    mode.setBody("walk");
    await draw(mode);
    assert.deepEqual(newLoads(), ["biped on walk"]);
    return mode;
  }

  it("loads the requested body after the other character, which ended its loading", async () => {
    const mode = await createLoadingMode();
    void mode.showBoth(true);
    await draw(mode);
    assert.deepEqual(newLoads(), ["dog on its own body"]);
    await finish(mode);
    assert.deepEqual(newLoads(), ["biped on walk"]);
    await finish(mode);
    assert.equal(mode.actor.bodyVersion, mode.app.library.sources.get("walk").clip);
    assert.deepEqual([...mode.cast.actors.keys()].sort(), ["biped", "dog"]);
    await draw(mode);
    assert.deepEqual([newLoads(), mode.cast.busy], [[], undefined]);
  });

  it("loads the requested body if the other character is no longer shown, or cannot be loaded", async () => {
    for (const end of [(mode) => mode.showBoth(false), () => loads.at(-1).fail(new Error("no network"))]) {
      const mode = await createLoadingMode();
      void mode.showBoth(true);
      await draw(mode);
      void end(mode);
      await draw(mode);
      assert.deepEqual(newLoads(), ["dog on its own body", "biped on walk"]);
    }
  });

  it("loads the other character after a requested body, which ended its loading", async () => {
    const mode = await createMode();
    void mode.showBoth(true);
    mode.setBody("walk");
    await draw(mode);
    await finish(mode);
    assert.deepEqual(newLoads(), ["dog on its own body", "biped on walk", "dog on its own body"]);
  });

  /** Cancels the running load, as the user does. Nothing may start again by itself. */
  async function cancel(mode) {
    newLoads();
    assert.ok(mode.cast.busy);
    mode.cast.cancel();
    await draw(mode);
    assert.deepEqual([newLoads(), mode.cast.busy], [[], undefined]);
  }

  it("does not start again by itself after a cancellation by the user", async () => {
    const mode = await createLoadingMode();
    await cancel(mode);
    // The cancellation concerns interrupted loads too.
    mode.setBody("walk");
    void mode.showBoth(true);
    await draw(mode);
    await cancel(mode);
  });

  it("does not start again by itself after the cancellation of a body of restored settings", async () => {
    const mode = await createMode();
    mode.storage.restore({ bodies: { biped: "walk" } });
    await draw(mode);
    await cancel(mode);
  });
});
