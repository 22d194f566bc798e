// stitch with a gap: frames inserted between two clips.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { init, load, stitch } from "kinestitch";
import { failure, framesOf, walk } from "./support.mjs";

describe("stitch with a gap", () => {
  let first;
  let second;
  before(async () => {
    const texts = [walk({ frames: 60 }), walk({ frames: 50, speed: 1.6, rename: (name) => `mixamorig:${name}` })];
    [first, second] = await Promise.all(texts.map((text) => load(text)));
  });

  it("inserts frames between clips, and keeps all frames of the clips", async () => {
    for (const gap of [1, 24]) {
      const result = await stitch([first, second], { gap, footLock: false });
      assert.deepEqual([result.frames, result.starts], [110 + gap, [0, 60 + gap]]);
      const [{ frame, editedRange, gap: inserted }] = result.seams;
      assert.deepEqual([frame, editedRange, inserted], [60 + gap, { from: 60, to: 60 + gap }, gap]);
      assert.deepEqual(framesOf(result.rotations(), result, 0, 60), first.rotations());
    }
    const auto = await stitch([first, second], { gap: "auto", seam: "best" });
    assert.ok(auto.seams[0].gap > 0 && auto.seams[0].cut);
  });

  it("fills the gap by another method, and does not change the clips", async () => {
    const plain = await stitch([first, second], { gap: 24 });
    const linear = await stitch([first, second], { gap: 24, gapMethod: "linear" });
    // Fillers without a network do not load one.
    const spline = await stitch([first, second], { gap: 24, gapMethod: "hermite" });
    assert.equal(spline.frames, linear.frames);
    assert.deepEqual([linear.frames, linear.starts, (await linear.aligned()).length], [plain.frames, plain.starts, 2]);
    const [{ gap, gapMethod, editedRange, measuredRange }] = linear.seams;
    assert.deepEqual(
      [gap, gapMethod, editedRange, measuredRange],
      [24, "linear", plain.seams[0].editedRange, plain.seams[0].measuredRange],
    );
    // The default filler gives the same frames, named or not.
    const named = await stitch([first, second], { gap: 24, gapMethod: "inertialize" });
    assert.deepEqual(named.rotations(), plain.rotations());
    for (const [from, to] of [
      [0, editedRange.from],
      [editedRange.to, plain.frames],
    ]) {
      assert.deepEqual(framesOf(linear.rotations(), linear, from, to), framesOf(plain.rotations(), plain, from, to));
    }
    assert.notDeepEqual(
      framesOf(linear.rotations(), linear, editedRange.from, editedRange.to),
      framesOf(plain.rotations(), plain, editedRange.from, editedRange.to),
    );
    assert.equal((await failure(() => stitch([first, second], { gapMethod: "linear" }))).code, "option");
  });

  it('is refused with the method "auto", which would ignore it; with init({ method: "auto" }) it is used', async () => {
    for (const options of [{ gap: 20 }, { gap: "auto" }, { gap: 20, gapMethod: "linear", seams: [{ gap: 9 }] }]) {
      const error = await failure(() => stitch([first, second], { method: "auto", ...options }));
      assert.deepEqual([error.code, error.option], ["option", "gap"]);
      assert.match(error.message, /^"auto" itself chooses whether to insert frames, and how many: leave method out/);
    }
    // Only the entry of a seam has `gap`.
    const joined = await stitch([first, second], { method: "auto", seams: [{ gap: 9 }] });
    assert.equal(joined.seams[0].gap, 9);
    const expected = await stitch([first, second], { gap: 20 });
    await init({ method: "auto" });
    assert.deepEqual((await stitch([first, second], { gap: 20 })).rotations(), expected.rotations());
    // "rmr" inserts no frames either.
    await init({ method: "rmr" });
    assert.deepEqual((await stitch([first, second], { gap: 20 })).rotations(), expected.rotations());
    await init({ method: "auto" });
  });

  it("rejects wrong input", async () => {
    for (const gap of [0, 481, 1.5, "much"]) {
      const { code, message } = await failure(() => stitch([first, first], { gap }));
      assert.equal(code, "option", message);
    }
  });
});
