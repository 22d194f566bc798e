// A call that omits an option gives the same result as a call with the documented default of that option.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bestSeam, inbetween, init, lscore, stitch, load, loop } from "kinestitch";
import { inbetweenMethods, methodDefaults, networkMethods } from "kinestitch/ui";
import { defaults } from "../wasm/kinestitch.js";
import { walk } from "./support.mjs";

await init();
const documented = defaults();
const loadClips = () => Promise.all([load(walk()), load(walk({ speed: 2 }))]);

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
    const [a, b] = await loadClips();
    assert.deepEqual(Object.keys(documented).sort(), ["cuts", "inbetween", "loop", "score", "stitch"]);
    await assertSameResult(async (options) => (await stitch([a, b], options)).rotations(), documented.stitch);
    // Only the default method, "auto", has the options `keep` and `maxCut`.
    const { method: defaultMethod, keep, maxCut, ...commonOptions } = documented.stitch;
    const stitchBy = (method) => async (options) => (await stitch([a, b], { method, ...options })).rotations();
    for (const method of ["crossfade", "inertialize", "lscore"]) {
      await assertSameResult(stitchBy(method), commonOptions);
    }
    await assertSameResult(stitchBy(defaultMethod), { keep, maxCut });
  });

  it("of a gap's method are used for omitted options", async () => {
    const [a, b] = await loadClips();
    const stitchWithGap = async (options) => (await stitch([a, b], { gap: 20, ...options })).rotations();
    await assertSameResult(stitchWithGap, { gapMethod: documented.inbetween.method });
  });

  it("of cuts and scores are used for omitted options", async () => {
    const [a, b] = await loadClips();
    await assertSameResult((options) => bestSeam(a, b, options), documented.cuts);
    await assertSameResult((options) => lscore(a, b, { takeoff: 40, landing: 8, ...options }), documented.score);
  });

  it("of loop are used for omitted options", async () => {
    const clip = await load(walk());
    await assertSameResult(async (options) => (await loop(clip, options)).rotations(), documented.loop);
  });

  it("of inbetween and of every method without a network are used for omitted options", async () => {
    const [a, b] = await loadClips();
    const keys = [
      { clip: a, frame: 20 },
      { clip: b, frame: 30 },
    ];
    const { frames, ...otherDefaults } = documented.inbetween;
    const fillGap = async (options) => (await inbetween(keys, options)).rotations();
    await assertSameResult(fillGap, { frames, ...otherDefaults });
    await assertSameResult(fillGap, { frames: frames[0] });
    for (const name of inbetweenMethods.filter((name) => !networkMethods.includes(name))) {
      const byMethod = (options) => fillGap({ method: { name, ...options } });
      await assertSameResult(byMethod, methodDefaults[name]);
      assert.deepEqual(await fillGap({ method: name }), await byMethod({}));
    }
  });
});
