// The panels of curves and of gaps of the mode "In-between", with simulated plots; the plots, with a simulated library;
// the plot of phases; the ruler of a timeline; and the range of a plot in the mode "Stitch". Bundled for Node.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { bundlePage } from "./page-bundle.mjs";
import { root } from "./support.mjs";

/** Replaces the plots, which report what they draw to the global function `onPlot`. */
const simulation = {
  name: "simulation",
  setup(bundler) {
    bundler.onResolve({ filter: /^kinestitch\/phases-svg$/ }, () => ({
      path: join(root, "pkg", "dist", "core", "phases-svg.js"),
    }));
    bundler.onLoad({ filter: /www\/plot\/motion-plots\.ts$/ }, () => ({
      contents: `export class MotionPlots {
        set = (key, _, getTraces) => globalThis.onPlot(key, getTraces());
        setFrame = () => undefined;
        view = () => undefined;
      }`,
    }));
    // The engine starts a worker.
    bundler.onLoad({ filter: /www\/core\/engine\.ts$/ }, () => ({
      contents: ["isCached", "loadNetworks", "networkInfo", "problemOf", "sentence"]
        .map((name) => `export const ${name} = () => undefined;`)
        .join("\n"),
    }));
  },
};

const SOURCE = `
export { curvesPanel } from "./www/modes/inbetween/panels/curves";
export { gapsPanel } from "./www/modes/inbetween/panels/gaps";
export { PlotRange } from "./www/modes/stitch/panels/plot-range";
export { PhasePlot } from "./www/plot/phase-plot";
export { Track } from "./www/timeline/track";`;
const page = await bundlePage(SOURCE, [simulation]);

describe("the curves of the mode In-between", () => {
  /** Creates a solved motion. */
  const solve = (method, curves, document = { keys: [], gaps: [10], footLock: true }) => ({
    key: method,
    method,
    document,
    motion: { frames: 12, curves },
    clip: { gaps: [] },
  });

  /** Creates the panel of a mode that shows the motion `shown`. Returns the mode, and a function that draws the panel. */
  function createPanel(shown, { result, plain }) {
    const mode = { solved: shown, result: { solved: result }, plain: { solved: plain }, clock: { frame: 0 } };
    const panel = page.curvesPanel(mode);
    const draw = () => {
      let drawn;
      globalThis.onPlot = (key, traces) => {
        drawn = { key, traces: traces.map(({ curves, dashed }) => [curves, dashed]) };
      };
      panel.view();
      return drawn;
    };
    return { mode, draw };
  }

  it("are drawn again after a drag, when the motion with the same key has its own curves", () => {
    const dragged = solve("hermite", { name: "before the drag" });
    const { mode, draw } = createPanel(dragged, { result: dragged });
    const first = draw();
    assert.equal(draw().key, first.key);
    mode.solved = mode.result.solved = solve("hermite", { name: "after the drag" });
    assert.notEqual(draw().key, first.key);
  });

  it("are solid for the shown motion, and dashed for the other one", () => {
    const [result, plain] = [solve("hermite", {}), solve("linear", {})];
    const [ofResult, ofPlain] = [result.motion.curves, plain.motion.curves];
    assert.deepEqual(createPanel(result, { result, plain }).draw().traces, [
      [ofResult, false],
      [ofPlain, true],
    ]);
    const [first, second] = createPanel(plain, { result, plain }).draw().traces;
    assert.ok(first[0] === ofPlain && second[0] === ofResult);
    assert.deepEqual([first[1], second[1]], [false, true]);
  });

  it("are not compared with those of another document or of the same method", () => {
    const result = solve("hermite", {});
    const older = solve("linear", {}, { keys: [], gaps: [20], footLock: true });
    for (const plain of [older, solve("hermite", {}), undefined])
      assert.equal(createPanel(result, { result, plain }).draw().traces.length, 1);
  });
});

/** Returns the HTML of a rendered template, without event handlers. Values of directives are JSON. */
function htmlOf(template) {
  if (Array.isArray(template)) return template.map(htmlOf).join("");
  if (typeof template === "function" || typeof template === "symbol") return "";
  if (template?._$litDirective$) return JSON.stringify(template.values);
  if (!template?.strings) return String(template);
  return template.strings
    .map((text, i) => text + (i < template.values.length ? htmlOf(template.values[i]) : ""))
    .join("");
}

