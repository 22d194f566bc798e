// Cancelled, failed and replaced requests of two parts of the page: stitcher and in-betweening. Also: dragging on the
// timeline, corresponding frames of two results, FBX files read again, names of exported files, captions of joins, and
// the frame rate of the result. Bundled for Node, with a simulated engine.
import assert from "node:assert/strict";
import { it } from "node:test";
import { networkMethods } from "kinestitch/ui";
import { bundlePage } from "./page-bundle.mjs";

const engine = {
  motionOf: async () => ({}),
  problemOf: ({ message }) => ({ code: "test", message }),
};
globalThis.simulatedStitcherEngine = engine;

/** Replaces the page's engine and its converter of FBX files by {@link engine}. */
const simulation = {
  name: "simulation",
  setup(bundler) {
    bundler.onLoad({ filter: /www\/core\/fbx\.ts$/ }, () => ({
      contents: "export const convertFbx = (file) => globalThis.simulatedStitcherEngine.convertFbx(file);",
    }));
    bundler.onLoad({ filter: /www\/core\/engine\.ts$/ }, () => ({
      contents: [
        "inbetween",
        "isCached",
        "loadNetworks",
        "motionOf",
        "networkInfo",
        "posesOf",
        "problemOf",
        "sentence",
        "stitch",
      ]
        .map((name) => `export const ${name} = (...args) => globalThis.simulatedStitcherEngine.${name}(...args);`)
        .join("\n"),
    }));
  },
};

const SOURCE = `
export { forgetModel, toReadableFile } from "./www/core/models";
export { distinctFileNames } from "./www/core/save";
export { joinCaption } from "./www/modes/stitch/joins/join-options";
export { withFrameRate } from "./www/modes/stitch/stitchable";
export { insertionIndex } from "./www/modes/stitch/timeline/drag";
export { matchFrame } from "./www/modes/stitch/match";
export { EMPTY } from "./www/modes/stitch/project";
export { Solver } from "./www/modes/inbetween/solver";
export { Stitcher } from "./www/modes/stitch/stitcher";`;
const page = await bundlePage(SOURCE, [simulation]);
globalThis.window = { setTimeout, clearTimeout };

/** Waits 50 ms, enough for a request that is not delayed. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 50));

/** Creates a stitcher of two clips. `update` requests their inertialization with a blend length. */
function createStitcher() {
  const items = ["a", "b"].map((id) => ({ id, source: id, color: 0 }));
  const source = { state: "ready", version: 1, info: { frames: 60, fps: 30 } };
  const library = {
    sources: new Map(items.map((item) => [item.source, source])),
    clip: async () => ({ clip: { fps: 30 } }),
  };
  const stitcher = new page.Stitcher(library, () => undefined);
  const update = (blend) => stitcher.update({ ...page.EMPTY, items, blend }, { method: "inertialize", auto: "auto" });
  return { stitcher, update };
}

it("a request that is cancelled while an older one is computed is never computed", async () => {
  const { stitcher, update } = createStitcher();
  let calls = 0;
  engine.stitch = (_, { signal }) => {
    calls++;
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
  };
  update(10);
  await settle();
  update(30);
  stitcher.cancel();
  await settle();
  assert.equal(calls, 1);
  assert.equal(stitcher.jobs.a.problem.code, "aborted");
});

/** Creates a solver of the motion between two keys. `update` requests it with a number of frames between the keys. */
function createSolver() {
  const source = { state: "ready", version: 1 };
  const library = { sources: new Map([["a", source]]), clip: async () => ({ clip: {} }) };
  const solver = new page.Solver(library, () => undefined);
  const keys = [0, 20].map((from) => ({ id: `${from}`, source: "a", from, to: from + 1 }));
  const update = (frames) => solver.update({ keys, gaps: [frames], footLock: true, method: "linear" }, "linear");
  return { solver, source, update };
}
const untilAborted = (_, { signal }) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => setTimeout(() => reject(new Error("aborted")), 5)));

it("a cancelled in-between is not replaced by a waiting one, and can be requested again immediately", async () => {
  const { solver, update } = createSolver();
  let calls = 0;
  engine.inbetween = (...args) => {
    calls++;
    return untilAborted(...args);
  };
  update(10);
  await settle();
  update(30);
  solver.cancel();
  await settle();
  assert.deepEqual([calls, solver.problem.code, solver.busy], [1, "aborted", undefined]);
  solver.retry();
  update(30);
  await settle();
  solver.cancel();
  solver.retry();
  engine.inbetween = async () => ({ gaps: [] });
  update(30);
  await settle();
  assert.deepEqual([solver.solved.document.gaps, solver.problem, solver.busy], [[30], undefined, undefined]);
});

it("the error of an outdated in-between is not shown", async () => {
  const { solver, source, update } = createSolver();
  engine.inbetween = () => new Promise((_, reject) => setTimeout(() => reject(new Error("no memory")), 5));
  update(10);
  source.state = "loading";
  update(10);
  await settle();
  assert.equal(solver.problem, undefined);
});

