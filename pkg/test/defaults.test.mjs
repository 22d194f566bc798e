// Rule 7 of the design: leaving an option out gives the same result as its documented default.
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

/** A call without options and with each default gives the same result. */
async function agree(call, options) {
  const usual = await call({});
  for (const [name, value] of Object.entries(options)) {
    assert.deepEqual(await call({ [name]: value }), usual, `${name}: ${JSON.stringify(value)}`);
  }
  assert.deepEqual(await call(options), usual, "all of them");
}

describe("documented defaults", () => {
  it("of stitch are those of options left out, by every method", async () => {
    const [a, b] = await clips();
    const { method, ...options } = known.stitch;
    assert.deepEqual(Object.keys(known).sort(), ["cuts", "inbetween", "loop", "score", "stitch"]);
    await agree(async (options) => (await stitch([a, b], options)).rotations(), known.stitch);
    // Without the options that only "auto" uses.
    const { keep, maxCut, ...rest } = options;
    for (const method of ["crossfade", "inertialize", "lscore"]) {
      await agree(async (options) => (await stitch([a, b], { method, ...options })).rotations(), rest);
    }
    await agree(async (own) => (await stitch([a, b], { method, ...own })).rotations(), { keep, maxCut });
  });

  it("of a gap's method are those of options left out", async () => {
    const [a, b] = await clips();
    const gap = async (options) => (await stitch([a, b], { gap: 20, ...options })).rotations();
    await agree(gap, { gapMethod: known.inbetween.method });
  });

  it("of cuts and scores are those of options left out", async () => {
    const [a, b] = await clips();
    await agree((options) => bestSeam(a, b, options), known.cuts);
    await agree((options) => lscore(a, b, { takeoff: 40, landing: 8, ...options }), known.score);
  });

  it("of loop are those of options left out", async () => {
    const clip = await load(walk());
    await agree(async (options) => (await loop(clip, options)).rotations(), known.loop);
  });

  it("of inbetween and of every method without a network are those of options left out", async () => {
    const [a, b] = await clips();
    const keys = [
      { clip: a, frame: 20 },
      { clip: b, frame: 30 },
    ];
    const { frames, ...rest } = known.inbetween;
    const between = async (options) => (await inbetween(keys, options)).rotations();
    await agree(between, { frames, ...rest });
    await agree(between, { frames: frames[0] });
    for (const name of inbetweenMethods.filter((name) => !networkMethods.includes(name))) {
      const own = (options) => between({ method: { name, ...options } });
      await agree(own, methodDefaults[name]);
      assert.deepEqual(await between({ method: name }), await own({}));
    }
  });
});