describe("the gaps of the mode In-between", () => {
  const [walk, run] = ["walk", "run"].map((id, color) => ({ id, color }));
  const gap = { range: { from: 1, to: 11 }, footSkate: 0, peakJerk: 100, keyErrorCm: 0, keyErrorDegrees: 0 };
  const create = (keys = [walk, run], gaps = [10]) => ({ keys, gaps, footLock: true });

  /** Creates a motion. `frames`: number of foot speeds, 0 if the feet are not known. `measured`: of its gaps. */
  const solve = (method, { document = create(), frames = 12, measured = {} } = {}) => ({
    method,
    document,
    motion: { curves: { footSpeed: [new Float32Array(frames), new Float32Array(frames)] } },
    clip: { gaps: document.gaps.map(() => ({ ...gap, ...measured })), warnings: [] },
  });
  const view = (result, plain, document = create()) =>
    htmlOf(page.gapsPanel({ document, result, plain: { solved: plain } }).view());
  /** Returns the cells of the rows of measurements, and whether each is marked as best. */
  const cells = (text) =>
    [...text.matchAll(/<td class=(\S+?)>([^<]*)/g)].map(([, marks, content]) => [content, marks.includes("true")]);

  it("have no foot skate if the feet are not known, as of animals", () => {
    const trials = [{ method: "hermite", score: 1, footSkate: 0, peakJerk: 100 }];
    const text = view(
      { solved: solve("hermite", { frames: 0, measured: { trials } }) },
      solve("linear", { frames: 0 }),
    );
    assert.doesNotMatch(text, /\d mm/);
    assert.deepEqual(cells(text).slice(0, 2), [
      ["–", false],
      ["–", false],
    ]);
  });

  it("have a best method only if the measurements look different", () => {
    const result = solve("hermite", { measured: { footSkate: 0.00121, peakJerk: 50 } });
    const text = view({ solved: result }, solve("linear", { measured: { footSkate: 0.00122 } }));
    assert.deepEqual(
      cells(text).map(([, isBest]) => isBest),
      [false, false, false, true],
    );
  });

  it("are compared only with gaps of the same document", () => {
    const older = solve("linear", { document: create([walk, run], [20]) });
    assert.equal(cells(view({ solved: solve("hermite") }, older)).length, 2);
    assert.equal(cells(view({ solved: solve("hermite") }, solve("linear"))).length, 4);
  });

  it("are those between the same keys while a newer document is solved", () => {
    const solved = solve("hermite", { document: create([walk, run, { id: "turn", color: 2 }], [10, 300]) });
    const text = view({ solved }, undefined, create([run, { id: "turn", color: 2 }], [300]));
    assert.deepEqual(text.match(/Frames between keys \d and \d/g), ["Frames between keys 1 and 2"]);
    // A gap that is longer than the limit can be shortened step by step.
    assert.match(text, /max=300/);
  });

  it("without a motion are explained: too few keys, still generated, or failed", () => {
    assert.match(view({}, undefined, create([walk], [])), /Add two keys/);
    assert.match(view({ busy: {} }), /Generating/);
    assert.match(view({ problem: {} }), /could not be generated/);
  });
});

/** Replaces uPlot by a class that stores its options and data, with one frame per pixel. */
const simulatedLibrary = {
  name: "simulated library",
  setup(bundler) {
    bundler.onResolve({ filter: /^uplot(\/|$)/ }, ({ path }) => ({ path, namespace: "uplot" }));
    bundler.onLoad({ filter: /.*/, namespace: "uplot" }, ({ path }) => ({
      contents: path.endsWith(".css") ? "" : "export default globalThis.SimulatedPlot;",
    }));
  },
};

/** An element that only dispatches events and captures pointers. */
class SimulatedElement extends EventTarget {
  #captured;
  style = {};
  setAttribute() {}
  append() {}
  getBoundingClientRect = () => ({ left: 0 });
  hasPointerCapture = (id) => id === this.#captured;
  setPointerCapture(id) {
    this.#captured = id;
  }
  /** Dispatches an event of the mouse, whose pointer has the id 1. */
  mouse(type, clientX) {
    if (type === "lostpointercapture") this.#captured = undefined;
    this.dispatchEvent(Object.assign(new Event(type), { pointerId: 1, button: 0, buttons: 1, clientX }));
  }
}

describe("a plot", async () => {
  globalThis.document = { createElement: () => new SimulatedElement() };
  globalThis.ResizeObserver = class {
    observe() {}
  };
  globalThis.SimulatedPlot = class {
    over = new SimulatedElement();
    bbox = { width: 100 };
    constructor(options) {
      globalThis.builtPlot = this;
      this.options = options;
      for (const ready of options.hooks.ready) ready(this);
    }
    setData(data) {
      this.data = data;
    }
    valToPos = (frameNumber) => frameNumber - this.data[0][0];
    posToVal = (x) => x + this.data[0][0];
  };
  const { Plot } = await bundlePage('export { Plot } from "./www/plot/plot";', [simulatedLibrary]);

  /** Creates a plot of the frames [from, to). `seek` receives the frames of clicks and drags. */
  async function createPlot(seek, from = 0, to = 10) {
    const plot = new Plot("Foot speed", "m/s", seek);
    const set = (from, to) => plot.set({ lines: [], from, to, seams: [] }, {});
    set(from, to);
    await new Promise((resolve) => setTimeout(resolve));
    return { set, built: globalThis.builtPlot };
  }

  it("has the exact multiples of each step on its axis of values", async () => {
    const { built } = await createPlot(() => undefined);
    const [, { values }] = built.options.axes;
    assert.deepEqual(values(undefined, [0.025, 1.25, 2.5, 250]), ["0.025", "1.25", "2.5", "250"]);
    assert.deepEqual(values(undefined, [1250, 10_000, 12_500, 15_000]), ["1.25K", "10K", "12.5K", "15K"]);
  });

  it("keeps its range while the playhead is dragged, and seeks only within it", async () => {
    const frames = [];
    const { set, built } = await createPlot((frame) => frames.push(frame), 20, 30);
    const shownRange = () => [built.data[0][0] - 1, built.data[0].at(-1)];
    built.over.mouse("pointerdown", 4);
    set(50, 60);
    built.over.mouse("pointermove", 6);
    built.over.mouse("pointermove", 500);
    assert.deepEqual(
      [frames, shownRange()],
      [
        [24, 26, 29],
        [20, 30],
      ],
    );
    built.over.mouse("lostpointercapture", 500);
    assert.deepEqual(shownRange(), [50, 60]);
  });

  it("does not seek while the pointer drags something else across it", async () => {
    const frames = [];
    const { built } = await createPlot((frame) => frames.push(frame));
    built.over.mouse("pointermove", 4);
    assert.deepEqual(frames, []);
  });
});

