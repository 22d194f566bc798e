// The page's logic that needs no browser: its modules, bundled for Node, with a simulated engine and simulated events.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load, stitch } from "kinestitch";
import { defaultBlend } from "kinestitch/ui";
import { bundlePage } from "./page-bundle.mjs";
import { walk } from "./support.mjs";

const SOURCE = `
export { Networks } from "./www/core/networks";
export { Playback } from "./www/core/playback";
export { Candidates } from "./www/modes/inbetween/candidates";
export { createCommands as inbetweenCommands } from "./www/modes/inbetween/commands";
export { METHODS as inbetweenMethods } from "./www/modes/inbetween/methods";
export { createCommands as stitchCommands } from "./www/modes/stitch/commands";
export { textOf, transitionWords } from "./www/modes/stitch/joins/join-options";
export { changeNetwork, loadCachedNetwork } from "./www/modes/stitch/method-choice";
export { METHODS as stitchMethods } from "./www/modes/stitch/methods";
export { seamByHand } from "./www/modes/stitch/panels/seam-by-hand";
export { EMPTY } from "./www/modes/stitch/project";
export { Stitcher } from "./www/modes/stitch/stitcher";
export { Waves } from "./www/pages/story/waves";`;

/** The simulated engine: functions that a test replaces. */
const engine = {};
globalThis.simulatedEngine = new Proxy(
  {},
  {
    get:
      (_, name) =>
      (...args) =>
        engine[name](...args),
  },
);

/**
 * Replaces the page's engine by {@link engine}, and the canvases of short motions, whose module uses `matchMedia` and an
 * `IntersectionObserver` when it is imported.
 */
const simulation = {
  name: "simulation",
  setup(bundler) {
    bundler.onLoad({ filter: /www\/viewer\/mini\.ts$/ }, () => ({ contents: "export class Mini {}" }));
    bundler.onLoad({ filter: /www\/core\/engine\.ts$/ }, () => ({
      contents: ["inbetween", "loadNetworks", "motionOf", "networkInfo", "posesOf", "problemOf", "isCached"]
        .concat("sentence", "stitch", "styles")
        .map((name) => `export const ${name} = (...args) => globalThis.simulatedEngine.${name}(...args);`)
        .join("\n"),
    }));
  },
};

const page = await bundlePage(SOURCE, [simulation]);

// Events and elements of a page for the modules under test. Set after the import, because lit-html needs more than these.
const simulatedWindow = Object.assign(new EventTarget(), { matches: () => false, setTimeout, clearTimeout });
const createElement = (name) => ({
  name,
  attributes: {},
  children: [],
  style: { setProperty: () => undefined },
  append(...children) {
    this.children.push(...children);
  },
  replaceChildren(...children) {
    this.children = children;
  },
  setAttribute(key, value) {
    this.attributes[key] = value;
  },
});
Object.assign(globalThis, {
  window: simulatedWindow,
  document: Object.assign(new EventTarget(), {
    querySelector: () => null,
    createElement,
    createElementNS: (_, name) => createElement(name),
  }),
});
Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });

/** Returns a promise, and the functions that settle it. */
function deferred() {
  const result = {};
  result.promise = new Promise((resolve, reject) => Object.assign(result, { resolve, reject }));
  return result;
}

