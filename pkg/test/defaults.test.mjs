// A call that omits an option gives the same result as a call with the documented default of that option.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  bestSeam,
  inbetween,
  inbetweenMethods,
  init,
  lscore,
  methodDefaults,
  networkMethods,
  stitch,
  load,
  loop,
} from "kinestitch";
import { defaults } from "../wasm/kinestitch.js";
import { walk } from "./support.mjs";

await init();
const known = defaults();
const clips = () => Promise.all([load(walk()), load(walk({ speed: 2 }))]);

/** Asserts that a call gives the same result without options and with each default. */
async function assertSameResult(call, options) {
  const expected = await call({});
  for (const [name, value] of Object.entries(options)) {
    assert.deepEqual(await call({ [name]: value }), expected, `${name}: ${JSON.stringify(value)}`);
  }
  assert.deepEqual(await call(options), expected, "all defaults");
}

describe("documented defaults", () => {
  it("of stitch are used for omitted options, by every method", async () => {
    const [a, b] = await clips();
    const { method, ...options } = known.stitch;
    assert.deepEqual(Object.keys(known).sort(), ["cuts", "inbetween", "loop", "score", "stitch"]);
    await assertSameResult(async (options) => (await stitch([a, b], options)).rotations(), known.stitch);
    // Without the options that only "auto" uses.
    const { keep, maxCut, ...rest } = options;
    for (const method of ["crossfade", "inertialize", "lscore"]) {
      await assertSameResult(async (options) => (await stitch([a, b], { method, ...options })).rotations(), rest);
    }
    await assertSameResult(async (options) => (await stitch([a, b], { method, ...options })).rotations(), {
      keep,
      maxCut,
    });
  });

  it("of a gap's method are used for omitted options", async () => {
    const [a, b] = await clips();
    const gap = async (options) => (await stitch([a, b], { gap: 20, ...options })).rotations();
    await assertSameResult(gap, { gapMethod: known.inbetween.method });
  });

  it("of cuts and scores are used for omitted options", async () => {
    const [a, b] = await clips();
    await assertSameResult((options) => bestSeam(a, b, options), known.cuts);
    await assertSameResult((options) => lscore(a, b, { takeoff: 40, landing: 8, ...options }), known.score);
  });

  it("of loop are used for omitted options", async () => {
    const clip = await load(walk());
    await assertSameResult(async (options) => (await loop(clip, options)).rotations(), known.loop);
  });

  it("of inbetween and of every method without a network are used for omitted options", async () => {
    const [a, b] = await clips();
    const keys = [
      { clip: a, frame: 20 },
      { clip: b, frame: 30 },
    ];
    const { frames, ...rest } = known.inbetween;
    const between = async (options) => (await inbetween(keys, options)).rotations();
    await assertSameResult(between, { frames, ...rest });
    await assertSameResult(between, { frames: frames[0] });
    for (const name of inbetweenMethods.filter((name) => !networkMethods.includes(name))) {
      const byMethod = (options) => between({ method: { name, ...options } });
      await assertSameResult(byMethod, methodDefaults[name]);
      assert.deepEqual(await between({ method: name }), await byMethod({}));
    }
  });
});
