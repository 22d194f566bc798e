// The map of cuts between two clips: which cuts it contains, the current cut, and cuts that are applied. Its module is
// bundled for Node, with a simulated engine.
import assert from "node:assert/strict";
import { it } from "node:test";
import { bundlePage } from "./page-bundle.mjs";

const engine = {
  problemOf: ({ message }) => ({ code: "test", message }),
};
globalThis.simulatedCutsEngine = engine;

/** Replaces the page's engine by {@link engine}. */
const simulation = {
  name: "simulation",
  setup(bundler) {
    bundler.onLoad({ filter: /www\/core\/engine\.ts$/ }, () => ({
      contents: ["isCached", "loadNetworks", "networkInfo", "posesOf", "problemOf", "seamMap"]
        .map((name) => `export const ${name} = (...args) => globalThis.simulatedCutsEngine.${name}(...args);`)
        .join("\n"),
    }));
  },
};

const SOURCE = `
export { cellOf, Cuts } from "./www/modes/stitch/cuts/cuts";
export { EMPTY } from "./www/modes/stitch/project";`;
const page = await bundlePage(SOURCE, [simulation]);

/** Waits 50 ms, enough for a request that is not delayed. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 50));

/**
 * Creates the map of cuts of clips with 60 frames, or of other lengths and frame rates. `seek` moves the playhead to a
 * seam.
 */
function createCuts(lengths = {}, rates = {}) {
  const items = ["a", "b", "c"].map((id) => ({ id, source: id, color: 0 }));
  const clips = new Map(items.map(({ source }) => [source, { source }]));
  const sources = new Map(
    items.map(({ source: name }) => [
      name,
      { name, state: "ready", version: 1, info: { frames: lengths[name] ?? 60, fps: rates[name] ?? 30 } },
    ]),
  );
  const mode = {
    project: { ...page.EMPTY, items },
    clock: { frame: 0, playing: false },
    marks: () => ({ list: [{ frame: 60 }, { frame: 120 }] }),
    stitcher: { jobs: { a: {} } },
    app: {
      requestUpdate: () => undefined,
      library: { sources, clip: async (source) => ({ clip: clips.get(source) }) },
    },
    sourceOf: ({ source }) => sources.get(source),
    item: (id) => mode.project.items.find((item) => item.id === id),
    edit: (_, change) => (mode.edited = change(mode.project)),
    onceStitched: () => undefined,
  };
  const cuts = new page.Cuts();
  const seek = async (seam) => {
    mode.clock.frame = 60 * (seam + 1);
    cuts.update(mode);
    await settle();
  };
  return { cuts, mode, seek };
}

it("while the map of another pair is computed, a cut is applied to the pair that is still shown", async () => {
  const { cuts, mode, seek } = createCuts();
  engine.posesOf = async () => ({});
  engine.seamMap = async () => ({});
  await seek(0);
  engine.seamMap = () => new Promise(() => {});
  await seek(1);
  cuts.apply(mode, { takeoff: 39, landing: 5 });
  assert.deepEqual(
    mode.edited.items.map(({ trim }) => trim),
    [{ from: 0, to: 40 }, { from: 5, to: 60 }, undefined],
  );
  // During playback the map stays at its seam, so it is still being computed.
  mode.clock.playing = true;
  await seek(0);
  assert.ok(cuts.busy);
});

it("a clip that is too short has no map of cuts; its neighbours have one", async () => {
  const { cuts, seek } = createCuts({ b: 4 });
  engine.posesOf = async () => ({});
  engine.seamMap = async () => ({});
  await seek(0);
  assert.deepEqual(cuts.shown?.names, ["a", "c"]);
});

it("a map of cuts is computed on request after its poses could not be read", async () => {
  const { cuts, mode, seek } = createCuts();
  engine.seamMap = async () => ({});
  engine.posesOf = async () => {
    throw new Error("no memory");
  };
  await seek(0);
  assert.equal(cuts.problem.message, "no memory");
  engine.posesOf = async () => ({});
  cuts.retry(mode);
  await seek(0);
  assert.deepEqual([cuts.problem, cuts.shown?.seam], [undefined, 0]);
});

/**
 * Records the ranges that `seamMap` scores. The best cuts are the corners of the map, whose windows of 5 frames lie
 * within the ranges.
 */
function recordRanges() {
  const recorded = [];
  engine.posesOf = async () => ({});
  engine.seamMap = async (_, __, { trim: [a, b] }) => {
    recorded.push({ a, b });
    const [takeoffs, landings] = [
      [a.from + 4, a.to - 1],
      [b.from, b.to - 5],
    ];
    return { best: takeoffs.flatMap((takeoff) => landings.map((landing) => ({ takeoff, landing }))) };
  };
  return recorded;
}
const trimsOf = ({ items }) => items.map(({ trim }) => trim && [trim.from, trim.to]);

