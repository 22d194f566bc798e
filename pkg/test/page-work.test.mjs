// The user's work in the page, without a browser: opened files, characters, exports, and numbers on display. The page's
// modules are bundled for Node, with a simulated engine.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bundlePage } from "./page-bundle.mjs";

const SOURCE = `
export { CharacterStore } from "./www/core/character";
export { clockTime, frameRate } from "./www/core/format";
export { Library } from "./www/core/library";
export { openFiles } from "./www/core/open";
export { setGap } from "./www/modes/inbetween/document";
export { Inbetween } from "./www/modes/inbetween/inbetween";
export { document as inbetweenSchema } from "./www/modes/inbetween/schema";
export { project as stitchSchema } from "./www/modes/stitch/schema";
export { Stitch } from "./www/modes/stitch/stitch";
export { ticks } from "./www/timeline/ticks";
export { parse } from "valibot";`;

/** The simulated engine: functions that a test replaces. */
const engine = {
  problemOf: (error) => ({ code: "test", message: error.message }),
  sentence: (text) => text,
};
globalThis.simulatedEngine = engine;

const exportsOf = (...names) =>
  names.map((name) => `export const ${name} = (...args) => globalThis.simulatedEngine.${name}(...args);`).join("\n");
const simulation = {
  name: "simulation",
  setup(bundler) {
    const replace = (filter, contents) => bundler.onLoad({ filter }, () => ({ contents, loader: "ts" }));
    replace(/\.css$/, "");
    replace(/www\/modes\/\w+\/demo\.ts$/, "export const DEMO = [], createDemo = () => undefined;");
    replace(/www\/viewer\/(mini|puppet|handles|ground-pointer)\.ts$/, "export class Mini {}");
    replace(
      /www\/viewer\/model\.ts$/,
      "export const toAnimationClip = async () => ({}); export class Puppet {} export const restOfObject = () => ({});",
    );
    replace(
      /www\/core\/engine\.ts$/,
      exportsOf(
        ...["load", "motionOf", "problemOf", "sentence", "stitch", "inbetween", "posesOf", "networkInfo"],
        ...["loadNetworks", "seamMap", "isCached", "styles", "loop", "mirror", "bestSeam", "naturalness", "clean"],
      ),
    );
  },
};

const page = await bundlePage(SOURCE, [simulation]);
Object.assign(globalThis, { window: { setTimeout, clearTimeout } });
Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });

/** Lets all pending promises settle. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("the library", () => {
  it("ignores the end of reading a file that was replaced meanwhile", async () => {
    const readings = [];
    engine.load = () => new Promise((resolve, reject) => readings.push({ resolve, reject }));
    const library = new page.Library(() => undefined);
    const { source } = library.add(new File([], "walk.bvh"));
    void library.replace(source.id, new File([], "run.bvh"));
    readings[0].reject(new Error("aborted"));
    await settle();
    assert.equal(source.state, "loading");
    readings[1].resolve({ info: async () => ({ frames: 1 }) });
    await settle();
    assert.deepEqual([source.state, source.name, source.problem], ["ready", "run", undefined]);
  });
});

describe("stored work of earlier releases", () => {
  it("keeps the properties that have other names now", () => {
    const path = [
      [0, 0],
      [1, 2],
    ];
    const inbetween = { keys: [], gaps: [], method: "delta", ways: 4, way: 2, trail: { path, style: "proud" } };
    const { firstSeed, variant, accepted } = page.parse(page.inbetweenSchema, inbetween);
    assert.deepEqual(
      { firstSeed, variant, accepted },
      { firstSeed: 4, variant: 2, accepted: { path, style: "proud" } },
    );
    const stitch = { items: [], method: "auto", compare: "crossfade", ways: { "a>b": { seam: "best" } } };
    assert.deepEqual(page.parse(page.stitchSchema, stitch).joins, { "a>b": { seam: "best" } });
  });
});

describe("stored work with an accepted candidate", () => {
  it("is valid with a gap that is longer than the user can set", () => {
    const key = (id) => ({ id, source: "walk", from: 0, to: 1, color: 0 });
    const stored = { keys: [key("a"), key("b")], gaps: [300], method: "dcmoe" };
    assert.deepEqual(page.parse(page.inbetweenSchema, stored).gaps, [300]);
  });
});

describe("opening files", () => {
  it("without files does nothing", async () => {
    const opened = [];
    const app = { mode: { open: (origins) => opened.push(origins) } };
    await page.openFiles(app, []);
    assert.deepEqual(opened, []);
    await page.openFiles(app, [{ name: "walk.bvh" }]);
    assert.deepEqual(opened, [[{ name: "walk.bvh" }]]);
  });
});

describe("a character that can play only one of two compared motions", () => {
  /** Compares motions that are retargeted in a given order. Returns the store, and the clips of both sides. */
  async function compare(order) {
    engine.load = async () => ({ info: async () => ({ rig: {}, joints: [] }) });
    engine.motionOf = async () => ({ curves: {} });
    const characters = new page.CharacterStore(() => undefined);
    await characters.replace({ name: "hero.glb" }, { object: {} });
    const finish = {};
    const clipOf = (name) => ({ retarget: () => new Promise((...settlers) => (finish[name] = settlers)) });
    const clips = { good: clipOf("good"), bad: clipOf("bad") };
    characters.update(Object.values(clips).map((clip) => ({ clip, motion: {}, segments: [] })));
    await settle();
    for (const name of order) {
      const [resolve, reject] = finish[name];
      if (name === "good") resolve({});
      else reject(new Error("no hips"));
      await settle();
    }
    return { characters, clips };
  }

  for (const order of [
    ["good", "bad"],
    ["bad", "good"],
  ])
    it(`shows the problem, and exports the other motion, if ${order[1]} ends last`, async () => {
      const { characters, clips } = await compare(order);
      assert.equal(characters.problem, "no hips");
      assert.deepEqual([characters.canPlay(clips.good), characters.canPlay(clips.bad)], [true, false]);
      characters.update([{ clip: clips.good, motion: {}, segments: [] }]);
      assert.equal(characters.problem, undefined);
      characters.remove();
      assert.equal(characters.canPlay(clips.good), false);
    });
});

