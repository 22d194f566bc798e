// The user's work in the page, without a browser: autosave, opened files, characters, exports, and numbers on display. The
// page's modules are bundled for Node, with a simulated engine and a simulated store.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bundlePage } from "./page-bundle.mjs";

const SOURCE = `
export { Autosave } from "./www/core/autosave";
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

/** The simulated engine, and the simulated store of slots: functions that a test replaces. */
const engine = {
  problemOf: (error) => ({ code: "test", message: error.message }),
  sentence: (text) => text,
};
const store = {};
const proxyOf = (functions) =>
  new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...args) =>
          functions[name](...args),
    },
  );
globalThis.simulated = { engine: proxyOf(engine), store: proxyOf(store) };

const exportsOf = (part, ...names) =>
  names.map((name) => `export const ${name} = (...args) => globalThis.simulated.${part}.${name}(...args);`).join("\n");
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
    replace(/www\/core\/store\.ts$/, exportsOf("store", "readSlots", "putSlot", "removeSlot", "readFiles"));
    replace(
      /www\/core\/engine\.ts$/,
      exportsOf(
        "engine",
        "load",
        "motionOf",
        "problemOf",
        "sentence",
        "stitch",
        "inbetween",
        "posesOf",
        "networkInfo",
      ) +
        exportsOf(
          "engine",
          "loadNetworks",
          "seamMap",
          "isCached",
          "styles",
          "loop",
          "mirror",
          "bestSeam",
          "naturalness",
        ),
    );
  },
};

const page = await bundlePage(SOURCE, [simulation]);
Object.assign(globalThis, { window: { setTimeout, clearTimeout } });
Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });

/** Lets all pending promises settle. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("autosave", () => {
  const session = new Map();
  globalThis.sessionStorage = {
    getItem: (key) => session.get(key) ?? null,
    setItem: (key, value) => session.set(key, value),
  };
  const workOf = (motion) => ({ version: 1, mode: "stitch", documents: { stitch: { motion } }, sources: [] });

  /** Creates an app whose only mode has a document, `app.document`, which autosave stores. */
  function createApp() {
    const app = {
      document: undefined,
      createdModes: [],
      characters: {},
      library: { sources: new Map() },
      notices: [],
      notify: (text) => app.notices.push(text),
      clear: () => undefined,
      requestUpdate: () => undefined,
      onChange: () => undefined,
      show: async () => undefined,
      loadMode: async (id) => app.createdModes.find((mode) => mode.id === id),
    };
    app.mode = { id: "stitch", settled: true, failed: false, stageContents: () => ({ a: {} }) };
    app.createdModes.push({
      id: "stitch",
      storage: {
        document: () => app.document,
        sources: () => [],
        schema: async () => (await import("valibot")).looseObject({}),
        restore: (document) => (app.document = document),
      },
    });
    return app;
  }

  /**
   * Starts autosave in a browser that holds `slots`. `tab`: id of the work that this tab had before a reload. `putSlot`
   * and `loadMode`: functions that replace those of the store and of the app. `started` resolves after the start.
   */
  function create({ slots = [], link = "", tab, putSlot, loadMode }) {
    session.clear();
    if (tab) session.set("kinestitch-tab", tab);
    const stored = new Map(slots.map((slot) => [slot.id, { saved: 1, tries: 0, ...slot }]));
    Object.assign(store, {
      readSlots: async () => [...stored.values()].sort((a, b) => b.saved - a.saved),
      putSlot: putSlot ?? (async (slot) => void stored.set(slot.id, slot)),
      removeSlot: async (id) => void stored.delete(id),
      readFiles: async () => new Map(),
    });
    globalThis.location = { href: "https://site.invalid/", hash: "" };
    const app = Object.assign(createApp(), loadMode && { loadMode });
    const autosave = new page.Autosave(app);
    return { app, autosave, stored, started: autosave.start(link) };
  }

  async function start(options) {
    const created = create(options);
    await created.started;
    return created;
  }

  const link = "/?motion=walk.bvh";
  const slots = [
    { id: "linked", kept: workOf("linked"), saved: 3, link },
    { id: "plain", kept: workOf("plain"), saved: 2 },
  ];

  it("without a link restores the newest work that belongs to no link", async () => {
    const { app, autosave, stored } = await start({ slots });
    assert.equal(app.document.motion, "plain");
    app.document = { motion: "edited" };
    await autosave.flush();
    assert.equal(stored.get("linked").kept.documents.stitch.motion, "linked");
    assert.equal(stored.get("plain").kept.documents.stitch.motion, "edited");
  });

  it("with a link restores the work of this link", async () => {
    const { app } = await start({ slots, link });
    assert.equal(app.document.motion, "linked");
  });

  it("after a reload restores the work of the tab, which may belong to a link", async () => {
    const { app } = await start({ slots, tab: "linked" });
    assert.equal(app.document.motion, "linked");
  });

  it("restores work although the attempt cannot be counted, for example on a full disk", async () => {
    const { app, stored } = await start({ slots, putSlot: () => Promise.reject(new Error("the disk is full")) });
    assert.equal(app.document.motion, "plain");
    assert.deepEqual([...stored.keys()], ["linked", "plain"]);
  });

  it("keeps stored work unchanged if it cannot be validated or read now", async () => {
    const offline = () => Promise.reject(new Error("a script could not be fetched"));
    const kept = workOf("plain");
    const { app, autosave, stored, started } = create({ slots: [{ id: "plain", kept }], loadMode: offline });
    await assert.rejects(started, /could not be fetched/);
    app.document = { motion: "new" };
    await autosave.flush();
    assert.deepEqual([stored.get("plain").kept, stored.size, autosave.isStored], [kept, 1, false]);
  });

  it("reports work as stored when it is undone to the stored state after a failed write", async () => {
    const { app, autosave, stored } = await start({ slots });
    const put = store.putSlot;
    store.putSlot = () => Promise.reject(new Error("the disk is full"));
    app.document = { motion: "too large" };
    await autosave.flush();
    assert.equal(autosave.isStored, false);
    assert.match(app.notices.at(-1), /the disk is full/);
    app.document = { motion: "plain" };
    await autosave.flush();
    assert.equal(autosave.isStored, true);
    // The copy of the drawn work is the stored work, not that of the failed write. It is made when the stage shows it.
    store.putSlot = put;
    app.mode.stageContents = () => ({});
    autosave.onDrawn();
    app.mode.stageContents = () => ({ a: {} });
    autosave.onDrawn();
    await autosave.flush();
    const { kept, good } = stored.get("plain");
    assert.deepEqual(
      [kept, good].map((work) => work.documents.stitch.motion),
      ["plain", "plain"],
    );
  });
});

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

describe("the number of frames of a gap", () => {
  it("is limited, and a change that has no effect is not an undo step", () => {
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
