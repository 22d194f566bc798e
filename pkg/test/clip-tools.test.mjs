// Clip tools in `kinestitch` and in `kinestitch/worker`: the same tests for both.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import * as here from "kinestitch";
import * as there from "kinestitch/worker";

const fixture = (name) => fileURLToPath(new URL(`../../tests/fixtures/${name}.bvh`, import.meta.url));
const failure = (promise) =>
  promise.then(
    () => assert.fail("it did not fail"),
    (error) => error,
  );
const refused = async (ask) => (await failure((async () => ask())())).code;

/** Largest movement of a joint between two frames of world positions. */
function farthest(positions, joints, a, b) {
  let most = 0;
  for (let joint = 0; joint < joints; joint++) {
    const [i, j] = [(a * joints + joint) * 3, (b * joints + joint) * 3];
    const [x, y, z] = [0, 1, 2].map((axis) => positions[i + axis] - positions[j + axis]);
    most = Math.max(most, Math.hypot(x, y, z));
  }
  return most;
}

for (const [name, { load, loop, KinestitchError }] of Object.entries({
  kinestitch: here,
  "kinestitch/worker": there,
})) {
  describe(`clip tools of ${name}`, () => {
    it("slices, and puts slices together again", async () => {
      const clip = await load(fixture("ada-run"));
      const { seconds } = await clip.info();
      const parts = [await clip.slice(0, 0.5), await clip.slice(0.5, 1.2), await clip.slice(1.2, seconds)];
      assert.equal(parts[0].frames, Math.round(0.5 * clip.fps));
      const [first, ...rest] = parts;
      const whole = await first.concat(...rest);
      assert.deepEqual(await whole.rotations(), await clip.rotations());
      assert.equal(await whole.toBvh(), await clip.toBvh());
      assert.equal(await refused(() => clip.slice(1, 0.5)), "option");
      assert.equal(await refused(() => clip.slice("0", 1)), "option");
      assert.equal(await refused(() => clip.slice(0, seconds + 5)), "option");
      const other = await load(fixture("bo-walk"));
      assert.equal(await refused(() => clip.concat(other)), "rig");
    });

    it("turns round, mirrors, and changes the speed", async () => {
      const clip = await load(fixture("ada-walk"));
      assert.deepEqual(await (await (await clip.reverse()).reverse()).rotations(), await clip.rotations());
      const image = await clip.mirror();
      const { joints, rig } = await clip.info();
      const index = (role) => joints.findIndex((joint) => joint.name === rig[role]);
      const [own, seen] = [await clip.positions(), await image.positions()];
      for (const frame of [0, 20, 40]) {
        const [left, right] = ["LeftFoot", "RightFoot"].map((role) => (frame * joints.length + index(role)) * 3);
        assert.ok(Math.abs(own[left] + seen[right]) < 0.02, `${own[left]} ${seen[right]}`);
      }
      assert.deepEqual((await image.info()).joints, joints);
      assert.deepEqual(await (await clip.timeScale(1)).rotations(), await clip.rotations());
      assert.equal((await clip.timeScale(2)).frames, Math.ceil(clip.frames / 2));
      assert.equal(await refused(() => clip.timeScale(0)), "option");
      const animal = await load(fixture("cleo-trot"));
      assert.equal((await animal.mirror()).frames, animal.frames);
    });

    it("tells the pose at a time", async () => {
      const clip = await load(fixture("ada-run"));
      const joints = (await clip.info()).joints.length;
      const { positions, rotations } = await clip.at(10 / clip.fps);
      assert.deepEqual([positions.length, rotations.length], [joints * 3, joints * 4]);
      const all = await clip.positions();
      positions.forEach((value, i) => assert.ok(Math.abs(value - all[10 * joints * 3 + i]) < 1e-4));
      assert.equal(await refused(() => clip.at(-1)), "option");
    });

    it("takes root motion out and finds it in the feet", async () => {
      const clip = await load(fixture("ada-walk"));
      const { clip: still, path } = await clip.rootMotion();
      assert.equal(path.length, clip.frames * 2);
      assert.deepEqual(await still.positions(), await (await clip.inPlace()).positions());
      const found = (await (await still.rootMotionFromFeet()).rootMotion()).path;
      const way = (list) => Math.hypot(list.at(-2), list.at(-1));
      assert.ok(Math.abs(way(found) / way(path) - 1) < 0.05, `${way(found)} of ${way(path)}`);
      assert.equal(await refused(async () => (await load(fixture("cleo-walk"))).rootMotionFromFeet()), "rig");
    });

    it("makes loops that go on without a jump, by each method", async () => {
      for (const file of ["ada-jog", "ada-run", "bo-walk", "cleo-trot"]) {
        const clip = await load(fixture(file));
        for (const options of [{}, { inPlace: true }, { method: "inertialize" }, { method: "crossfade" }]) {
          const result = await loop(clip, { ...options, inPlace: true });
          const { cycle, travel, wasClosed, seam, apartCm, frames } = result;
          assert.ok(cycle.to - cycle.from >= 10 && cycle.to <= clip.frames && Number.isFinite(apartCm));
          assert.equal(wasClosed, seam === undefined);
          assert.deepEqual(travel, { x: 0, z: 0, heading: 0 });
          const joints = (await result.info()).joints.length;
          const positions = await result.positions();
          const step = (frame) => farthest(positions, joints, frame, frame + 1);
          const beside = [0, 1, 2, frames - 4, frames - 3, frames - 2].map(step);
          const jump = farthest(positions, joints, frames - 1, 0);
          const most = Math.max(...beside);
          assert.ok(jump <= most * 1.1 + 1e-3, `${file} ${JSON.stringify(options)}: ${jump} m, beside ${most} m`);
        }
        const travelling = await loop(clip);
        assert.equal(travelling.name, clip.name);
        assert.ok(Math.hypot(travelling.travel.x, travelling.travel.z) > 0.3);
      }
    });

    it("refuses loops that cannot be", async () => {
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
  it("are put together", async () => {
    const [a, b] = [await here.load(fixture("ada-walk")), await there.load(fixture("ada-walk"))];
    assert.equal(a.concat(b).frames, 2 * a.frames);
    assert.equal((await b.concat(a)).frames, 2 * a.frames);
  });
});
