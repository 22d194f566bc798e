// `replace`: frames made anew, keys, and another clip, with and without `pin`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { load, replace } from "kinestitch";
import * as worker from "kinestitch/worker";
import { root } from "./support.mjs";

const read = (name) => load(readFileSync(join(root, "tests", "fixtures", `${name}.bvh`), "utf8"));
const walk = await read("ada-walk");
const jog = await read("ada-jog");

/** Returns the joint positions of frames of a clip. */
async function positions(clip, from, to) {
  const all = await clip.positions();
  const width = all.length / clip.frames;
  return all.subarray(from * width, to * width);
}

/** Returns the largest distance between coordinates, metres. */
const distance = (a, b) => a.reduce((max, value, i) => Math.max(max, Math.abs(value - b[i])), 0);

describe("replace", () => {
  it("makes frames anew; all others keep their bits", async () => {
    const made = await replace(walk, { from: 40, to: 60 });
    assert.equal(made.frames, walk.frames);
    assert.deepEqual(await positions(made, 0, 40), await positions(walk, 0, 40));
    assert.deepEqual(await positions(made, 60, made.frames), await positions(walk, 60, walk.frames));
    const [edit] = made.edits;
    assert.deepEqual([edit.kind, edit.range, edit.before, edit.after], ["replace", { from: 40, to: 60 }, 20, 20]);
    const longer = await replace(walk, { from: 40, to: 60 }, undefined, { frames: 35 });
    assert.equal(longer.frames, walk.frames + 15);
    assert.deepEqual(await positions(longer, 75, longer.frames), await positions(walk, 60, walk.frames));
  });

  it("passes through keys", async () => {
    const through = await replace(walk, { from: 40, to: 60 }, [{ clip: walk, frame: 50 }], { frames: [9, 10] });
    assert.equal(through.frames, walk.frames);
    assert.deepEqual(await positions(through, 49, 50), await positions(walk, 50, 51));
  });

  it("puts a part of another clip in place; the rest moves rigidly, or stays with pin", async () => {
    const part = { clip: jog, from: 10, to: 60 };
    const moved = await replace(walk, { from: 40, to: 60 }, part, { join: "inertialize" });
    const { range } = moved.edits[0];
    assert.ok(range.from <= 40 && range.to < moved.frames, JSON.stringify(range));
    const pinned = await replace(walk, { from: 40, to: 60 }, part, { join: "inertialize", pin: true });
    assert.equal(pinned.frames, moved.frames);
    const kept = pinned.edits[0].range.to;
    assert.ok(kept < pinned.frames);
    const rest = pinned.frames - kept;
    assert.deepEqual(
      await positions(pinned, kept, pinned.frames),
      await positions(walk, walk.frames - rest, walk.frames),
    );
    const all = await positions(pinned, 0, pinned.frames);
    const width = all.length / pinned.frames;
    const row = (frame) => all.subarray(frame * width, (frame + 1) * width);
    const step = (frame) => distance(row(frame), row(frame - 1));
    const steps = Array.from({ length: pinned.frames - 1 }, (_, i) => step(i + 1));
    assert.ok(Math.max(...steps) < 0.3, `no jump: ${Math.max(...steps)} m`);
  });

  it("pins the rest whatever the automatic join cuts away", async () => {
    const pinned = await replace(walk, { from: 40, to: 50 }, { clip: jog, from: 10, to: 60 }, { pin: true });
    const kept = pinned.edits[0].range.to;
    const rest = pinned.frames - kept;
    assert.ok(rest > 0);
    assert.deepEqual(
      await positions(pinned, kept, pinned.frames),
      await positions(walk, walk.frames - rest, walk.frames),
    );
  });

  it("gives the same result in the worker", async () => {
    const here = await replace(walk, { from: 40, to: 60 });
    const there = await worker.replace(walk, { from: 40, to: 60 });
    assert.deepEqual(there.edits, here.edits);
    assert.deepEqual(await there.positions(), await here.positions());
  });

  it("refuses ranges outside of the clip", async () => {
    for (const range of [
      { from: 10, to: 10 },
      { from: 0, to: walk.frames },
      { from: 90, to: 9000 },
    ])
      await assert.rejects(replace(walk, range), { code: "option", option: "range" });
    await assert.rejects(replace(walk, { from: 0, to: 20 }), { code: "option", option: "range" });
    await assert.rejects(replace(walk, undefined), { code: "option" });
  });
});