describe("a character", () => {
  it("is restored by undo if it was opened while the next character was read", async () => {
    engine.load = async (_, { name }) => ({ info: () => (name === "slow" ? settle() : undefined) });
    const characters = new page.CharacterStore(() => undefined);
    const [restore] = await Promise.all(["slow", "fast"].map((name) => characters.replace({ name }, { object: {} })));
    assert.equal(characters.current.name, "slow");
    restore();
    assert.equal(characters.current.name, "fast");
  });
});

describe("an export", () => {
  const app = {
    library: { sources: new Map() },
    networks: {},
    auto: {},
    characters: {},
    settings: { compare: "off" },
    requestUpdate: () => undefined,
  };
  const clip = { name: "walk" };

  /** Creates modes with an edited document, and the state of its computation. */
  const modes = {
    "In-between": () => {
      const mode = new page.Inbetween(app);
      mode.edit("add", (document) => ({ ...document, keys: [{ id: "a" }] }));
      return { mode, setState: (state) => Object.assign(mode.result, { clip }, state) };
    },
    Stitch: () => {
      const mode = new page.Stitch(app);
      mode.edit("add", (project) => ({ ...project, items: [{ id: "a" }] }));
      const result = { motion: { name: "walk" }, clip };
      return { mode, setState: (state) => (mode.stitcher.jobs.a = { result, ...state }) };
    },
  };
  for (const [name, create] of Object.entries(modes)) {
    /** Returns whether an export in a state saves the document. */
    const isSavedIn = (state) => {
      const { mode, setState } = create();
      setState(state);
      mode.exportable().onSaved();
      return !mode.unsaved;
    };

    it(`in the mode ${name} saves the document only if the exported motion is that of the document`, () => {
      assert.equal(isSavedIn({}), true);
      assert.equal(isSavedIn({ busy: {} }), false);
      assert.equal(isSavedIn({ problem: { code: "test" } }), false);
    });

    it(`in the mode ${name} does not save edits that were made during the export`, () => {
      const { mode, setState } = create();
      setState({});
      const { onSaved } = mode.exportable();
      mode.edit("foot lock", (document) => ({ ...document, footLock: !document.footLock }));
      onSaved();
      assert.equal(mode.unsaved, true);
    });
  }
});

describe("stored work of the mode Stitch", () => {
  it("loads the network of an earlier visit once, when the first result is displayed", async () => {
    let loadCount = 0;
    const app = {
      auto: { isReady: false, version: "", loadWhenIdle: () => undefined },
      networks: { isCached: async () => true, load: async () => loadCount++ },
      settings: { compare: "off", network: true },
      isDrawn: true,
      requestUpdate: () => undefined,
    };
    const mode = new page.Stitch(app);
    mode.storage.restore({ ...mode.project, method: "rmr", items: [{ id: "a" }] });
    mode.stitcher.update = () => undefined;
    mode.enter();
    mode.update();
    await settle();
    assert.equal(loadCount, 0);
    mode.stitcher.jobs.a = { result: { motion: { frames: 10, fps: 30 } } };
    for (let i = 0; i < 2; i++) mode.update();
    await settle();
    assert.equal(loadCount, 1);
  });
});

describe("the number of frames of a gap", () => {
  it("is limited, and a change that has no effect is not an undo step; a longer gap can be shortened", () => {
    const document = { keys: [], gaps: [120, 24] };
    assert.deepEqual(page.setGap(document, 1, 500).gaps, [120, 120]);
    assert.equal(page.setGap(document, 0, 121), document);
    assert.equal(page.setGap(document, 2, 9), document);
    assert.deepEqual(page.setGap({ keys: [], gaps: [300] }, 0, 299).gaps, [299]);
  });
});

describe("numbers on display", () => {
  it("are frame rates with at most two decimals", () => {
    assert.deepEqual([24000 / 1001, 30000 / 1001, 30, 1 / 0.033333, 12.5, 59.94].map(page.frameRate), [
      ...["23.98 fps", "29.97 fps", "30 fps", "30 fps", "12.5 fps", "59.94 fps"],
    ]);
  });

  it("are times whose seconds are below 60", () => {
    assert.deepEqual([0, 62.5, 59.994, 59.996, 119.999].map(page.clockTime), [
      ...["0:00.00", "1:02.50", "0:59.99", "1:00.00", "2:00.00"],
    ]);
  });

  it("are round labels on the ruler, which count frames from 1", () => {
    const labels = (frames, maxCount) => page.ticks(frames, maxCount).map((frame) => frame + 1);
    assert.deepEqual(labels(30, 4), [1, 10, 20, 30]);
    assert.deepEqual(labels(29, 4), [1, 10, 20]);
    assert.deepEqual(labels(3, 10), [1, 2, 3]);
    assert.deepEqual(labels(7, 4), [1, 2, 4, 6]);
    assert.deepEqual(labels(1, 10), [1]);
  });
});
