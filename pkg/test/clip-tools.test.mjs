// Clip tools in `kinestitch` and in `kinestitch/worker`: the same tests for both.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import * as main from "kinestitch";
import * as worker from "kinestitch/worker";

const fixture = (name) => fileURLToPath(new URL(`../../tests/fixtures/${name}.bvh`, import.meta.url));
const failure = (promise) =>
  promise.then(
    () => assert.fail("it did not fail"),
    (error) => error,
  );
const errorCode = async (call) => (await failure((async () => call())())).code;

/** Largest movement of a joint between two frames of world positions. */
function largestMovement(positions, joints, a, b) {
  let largest = 0;
  for (let joint = 0; joint < joints; joint++) {
    const [i, j] = [(a * joints + joint) * 3, (b * joints + joint) * 3];
    const [x, y, z] = [0, 1, 2].map((axis) => positions[i + axis] - positions[j + axis]);
    largest = Math.max(largest, Math.hypot(x, y, z));
  }
  return largest;
}

for (const [name, { load, loop, KinestitchError }] of Object.entries({
  kinestitch: main,
  "kinestitch/worker": worker,
})) {
  describe(`clip tools of ${name}`, () => {
    it("slices, and concatenates the slices to the same clip", async () => {
      const clip = await load(fixture("ada-run"));
      const { seconds } = await clip.info();
      const parts = [await clip.slice(0, 0.5), await clip.slice(0.5, 1.2), await clip.slice(1.2, seconds)];
      assert.equal(parts[0].frames, Math.round(0.5 * clip.fps));
      const [first, ...others] = parts;
      const joined = await first.concat(...others);
      assert.deepEqual(await joined.rotations(), await clip.rotations());
      assert.equal(await joined.toBvh(), await clip.toBvh());
      assert.equal(await errorCode(() => clip.slice(1, 0.5)), "option");
      const { code, message } = await failure((async () => clip.slice("0", 1))());
      assert.deepEqual([code, message], ["option", 'from must be a number, not "0"']);
      assert.equal(await errorCode(() => clip.slice(0, seconds + 5)), "option");
      const other = await load(fixture("bo-walk"));
      assert.equal(await errorCode(() => clip.concat(other)), "rig");
    });

    it("reverses, mirrors, and changes the speed", async () => {
      const clip = await load(fixture("ada-walk"));
      assert.deepEqual(await (await (await clip.reverse()).reverse()).rotations(), await clip.rotations());
      const mirroredClip = await clip.mirror();
      const { joints, rig } = await clip.info();
      const index = (role) => joints.findIndex((joint) => joint.name === rig[role]);
      const [original, mirrored] = [await clip.positions(), await mirroredClip.positions()];
      for (const frame of [0, 20, 40]) {
        const [left, right] = ["LeftFoot", "RightFoot"].map((role) => (frame * joints.length + index(role)) * 3);
        assert.ok(Math.abs(original[left] + mirrored[right]) < 0.02, `${original[left]} ${mirrored[right]}`);
      }
      assert.deepEqual((await mirroredClip.info()).joints, joints);
      assert.deepEqual(await (await clip.timeScale(1)).rotations(), await clip.rotations());
      assert.equal((await clip.timeScale(2)).frames, Math.ceil(clip.frames / 2));
      assert.equal(await errorCode(() => clip.timeScale(0)), "option");
      const animal = await load(fixture("cleo-trot"));
      assert.equal((await animal.mirror()).frames, animal.frames);
    });

    it("gives the pose at a time", async () => {
      const clip = await load(fixture("ada-run"));
      const joints = (await clip.info()).joints.length;
      const { positions, rotations } = await clip.at(10 / clip.fps);
      assert.deepEqual([positions.length, rotations.length], [joints * 3, joints * 4]);
      const clipPositions = await clip.positions();
      positions.forEach((value, i) => assert.ok(Math.abs(value - clipPositions[10 * joints * 3 + i]) < 1e-4));
      assert.equal(await errorCode(() => clip.at(-1)), "option");
    });

    it("removes root motion and recovers it from the feet", async () => {
      const clip = await load(fixture("ada-walk"));
      const { clip: still, path } = await clip.rootMotion();
      assert.equal(path.length, clip.frames * 2);
      assert.deepEqual(await still.positions(), await (await clip.inPlace()).positions());
      const recoveredPath = (await (await still.rootMotionFromFeet()).rootMotion()).path;
      const distance = (path) => Math.hypot(path.at(-2), path.at(-1));
      assert.ok(
        Math.abs(distance(recoveredPath) / distance(path) - 1) < 0.05,
        `${distance(recoveredPath)} of ${distance(path)}`,
      );
      assert.equal(await errorCode(async () => (await load(fixture("cleo-walk"))).rootMotionFromFeet()), "rig");
    });

    it("makes loops that repeat without a jump, by each method", async () => {
      for (const file of ["ada-jog", "ada-run", "bo-walk", "cleo-trot"]) {
        const clip = await load(fixture(file));
        for (const options of [{}, { method: "inertialize" }, { method: "crossfade" }]) {
          const result = await loop(clip, { ...options, inPlace: true });
          const { cycle, travel, wasClosed, seam, apartCm, frames } = result;
          assert.ok(cycle.to - cycle.from >= 10 && cycle.to <= clip.frames && Number.isFinite(apartCm));
          assert.equal(wasClosed, seam === undefined);
          assert.deepEqual(travel, { x: 0, z: 0, heading: 0 });
          const joints = (await result.info()).joints.length;
          const positions = await result.positions();
          const step = (frame) => largestMovement(positions, joints, frame, frame + 1);
          const neighbours = [0, 1, 2, frames - 4, frames - 3, frames - 2].map(step);
          const jump = largestMovement(positions, joints, frames - 1, 0);
          const largest = Math.max(...neighbours);
          assert.ok(
            jump <= largest * 1.1 + 1e-3,
            `${file} ${JSON.stringify(options)}: ${jump} m, neighbours ${largest} m`,
          );
        }
        const travelling = await loop(clip);
        // Also a loop that is closed already is named.
        assert.equal((await loop(travelling, { name: "again" })).name, "again");
        assert.equal(travelling.name, clip.name);
        assert.ok(Math.hypot(travelling.travel.x, travelling.travel.z) > 0.3);
      }
    });

    it("refuses impossible loops", async () => {
      const clip = await load(fixture("ada-walk"));
      for (const options of [{ minSeconds: 99 }, { minSeconds: 2, maxSeconds: 1 }, { cycle: "both" }, { speed: 2 }]) {
        const error = await failure(loop(clip, options));
        assert.ok(error instanceof KinestitchError && error.code === "option", JSON.stringify(options));
      }
      assert.equal((await failure(loop(await clip.slice(0, 0.2)))).code, "too-short");
      assert.equal((await failure(loop({}))).code, "option");
    });
  });
}

describe("clips of both entries", () => {
  it("can be concatenated", async () => {
    const [a, b] = [await main.load(fixture("ada-walk")), await worker.load(fixture("ada-walk"))];
    assert.equal((await a.concat(b)).frames, 2 * a.frames);
    assert.equal((await b.concat(a)).frames, 2 * a.frames);
  });
});
