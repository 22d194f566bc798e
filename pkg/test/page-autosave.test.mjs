// Autosave: stores the user's work and restores it, without a browser. The page's modules are bundled for Node, with a
// simulated engine and a simulated store.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bundlePage } from "./page-bundle.mjs";

/** The simulated store of slots: functions that {@link create} sets. */
const store = {};
globalThis.simulatedStore = store;

const simulation = {
  name: "simulation",
  setup(bundler) {
    const replace = (filter, contents) => bundler.onLoad({ filter }, () => ({ contents, loader: "ts" }));
    replace(
      /www\/core\/store\.ts$/,
      ["readSlots", "putSlot", "removeSlot", "readFiles"]
        .map((name) => `export const ${name} = (...args) => globalThis.simulatedStore.${name}(...args);`)
        .join("\n"),
    );
    replace(
      /www\/core\/engine\.ts$/,
      `export const problemOf = ({ message }) => ({ code: 'test', message }), sentence = (text) => text;
       export const load = async () => ({ info: async () => ({}) }), motionOf = () => undefined;`,
    );
    replace(
      /www\/core\/models\.ts$/,
      `export const modelOf = (file) => globalThis.simulatedStore.modelOf(file), isFbx = () => false;
       export const modelChunk = async () => ({ restOfObject: () => ({}) });`,
    );
  },
};

const SOURCE = `
export { Autosave } from "./www/core/autosave";
export { CharacterStore } from "./www/core/character";`;
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
      characters: new page.CharacterStore(() => undefined),
      library: { sources: new Map(), restore: (_, name, origin) => app.library.sources.set(name, origin) },
      history: { push: (_label, _capture, restore) => (app.undo = restore) },
      notices: [],
      notify: (text) => app.notices.push(text),
      clear: () => undefined,
      requestUpdate: () => undefined,
      onChange: (listener) => (app.change = listener),
      show: async () => undefined,
      reshow: async () => undefined,
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
   * Starts autosave in a browser that holds `slots` and `files`. `tab`: id of the work that this tab had before a reload.
   * `putSlot` and `loadMode`: functions that replace those of the store and of the app. `started` resolves after the
   * start.
   */
  function create({ slots = [], files = new Map(), link = "", tab, putSlot, loadMode }) {
    session.clear();
    if (tab) session.set("kinestitch-tab", tab);
    const stored = new Map(slots.map((slot) => [slot.id, { saved: 1, tries: 0, ...slot }]));
    Object.assign(store, {
      readSlots: async () => [...stored.values()].sort((a, b) => b.saved - a.saved),
      putSlot: putSlot ?? (async (slot) => void stored.set(slot.id, slot)),
      removeSlot: async (id) => void stored.delete(id),
      readFiles: async () => new Map(files),
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

  it("stores the work a moment after the first change, also if others follow without a pause", async (context) => {
    const { app, stored } = await start({ slots });
    const timers = [];
    context.mock.method(window, "setTimeout", (run) => timers.push(run));
    context.mock.method(window, "clearTimeout", (timer) => delete timers[timer - 1]);
    app.document = { motion: "edited" };
    for (let i = 0; i < 3; i++) app.change();
    assert.equal(timers.length, 1);
    timers[0]();
    await settle();
    assert.equal(stored.get("plain").kept.documents.stitch.motion, "edited");
    app.change();
    assert.equal(timers.length, 2);
  });

  it('restores the work from before "New project" with its files, although newer work has replaced them', async () => {
    const file = new File([], "walk.bvh");
    const good = { ...workOf("previous"), sources: [{ id: "a", name: "walk", file: "stored name" }] };
    const files = new Map([["stored name", file]]);
    const { app } = await start({ slots: [{ id: "plain", good }], files });
    files.clear();
    app.undo();
    await settle();
    assert.deepEqual([app.document.motion, app.library.sources.get("walk")], ["previous", file]);
  });

  describe("of a character", () => {
    const file = new File([], "hero.glb");
    const files = new Map([["stored name", file]]);
    const character = { file: "stored name", edits: { Hips: "pelvis" } };
    const unreadable = () => Promise.reject(new Error("a script could not be fetched"));

    /** Starts with stored work with a character. `modelOf` reads its model. `edit` edits and stores the work. */
    async function startWithCharacter(modelOf) {
      store.modelOf = modelOf;
      const started = await start({ slots: [{ id: "plain", kept: { ...workOf("plain"), character } }], files });
      let edits = 0;
      const edit = async () => {
        started.app.document = { motion: `edit ${++edits}` };
        await started.autosave.flush();
        return started.stored.get("plain").kept;
      };
      return { ...started, edit };
    }

    it("restores it with its corrections", async () => {
      const { app, autosave } = await startWithCharacter(async () => ({ object: {} }));
      const { current, unread } = app.characters;
      assert.deepEqual([current.file, current.edits, unread], [file, character.edits, undefined]);
      assert.ok(autosave.isStored);
    });

    it("keeps it stored if it cannot be read, until the user removes it", async () => {
      const { app, autosave, edit } = await startWithCharacter(unreadable);
      assert.match(app.notices[0], /could not be fetched/);
      assert.deepEqual([app.document.motion, app.characters.current], ["plain", undefined]);
      assert.match(app.characters.unread.problem, /could not be fetched/);
      // Nothing has changed, so nothing is written.
      assert.ok(autosave.isStored);
      assert.deepEqual((await edit()).character, character);
      const undo = app.characters.removeUndoably();
      assert.equal((await edit()).character, undefined);
      undo();
      assert.deepEqual((await edit()).character, character);
    });

    it("that could not be read stores the one by which the user replaces it", async () => {
      const { app, edit } = await startWithCharacter(unreadable);
      await app.characters.replace(new File([], "other.glb"), { object: {} });
      const { file: name, edits } = (await edit()).character;
      assert.notEqual(name, "stored name");
      assert.deepEqual([edits, app.characters.unread], [{}, undefined]);
    });
  });
});