describe("the plot of phases", () => {
  it("is dragged as long as its picture has the pointer, which it loses without an event when it is removed", () => {
    const elements = [];
    globalThis.document = { createElement: () => elements[elements.push(new SimulatedElement()) - 1] };
    const frames = [];
    const plot = new page.PhasePlot((frame) => frames.push(frame));
    plot.element.clientWidth = 0; // It is not drawn. Then its 10 frames are in one pixel, after a margin of 110 pixels.
    const image = elements.find(({ className }) => className === "phase-picture");
    plot.set({ name: "walk", frames: 10, fps: 30, limbs: [], from: 0, to: 10 });
    image.mouse("pointerdown", 110.35);
    // A touched part of the picture loses the pointer to the picture.
    image.dispatchEvent(Object.assign(new Event("lostpointercapture"), { pointerId: 1 }));
    image.mouse("pointermove", 110.55);
    image.setPointerCapture(undefined);
    image.mouse("pointermove", 110.75);
    assert.deepEqual(frames, [3, 5]);
  });
});

describe("the ruler of a timeline", () => {
  /** Creates a track of 10 frames and 100 pixels. Returns it, the frames that it seeks, and its event listeners. */
  function createTrack() {
    const box = { left: 0, width: 100 };
    globalThis.document = { querySelector: () => ({ clientWidth: 100, getBoundingClientRect: () => box }) };
    globalThis.requestAnimationFrame = () => undefined;
    const frames = [];
    const clock = { shownFrame: 0, fps: 30, play: () => undefined, seek: (frame) => frames.push(frame) };
    const track = new page.Track(clock, () => undefined);
    track.fit(10);
    const [wheel, press, move] = track.view().values.filter((value) => typeof value === "function");
    return { track, frames, wheel, press, move };
  }

  it("is zoomed by the wheel with Ctrl, Cmd or Alt", () => {
    for (const [key, isZoomed] of [
      ["ctrlKey", true],
      ["metaKey", true],
      ["altKey", true],
      ["shiftKey", false],
    ]) {
      const { track, wheel } = createTrack();
      wheel({ deltaY: -1, preventDefault: () => undefined, [key]: true });
      assert.equal(track.zoomLimits.canOut, isZoomed, key);
      // A horizontal movement of the wheel does not zoom out.
      wheel({ deltaY: 0, preventDefault: () => undefined, [key]: true });
      assert.equal(track.zoomLimits.canOut, isZoomed, key);
    }
  });

  it("does not seek while the pointer drags something else across it", () => {
    const { frames, press, move } = createTrack();
    const ruler = new SimulatedElement();
    const at = (clientX) => ({ pointerId: 1, button: 0, buttons: 1, clientX, currentTarget: ruler });
    move(at(35));
    press(at(45));
    move(at(55));
    assert.deepEqual(frames, [4, 5]);
  });
});

describe("the range of a plot", () => {
  /** Returns a result of clips of 100 frames, without blends. */
  const join = (...ids) => ({
    items: ids.map((id) => ({ id })),
    motion: { frames: 100 * ids.length, fps: 10 },
    seams: ids
      .slice(1)
      .map((_, i) => ({ frame: 100 * (i + 1), editedRange: { from: 100 * (i + 1), to: 100 * (i + 1) } })),
  });

  it("follows the chosen seam if clips are moved, and is all frames if the seam no longer exists", () => {
    const range = new page.PlotRange({ app: { requestUpdate: () => undefined } }, "all");
    range.shown = "b>c";
    assert.deepEqual(range.range(join("a", "b", "c")), { from: 188, to: 212 });
    assert.deepEqual(range.range(join("b", "c", "a")), { from: 88, to: 112 });
    assert.deepEqual(range.range(join("a", "b")), { from: 0, to: 200 });
    range.view(join("a", "b"));
    assert.equal(range.shown, "all");
  });
});
