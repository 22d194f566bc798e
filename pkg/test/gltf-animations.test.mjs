// All animations of a file: their lengths, and a clip of each.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { listAnimations, load } from "kinestitch";
import { toAnimationClip } from "kinestitch/three";
import { listAnimations as workerListAnimations, load as loadInWorker } from "kinestitch/worker";
import { character, glbOf } from "./rigs.mjs";
import { root } from "./support.mjs";

const fixture = (name) => readFileSync(join(root, "tests", "fixtures", `${name}.bvh`));
const largestDifference = (a, b) =>
  a.reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i])), a.length === b.length ? 0 : Infinity);

describe("a file with several animations", () => {
  it("reads all animations as clips on one skeleton, and lists their lengths", async () => {
    const { model } = character("mixamo");
    const moves = await Promise.all(
      ["ada-walk", "ada-run"].map(async (name) => toAnimationClip(await load(fixture(name)), model, { name })),
    );
    const file = await glbOf(model, moves);
    const list = await listAnimations(file);
    assert.deepEqual(
      list.map(({ name, seconds, moves }) => [name, seconds.toFixed(3), moves]),
      moves.map(({ name, duration }) => [name, duration.toFixed(3), true]),
    );
    assert.deepEqual(await workerListAnimations(new Blob([file])), list);
    assert.deepEqual(await listAnimations(fixture("ada-walk")), []);
    const [clips, inWorker] = [await load(file, { animation: "all" }), await loadInWorker(file, { animation: "all" })];
    for (const [i, { name }] of moves.entries()) {
      const alone = await load(file, { animation: name });
      assert.deepEqual([clips[i].name, inWorker[i].name], [name, name]);
      assert.deepEqual(clips[i].info().joints, clips[0].info().joints);
      assert.ok(largestDifference(clips[i].positions(), alone.positions()) < 1e-6);
      assert.deepEqual(await inWorker[i].positions(), alone.positions());
    }
    assert.deepEqual((await load(fixture("ada-walk"), { animation: "all" })).length, 1);
  });
});