describe("candidates of the mode In-between", () => {
  /** Creates the candidates of two keys; the engine's results wait in `searches`. */
  function createCandidates() {
    const searches = [];
    Object.assign(engine, {
      inbetween: (_, { method }) => {
        const search = deferred();
        searches.push({ ...search, style: method.style });
        return search.promise;
      },
      posesOf: async () => ({}),
      styles: async () => ["proud", "tired"],
      problemOf: (error) => ({ code: "test", message: error.message }),
    });
    const networks = Object.fromEntries(
      page.inbetweenMethods.map(({ id }) => [id, { info: {}, cancel: () => undefined }]),
    );
    const mode = {
      app: {
        auto: { isReady: false, load: async () => false },
        library: { clip: async () => ({ clip: {} }) },
        requestUpdate: () => undefined,
        settings: {},
      },
      networks,
      clock: { playing: true },
      document: { keys: ["a", "b"].map((id) => ({ id, source: id, from: 0, to: 1, at: {} })), gaps: [24] },
      edit: (_, change) => (mode.document = change(mode.document)),
    };
    return { mode, candidates: new page.Candidates(mode), searches };
  }

  const motionIn = (style) => ({
    gaps: [{ range: { from: 1, to: 25 }, method: "dcmoe" }],
    path: Array(2).fill([0, 0]),
    groundPoses: [{ x: 0 }, { x: 3 }],
    ...(style && { style }),
  });

  it("are accepted with the style in which they were generated, not with the current one", async () => {
    const { mode, candidates, searches } = createCandidates();
    candidates.request = { keepFrames: false, style: "proud" };
    const found = candidates.find();
    await new Promise(setImmediate);
    searches[0].resolve([motionIn("proud")]);
    await found;
    candidates.changeRequest({ style: "tired" });
    await new Promise(setImmediate);
    // While the motions in the new style are generated, the old ones are shown.
    assert.deepEqual(
      searches.map(({ style }) => style),
      ["proud", "tired"],
    );
    candidates.accept(0);
    assert.equal(mode.document.accepted.style, "proud");
    // After an error too.
    searches[1].reject(new Error("no memory"));
    await new Promise(setImmediate);
    assert.equal(candidates.problem.message, "no memory");
    candidates.accept(0);
    assert.equal(mode.document.accepted.style, "proud");
  });

  it("without a style are accepted without one; a key without a ground pose gets that of the candidate", async () => {
    const { mode, candidates, searches } = createCandidates();
    const found = candidates.find();
    await new Promise(setImmediate);
    searches[0].resolve([motionIn(undefined)]);
    await found;
    candidates.changeRequest({ style: "tired" });
    delete mode.document.keys[1].at;
    candidates.accept(0);
    assert.deepEqual(mode.document.keys[1].at, { x: 3 });
    assert.equal(mode.document.accepted.path.length, 2);
    assert.ok(!("style" in mode.document.accepted));
  });
});

describe('the command "Next method"', () => {
  const press = (commands) => commands.find(({ id }) => id === "method").run();

  /** Creates a mode in which a download fails the test, unless its network is in `loaded`. */
  function createMode(loaded) {
    const load = () => assert.fail("a download was started");
    const isLoaded = (id) => loaded.includes(id);
    const networksOf = (id) => ({ info: isLoaded(id) ? {} : undefined, cancel: () => undefined, load });
    const methods = page.inbetweenMethods.map(({ id }) => id);
    const mode = {
      app: {
        auto: { isReady: isLoaded("auto"), load: () => (isLoaded("auto") ? Promise.resolve(true) : load()) },
        networks: networksOf("rmr"),
        requestUpdate: () => undefined,
        set: () => undefined,
        settings: { compare: "off" },
      },
      networks: Object.fromEntries(methods.map((id) => [id, networksOf(id)])),
      document: { method: "auto" },
      project: { method: "auto", compare: "inertialize" },
    };
    return mode;
  }

  /** Presses the key once for each method and twice more. Returns the chosen methods, in the order of the menu. */
  async function chosenMethods(createCommands, mode, documentName, methods) {
    mode.edit = (_, change) => (mode[documentName] = change(mode[documentName]));
    const commands = createCommands(mode);
    const chosen = new Set();
    for (let i = 0; i < methods.length + 2; i++) {
      press(commands);
      await new Promise(setImmediate);
      chosen.add(mode[documentName].method);
    }
    return methods.map(({ id }) => id).filter((id) => chosen.has(id));
  }

  for (const { name, createCommands, documentName, methods, free } of [
    {
      name: "In-between",
      createCommands: page.inbetweenCommands,
      documentName: "document",
      methods: page.inbetweenMethods,
      free: ["inertialize", "hermite", "linear"],
    },
    {
      name: "Stitch",
      createCommands: page.stitchCommands,
      documentName: "project",
      methods: page.stitchMethods,
      free: ["inertialize", "crossfade", "lscore"],
    },
  ]) {
    it(`of the mode ${name} chooses each method without a network, and starts no download`, async () => {
      assert.deepEqual(await chosenMethods(createCommands, createMode([]), documentName, methods), free);
    });

    it(`of the mode ${name} chooses loaded networks and "Automatic" too`, async () => {
      const all = methods.map(({ id }) => id);
      assert.deepEqual(await chosenMethods(createCommands, createMode(all), documentName, methods), all);
    });
  }
});

