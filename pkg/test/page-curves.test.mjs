// The panel of curves of the mode "In-between", bundled for Node, with simulated plots.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bundlePage } from "./page-bundle.mjs";

/** Replaces the plots, which report what they draw to the global function `onPlot`. */
const simulation = {
  name: "simulation",
  setup(bundler) {
    bundler.onLoad({ filter: /www\/plot\/motion-plots\.ts$/ }, () => ({
      contents: `export class MotionPlots {
        set = (key, _, getTraces) => globalThis.onPlot(key, getTraces());
        setFrame = () => undefined;
        view = () => undefined;
      }`,
    }));
    // The engine starts a worker.
    bundler.onLoad({ filter: /www\/core\/engine\.ts$/ }, () => ({
      contents: ["isCached", "loadNetworks", "networkInfo", "problemOf"]
        .map((name) => `export const ${name} = () => undefined;`)
        .join("\n"),
    }));
  },
};

const page = await bundlePage('export { curvesPanel } from "./www/modes/inbetween/panels/curves";', [simulation]);

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