it("every cut of the map is applied exactly: it leaves enough frames between it and the other ends of both clips", async () => {
  for (const [trims, corners] of [
    // Whole clips of 60 frames: at least 10 frames of each remain.
    [
      [undefined, undefined],
      [9, 59, 0, 50],
    ],
    // The start of the first clip and the end of the second are cut away; the other ends are set by the cut.
    [
      [
        { from: 30, to: 50 },
        { from: 5, to: 40 },
      ],
      [39, 59, 0, 30],
    ],
  ]) {
    const { cuts, mode, seek } = createCuts();
    recordRanges();
    mode.project.items.forEach((item, i) => trims[i] && Object.assign(item, { trim: trims[i] }));
    await seek(0);
    const { best } = cuts.shown.map;
    assert.deepEqual([best[0].takeoff, best[3].takeoff, best[0].landing, best[3].landing], corners);
    const [first, second] = mode.project.items.map(({ trim = { from: 0, to: 60 } }) => trim);
    for (const { takeoff, landing } of best) {
      cuts.apply(mode, { takeoff, landing });
      const [a, b] = trimsOf(mode.edited).map((trim) => trim ?? [0, 60]);
      assert.deepEqual(
        [a, b],
        [
          [first.from, takeoff + 1],
          [landing, second.to],
        ],
      );
    }
  }
});

it("the cuts of the map leave enough frames at the frame rate of the result too", async () => {
  // Two clips at 60 frames per second, stitched at 20: 10 frames of the result are 28 frames of a file.
  const { cuts, mode, seek } = createCuts({}, { a: 60, b: 60 });
  recordRanges();
  mode.project = { ...mode.project, fps: 20 };
  await seek(0);
  const { best } = cuts.shown.map;
  assert.deepEqual([best[0].takeoff, best[3].landing], [27, 32]);
  // The windows are at the rate of the first clip: 5 frames of it are 9 frames of the second.
  const other = createCuts({}, { a: 30, b: 60 });
  const recorded = recordRanges();
  await other.seek(0);
  assert.deepEqual(recorded[0].b, { from: 0, to: 60 - 19 + 9 });
});

it("while the map after a trim is computed, the previous map applies no cut that the trim forbids", async () => {
  const { cuts, mode, seek } = createCuts();
  recordRanges();
  await seek(0);
  engine.seamMap = () => new Promise(() => {});
  const [a, ...others] = mode.project.items;
  mode.project = { ...mode.project, items: [{ ...a, trim: { from: 30, to: 60 } }, ...others] };
  await seek(0);
  cuts.apply(mode, { takeoff: 38, landing: 5 });
  assert.equal(mode.edited, undefined);
  cuts.apply(mode, { takeoff: 39, landing: 5 });
  assert.deepEqual(trimsOf(mode.edited), [[30, 40], [5, 60], undefined]);
});

it("the current cut is that of the result, whatever chose it, and only of a result of the same clips and trims", async () => {
  const { cuts, mode } = createCuts();
  const { items } = mode.project;
  const [a, b, c] = items;
  const cut = { takeoff: 49, landing: 12 };
  assert.equal(mode.project.seam, "keep");
  mode.stitcher.jobs.a.result = { items, seams: [{ cut }, {}] };
  assert.equal(cuts.currentCut(mode, 0, a, b), cut);
  const ends = { takeoff: 59, landing: 0 };
  assert.deepEqual(cuts.currentCut(mode, 1, b, c), ends);
  // A clip was inserted in front, and the result is not computed yet.
  assert.deepEqual(cuts.currentCut(mode, 0, c, a), ends);
  assert.deepEqual(cuts.currentCut(mode, 0, { ...a, trim: { from: 0, to: 40 } }, b), { takeoff: 39, landing: 0 });
});

it("after a clip is inserted, the map of long clips is not computed around the cut of another pair", async () => {
  const { cuts, mode, seek } = createCuts({ a: 2000, b: 2000, c: 2000 });
  const recorded = recordRanges();
  const [a, b, c] = mode.project.items;
  mode.project = { ...mode.project, seam: "best" };
  mode.stitcher.jobs.a.result = { items: [b, c], seams: [{ cut: { takeoff: 1000, landing: 1000 } }] };
  await seek(0);
  assert.deepEqual(recorded, [{ a: { from: 1700, to: 2000 }, b: { from: 0, to: 620 } }]);
  assert.deepEqual(cuts.shown.items, [a, b]);
});

it("applying a cut removes the join options of its seam, and inserted frames", async () => {
  const { cuts, mode, seek } = createCuts();
  recordRanges();
  const own = { method: "inertialize", seam: "best" };
  mode.project = { ...mode.project, gap: 20, gapMethod: "linear", joins: { "a>b": own, "b>c": own } };
  await seek(0);
  cuts.apply(mode, { takeoff: 39, landing: 5 });
  const { method, seam, joins, gap, gapMethod } = mode.edited;
  assert.deepEqual([method, seam, joins, gap, gapMethod], ["lscore", "keep", { "b>c": own }, undefined, undefined]);
});

it("the map contains only cuts within its take-offs and landings", () => {
  const map = { takeoffs: { from: 40, to: 44 }, landings: [10, 12, 14] };
  const cellAt = (takeoff, landing) => page.cellOf(map, { takeoff, landing });
  assert.deepEqual(cellAt(40, 10), { row: 0, column: 0 });
  assert.deepEqual(cellAt(43, 14), { row: 3, column: 2 });
  assert.deepEqual(cellAt(41, 11), { row: 1, column: 0 });
  for (const [takeoff, landing] of [
    [39, 12],
    [44, 12],
    [41, 9],
    [41, 15],
  ])
    assert.equal(cellAt(takeoff, landing), undefined, `${takeoff}, ${landing}`);
  assert.equal(page.cellOf({ ...map, landings: [] }, { takeoff: 41, landing: 12 }), undefined);
});
