// Values that readers refuse are refused when writing; error messages have no escape sequences and no overlong names.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { KinestitchError, load } from "kinestitch";
import * as worker from "kinestitch/worker";
import { printableJson, printableMessage, quote } from "../dist/core/quote.js";
import { failure, walk } from "./support.mjs";

/** Returns a motion of two joints; the second is `distance` metres away in the last frame. */
const farMotion = (distance, fps = 30) => ({
  name: "far",
  fps,
  joints: [
    { name: "root", parent: -1, offset: [0, 0, 0], moves: true },
    { name: "hips", parent: 0, offset: [0, 0.9, 0], moves: true },
  ],
  rotations: Float32Array.from({ length: 2 * 2 * 4 }, (_, index) => (index % 4 === 3 ? 1 : 0)),
  translations: Float32Array.of(0, 0, 0, 0, 0.9, 0, 0, 0, 0, 0, 0.9, distance),
});

describe("numbers that readers refuse", () => {
  it("are refused by toBvh and toGlb, with joint and frame", async () => {
    for (const entry of [{ load }, worker]) {
      // Clips of plain values are written in metres.
      const clip = await entry.load(farMotion(1e10));
      const error = await failure(async () => clip.toBvh());
      assert.ok(error instanceof KinestitchError);
      assert.equal(error.code, "clip");
      assert.match(error.message, /"hips".*at most 1e9|longer than 1,000,000,000 metres/);
      assert.match((await failure(async () => clip.toGlb())).code, /^(clip|glb)$/);
      // This value is beyond the limits of a clip, so it is refused before writing.
      assert.equal((await failure(async () => (await entry.load(farMotion(1e30))).toGlb())).code, "clip");
      const near = await entry.load(farMotion(9e6));
      assert.equal((await entry.load(await near.toBvh())).frames, 2);
      // The worker stays usable.
      assert.equal((await clip.info()).frames, 2);
    }
  });

  it("are refused as frame times", async () => {
    const slowClip = await load(farMotion(0, 1e-3));
    assert.match((await failure(() => slowClip.toBvh())).message, /1000 s cannot be written as BVH.*resample/);
  });
});

describe("text from files and arguments in errors", () => {
  const escape = "\u001b[2J\u009b31m\u202e";
  const long = escape.repeat(2_000_000);

  it("is printable and short", async () => {
    const clip = await load(walk({ frames: 4 }));
    const errors = [
      await failure(load(`HIERARCHY\nROOT ${escape}\n{\n\tOFFSET 0 0 ${escape}\n`)),
      await failure(
        load(walk({ frames: 4, rename: (name) => name + long.slice(0, 100_000) }).replace("OFFSET", "OFFSIDE")),
      ),
      await failure(() => clip.withRig({ Hips: long })),
      await failure(() => clip.withRig({ [long]: "Hips" })),
      await failure(load(walk({ frames: 4 }), { [long]: 1 })),
      await failure(load(walk({ frames: 4 }), { rig: long })),
      await failure(load(`./no/${long.slice(0, 3000)}.bvh`)),
      await failure(worker.load(walk({ frames: 4 }), { rig: { Hips: long } })),
      new KinestitchError("fetch", long),
    ];
    for (const error of errors) {
      assert.ok(error instanceof KinestitchError, String(error).slice(0, 200));
      assert.doesNotMatch(error.message, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/, error.code);
      assert.ok(error.message.length <= 2000, `${error.code}: ${error.message.length}`);
    }
  });

  it("passes through functions that leave ordinary text as it is", () => {
    assert.equal(quote("Hips é 😀 mixamorig:Leg"), '"Hips é 😀 mixamorig:Leg"');
    assert.equal(quote("a\nb\ud800"), '"a\ufffdb\ufffd"');
    assert.equal(printableMessage("one\ntwo"), "one\ntwo");
    assert.equal(quote("x".repeat(1000)).length, 66);
    assert.deepEqual(JSON.parse(printableJson({ name: `${escape}\ud800é` })), { name: `${escape}\ud800é` });
    assert.doesNotMatch(printableJson({ name: escape }), /[\u0000-\u001f\u007f-\u009f\u202e]/);
  });
});
