// Positions and rotations that JavaScript reads from the bytes of a clip equal those that wasm computes, bit by bit, on the
// calling thread and in the worker.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as main from "kinestitch";
import * as worker from "kinestitch/worker";
import { join } from "node:path";
import { root } from "./support.mjs";

const fixture = (name) => join(root, "tests", "fixtures", `${name}.bvh`);

/** Returns the arrays that a live session, which computes in wasm, writes for a motion between two keys. */
async function solveLive(clip) {
  const live = await main.liveInbetween(
    [
      { clip, frame: 3 },
      { clip, from: 30, to: clip.frames },
    ],
    { frames: 17, method: "inertialize" },
  );
  const [frames, joints] = [live.solve(), clip.info().joints.length];
  const [positions, rotations] = [new Float32Array(frames * joints * 3), new Float32Array(frames * joints * 4)];
  live.positions(positions);
  live.rotations(rotations);
  const solution = live.clip();
  live.free();
  return { positions, rotations, solution };
}

describe("positions without wasm", () => {
  for (const name of ["ada-walk", "bo-turn", "cleo-trot"])
    it(`equal those of wasm: ${name}`, async () => {
      const clip = await main.load(fixture(name));
      const { positions, rotations, solution } = await solveLive(clip);
      assert.deepEqual(solution.positions(), positions);
      assert.deepEqual(solution.rotations(), rotations);
    });

  it("equal those of wasm where several joints have translations, and the head of the bytes has an odd length", async () => {
    const walk = await main.load(fixture("ada-walk"), { name: "walk, of an odd length ä" });
    const { joints } = walk.info();
    const [rotations, positions] = [walk.rotations(), walk.positions()];
    const moved = await main.load({
      name: "moved",
      fps: walk.fps,
      joints: joints.map((joint, index) => ({ ...joint, moves: index % 5 === 0 })),
      rotations,
      translations: Float32Array.from({ length: walk.frames * 3 * Math.ceil(joints.length / 5) }, (_, index) =>
        Math.sin(index),
      ),
    });
    const live = await solveLive(moved);
    assert.deepEqual(live.solution.positions(), live.positions);
    assert.equal(positions.length, moved.positions().length);
  });

  it("are equal on the calling thread and in the worker, as info is", async () => {
    const [thread, thread2] = await Promise.all([main, worker].map(({ load }) => load(fixture("ada-run"))));
    assert.deepEqual(thread2.positions(), thread.positions());
    assert.deepEqual(thread2.rotations(), thread.rotations());
    assert.deepEqual(thread2.info(), thread.info());
    // The caller may change the info: it is a copy.
    thread.info().joints.length = 0;
    assert.equal(thread.info().joints.length, thread2.info().joints.length);
    thread2.free();
    for (const call of [() => thread2.positions(), () => thread2.rotations(), () => thread2.info()])
      assert.throws(call, { code: "clip" });
  });
});