it("after an error, the first clip alone is shown, and a retry computes again", async () => {
  const { stitcher, update } = createStitcher();
  engine.stitch = async (clips) => {
    if (clips.length > 1) throw new Error("no memory");
    return { aligned: async () => [] };
  };
  update(10);
  await settle();
  const { problem, result } = stitcher.jobs.a;
  assert.deepEqual([problem.message, result.items.length], ["no memory", 1]);
  stitcher.retry();
  update(10);
  assert.ok(stitcher.busy);
  stitcher.cancel();
});

it("after an error, a result of other clips is not shown", async () => {
  const { stitcher, update } = createStitcher();
  engine.stitch = async () => ({ aligned: async () => [] });
  update(10);
  await settle();
  const [item] = stitcher.jobs.a.result.items;
  engine.stitch = async (clips) => {
    if (clips.length > 1) throw new Error("different skeletons");
    return { aligned: async () => [] };
  };
  const items = ["c", "d"].map((id) => ({ ...item, id }));
  stitcher.update({ ...page.EMPTY, items }, { method: "inertialize", auto: "auto" });
  // With a result, the next request is delayed.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const { problem, result } = stitcher.jobs.a;
  assert.deepEqual([problem.message, result.items.map(({ id }) => id)], ["different skeletons", ["c"]]);
});

/** Waits 200 ms, enough for a request that is delayed because a result is shown. */
const settleDelayed = () => new Promise((resolve) => setTimeout(resolve, 200));
const copies = ["a", "b"].map((id, color) => ({ id, source: "a", color }));
const succeed = async () => ({ aligned: async () => [], seams: [], starts: [], warnings: [] });

it("copies of a clip that change places do so in the result too, without another computation", async () => {
  const { stitcher } = createStitcher();
  let calls = 0;
  engine.stitch = () => {
    calls++;
    return succeed();
  };
  const idsOf = async (items) => {
    stitcher.update({ ...page.EMPTY, items }, { method: "inertialize", auto: "auto" });
    await settle();
    return stitcher.jobs.a.result.items.map(({ id }) => id);
  };
  assert.deepEqual(await idsOf(copies), ["a", "b"]);
  assert.deepEqual(await idsOf(copies.toReversed()), ["b", "a"]);
  assert.equal(calls, 1);
});

it("copies of a clip that change places during the computation do so in its result too", async () => {
  const { stitcher } = createStitcher();
  let finish;
  engine.stitch = () => new Promise((resolve) => (finish = resolve));
  const update = (items) => stitcher.update({ ...page.EMPTY, items }, { method: "inertialize", auto: "auto" });
  update(copies);
  await settle();
  update(copies.toReversed());
  finish(await succeed());
  await settle();
  assert.deepEqual(
    stitcher.jobs.a.result.items.map(({ id }) => id),
    ["b", "a"],
  );
});

it("if the network of inserted frames fails, the frames are inserted without a network", async () => {
  const { stitcher } = createStitcher();
  const methods = [];
  engine.stitch = async (clips, { gap, gapMethod }) => {
    methods.push([clips.length, gap, gapMethod]);
    if (networkMethods.includes(gapMethod)) throw new Error("no connection");
    return succeed();
  };
  const project = { ...page.EMPTY, items: copies, gap: 12, gapMethod: networkMethods[0] };
  stitcher.update(project, { method: "inertialize", auto: "auto" });
  await settle();
  assert.deepEqual(methods, [
    [2, 12, networkMethods[0]],
    [2, 12, undefined],
  ]);
  assert.deepEqual(
    [stitcher.jobs.a.problem.message, stitcher.jobs.a.result.items.length],
    ["no connection", copies.length],
  );
});

it("seams that are refined by their own join options are computed again when other weights are loaded", async () => {
  const { stitcher } = createStitcher();
  engine.stitch = succeed;
  const project = { ...page.EMPTY, items: copies, joins: { "a>b": { method: "rmr" } } };
  const requestsWith = async (network) => {
    stitcher.update(project, { method: "crossfade", auto: "auto", network });
    const { busy } = stitcher;
    await settleDelayed();
    return busy;
  };
  assert.deepEqual(
    [await requestsWith("open"), await requestsWith("open"), await requestsWith("other")],
    [true, false, true],
  );
});

it("a computation that an edit has replaced continues if the edit is undone", async () => {
  const { stitcher, update } = createStitcher();
  let calls = 0;
  let finish;
  engine.stitch = () => {
    calls++;
    return new Promise((resolve) => (finish = resolve));
  };
  update(10);
  await settle();
  update(30);
  update(10);
  finish(await succeed());
  await settleDelayed();
  assert.deepEqual([calls, stitcher.busy, stitcher.jobs.a.result?.items.length], [1, false, 2]);
});