describe("the network of the refiner", () => {
  /** Creates a mode without a network. The engine loads the set "open" at once; it never finishes another set. */
  function createMode() {
    document.baseURI = "https://site.invalid/";
    Object.assign(engine, {
      loadNetworks: ({ set, signal }) =>
        set === "open"
          ? Promise.resolve({ set })
          : new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
      problemOf: ({ message }) => ({ code: "test", message }),
    });
    const app = {
      networks: new page.Networks("stitch", () => undefined),
      settings: { device: "cpu", networkSet: "open", network: true },
      set: (change) => (app.settings = { ...app.settings, ...change }),
      requestUpdate: () => undefined,
    };
    return { app };
  }

  it("is still the chosen one if the download of another is cancelled", async () => {
    const mode = createMode();
    const { networks } = mode.app;
    await networks.load({ set: "open" });
    const changed = page.changeNetwork(mode, { networkSet: "research" });
    networks.cancel();
    await changed;
    assert.deepEqual([mode.app.settings.networkSet, networks.info.set, networks.busy], ["open", "open", undefined]);
  });

  it("of an earlier visit is not loaded if the user chooses a network before the cache is read", async () => {
    const mode = createMode();
    const { networks } = mode.app;
    const cached = deferred();
    engine.isCached = () => cached.promise;
    const loaded = page.loadCachedNetwork(mode);
    void networks.load({ set: "research" });
    cached.resolve(true);
    await loaded;
    assert.deepEqual([networks.info, networks.busy !== undefined], [undefined, true]);
  });
});

describe("the playhead", () => {
  it("ignores values that are no numbers, and never moves before the first frame", () => {
    const playback = new page.Playback();
    playback.setClip(60, 30);
    playback.play(true);
    playback.advance(-0.01);
    assert.equal(playback.frame, 0);
    playback.seek(12);
    for (const value of [NaN, undefined, "first"]) playback.seek(value);
    assert.equal(playback.frame, 12);
  });
});

describe("the stitcher of the mode Stitch", () => {
  /** Returns whether a new blend length starts another computation of a method's result. */
  function dependsOnBlend(method, { document = {}, compared } = {}) {
    const library = { sources: new Map(), clip: () => assert.fail("nothing is computed here") };
    const items = ["a", "b"].map((id) => ({ id, source: id, color: 0 }));
    for (const { source } of items) library.sources.set(source, { state: "ready", version: 1, info: { frames: 60 } });
    const stitcher = new page.Stitcher(library, () => undefined);
    // Requests a result, as if it was computed at once.
    const update = (blend) => {
      const project = { ...page.EMPTY, items, ...document, blend };
      stitcher.update(project, { method, compare: compared, network: "rmr", auto: "auto" });
      const busy = stitcher.busy;
      stitcher.cancel();
      return busy;
    };
    assert.ok(update(10));
    assert.ok(!update(10));
    return update(30);
  }

  it("computes nothing again after a change of the blend length, if the method has none", () => {
    assert.deepEqual(
      ["inertialize", "crossfade"].map((method) => dependsOnBlend(method)),
      [true, true],
    );
    assert.deepEqual(
      ["lscore", "rmr", "auto"].map((method) => dependsOnBlend(method)),
      [false, false, false],
    );
    // Inserted frames replace the blend.
    assert.equal(dependsOnBlend("inertialize", { document: { gap: 15 } }), false);
  });

  it("computes the compared result again, if its method has a blend length", () => {
    assert.equal(dependsOnBlend("lscore", { compared: "crossfade" }), true);
    assert.equal(dependsOnBlend("auto", { compared: "inertialize" }), true);
    // The draft of the refined result has a length of its own.
    assert.equal(dependsOnBlend("rmr", { compared: "inertialize" }), false);
  });
});