it("a long computation is aborted if its side is no longer compared", async (test) => {
  const { stitcher } = createStitcher();
  let isAborted = false;
  engine.stitch = (_, { method, signal }) => {
    if (method !== "crossfade") return succeed();
    signal.addEventListener("abort", () => (isAborted = true));
    return untilAborted(_, { signal });
  };
  const project = { ...page.EMPTY, items: copies };
  stitcher.update(project, { method: "inertialize", compare: "crossfade", auto: "auto" });
  await settle();
  const later = performance.now() + 5000;
  test.mock.method(performance, "now", () => later);
  stitcher.update(project, { method: "inertialize", compare: undefined, auto: "auto" });
  assert.ok(isAborted);
  await settle();
  assert.deepEqual(stitcher.jobs.b, {});
});

it("a clip that is dragged to either end of the timeline becomes the first or last, also if it is the longest", () => {
  const blocks = [
    { start: 0, length: 30 },
    { start: 30, length: 30 },
    { start: 60, length: 90 },
  ];
  const indexAfter = (index, offset) => page.insertionIndex({ blocks }, blocks[index], offset);
  assert.deepEqual([indexAfter(2, -5), indexAfter(2, -20), indexAfter(2, -60)], [2, 1, 0]);
  assert.deepEqual([indexAfter(0, 10), indexAfter(0, 20), indexAfter(0, 120)], [0, 1, 2]);
  const longFirst = [
    { start: 0, length: 90 },
    { start: 90, length: 30 },
  ];
  assert.equal(page.insertionIndex({ blocks: longFirst }, longFirst[0], 30), 1);
});

/** Creates a result whose clips meet at `seams`; `landings`: first used frame of each clip but the first. */
const createResult = (frames, seams, landings = [], blend = 10) => ({
  motion: { frames, fps: 30 },
  items: [],
  inputFps: [30, 30, 30],
  starts: [0, ...seams],
  seams: seams.map((frame, i) => ({
    frame,
    editedRange: { from: frame, to: frame + blend },
    ...(landings[i] !== undefined && { cut: { landing: landings[i] } }),
  })),
});

it("corresponding frames of two results are the same frame of a clip, where neither is changed by a seam", () => {
  // Three clips of 100 frames. In a they are joined whole; in b, each seam removes 10 frames from both clips.
  const [a, b] = [createResult(300, [100, 200]), createResult(260, [90, 170], [10, 10])];
  for (const [from, to, offsets, fromIsCut] of [
    [a, b, [0, -20, -40], false],
    [b, a, [0, 20, 40], true],
  ]) {
    // The first and last frames are those that are unchanged in both results.
    const clips = [
      [0, 89],
      [from.seams[0].frame + (fromIsCut ? 10 : 20), from.seams[1].frame - (fromIsCut ? 1 : 11)],
      [from.seams[1].frame + (fromIsCut ? 10 : 20), from.motion.frames - 1],
    ];
    clips.forEach((frames, i) => {
      for (const frame of frames) assert.equal(page.matchFrame(from, to, frame) - frame, offsets[i]);
    });
    const matched = Array.from({ length: from.motion.frames }, (_, frame) => page.matchFrame(from, to, frame));
    assert.ok(matched.every((frame, i) => i === 0 || frame >= matched[i - 1]));
  }
});

it("a converted FBX file is reused, also if it failed, until the file is forgotten", async () => {
  const file = { name: "walk.fbx" };
  const read = () => assert.rejects(page.toReadableFile(file, new AbortController().signal), /no memory/);
  let calls = 0;
  engine.convertFbx = async () => {
    calls++;
    throw new Error("no memory");
  };
  await read();
  await read();
  assert.equal(calls, 1);
  page.forgetModel(file);
  await read();
  assert.equal(calls, 2);
});

it("names of exported files differ, also without regard to case and if they are long", () => {
  const long = "x".repeat(200);
  const names = page.distinctFileNames(["Walk", "walk", "walk 2", "walk", long, long]);
  assert.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length);
  assert.ok(names.every((name) => name.length <= 120));
  assert.equal(names[0], "Walk");
});

it("captions of different joins differ", () => {
  const joins = [
    { method: "inertialize", blend: 0.5 },
    { method: "inertialize", blend: 0.3 },
    { method: "inertialize", blend: 0.5, seam: "best" },
    { method: "crossfade", blend: 0.5, seam: "phase" },
    { gap: 12 },
    { gap: 20 },
  ];
  const captions = joins.map((options) => Object.values(page.joinCaption(options)).join());
  assert.equal(new Set(captions).size, joins.length);
});

it("blends keep their duration if the frame rate of the result changes", () => {
  const library = { sources: new Map([["a", { state: "ready", info: { frames: 60, fps: 30 } }]]) };
  const project = { ...page.EMPTY, items: [{ id: "a", source: "a", color: 0 }], blend: 20 };
  const faster = page.withFrameRate(project, 60, library);
  assert.deepEqual([faster.fps, faster.blend], [60, 40]);
  assert.equal(page.withFrameRate(faster, undefined, library).blend, 20);
});

it("seams of one result correspond to seams of the other; frames after the end correspond to the last frame", () => {
  const [a, b] = [createResult(200, [60, 120], [], 0), createResult(160, [50, 100], [], 0)];
  assert.deepEqual(
    [0, 60, 120, 199, 260].map((frame) => page.matchFrame(a, b, frame)),
    [0, 50, 100, 159, 159],
  );
});