describe("join options without a blend length", () => {
  it("are described and applied with the default of the package", async () => {
    const options = { method: "crossfade", seam: "keep" };
    assert.equal(page.textOf(options), page.textOf({ ...options, blend: defaultBlend }));
    assert.equal(page.transitionWords(options), page.transitionWords({ ...options, blend: defaultBlend }));
    const clips = [await load(walk()), await load(walk())];
    const framesOf = async (options) => (await stitch(clips, { seams: [options] })).frames;
    assert.equal(await framesOf(options), await framesOf({ ...options, blend: defaultBlend }));
    assert.notEqual(await framesOf(options), await framesOf({ ...options, blend: defaultBlend / 2 }));
  });
});

describe("manual settings of a seam", () => {
  /** Returns the text of a template and of the templates in it. */
  const textOf = (template) =>
    Array.isArray(template)
      ? template.map(textOf).join("")
      : template?.strings
        ? template.strings.map((string, i) => string + textOf(template.values[i])).join("")
        : String(template ?? "");

  it("show the default of the package for stored join options without a blend length", () => {
    const [outgoing, incoming] = ["a", "b"].map((id) => ({ id, source: id, color: 0 }));
    const mode = {
      app: { networks: { shippedNetwork: () => undefined }, settings: {} },
      opened: new Set(["a>b"]),
      project: page.EMPTY,
    };
    const fieldsOf = (options) => textOf(page.seamByHand({ mode, outgoing, incoming, index: 0 }, options));
    assert.match(fieldsOf({ method: "crossfade" }), new RegExp(`\\.value=${defaultBlend.toFixed(2)} `));
    assert.match(fieldsOf({ method: "crossfade", blend: 0.3 }), /\.value=0\.30 /);
    assert.doesNotMatch(fieldsOf({ method: "lscore" }), /Blend length/);
  });
});

describe("images of waves", () => {
  /** Returns the paths of a wave's trail, curve and hand. */
  function pathsOf(values) {
    const list = createElement("ul");
    const waves = new page.Waves(list, { channels: 1, at: (_, target) => target.set(values) });
    waves.show(1);
    const [svg] = list.children[0].children;
    return svg.children.filter(({ name }) => name === "path").map(({ attributes }) => attributes.d);
  }

  it("have valid paths, also for a motion without waves", () => {
    const isPath = (path) => /^M[\d. L-]+$/.test(path);
    assert.ok(pathsOf([2, 1, 0.5, 0]).every(isPath));
    const [trail, curve, hand] = pathsOf([0, 1, 0.5, 0]);
    assert.ok([trail, curve, hand].every(isPath), `${trail} ${curve.slice(0, 40)} ${hand}`);
    assert.equal(hand, "M34 34L34.0 34.0");
  });
});

describe("a filled gap", () => {
  it("is freed if its positions cannot be read", async () => {
    const worker = {
      name: "worker",
      setup(bundler) {
        bundler.onLoad({ filter: /^kinestitch\/worker$/, namespace: "absent" }, () => ({
          contents:
            "export const load = undefined, inbetween = (...args) => globalThis.simulatedEngine.inbetween(...args);",
        }));
      },
    };
    const { fillGap } = await bundlePage('export { fillGap } from "./www/pages/story/gap";', [worker]);
    const lost = Promise.reject(new Error("no memory"));
    let freed = 0;
    engine.inbetween = async () => ({ positions: () => lost, rotations: async () => [], free: () => freed++ });
    await assert.rejects(fillGap({ clip: {}, info: { joints: [] } }, 30, "delta"), /no memory/);
    assert.equal(freed, 1);
  });
});
