// Scores of cuts: lscore, bestSeam and seamMap of the package, of its worker and on the command line.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import * as kinestitch from "kinestitch";
import * as worker from "kinestitch/worker";
import { packageFolder, walk } from "./support.mjs";

/** BVH texts of two walks. */
const [first, second] = [walk({ frames: 60 }), walk({ frames: 50, speed: 1.6 })];
const errorCode = (promise) =>
  promise.then(
    () => "it did not fail",
    (error) => error.code,
  );

for (const [name, api] of Object.entries({ kinestitch, worker })) {
  describe(name, async () => {
    const [a, b] = [await api.load(first, { name: "a" }), await api.load(second, { name: "b" })];

    it("scores one cut, by default at the ends, for each number of injected frames", async () => {
      const cut = await api.lscore(a, b, { maxInject: 8 });
      assert.deepEqual([cut.takeoff, cut.landing, cut.curve.length], [59, 0, 9]);
      assert.equal(cut.curve[cut.inject], Math.min(...cut.curve));
      assert.ok(Math.abs(cut.score - cut.curve[cut.inject]) < 1e-9 && cut.euclidean > 0);
      const chosenCut = await api.lscore(a, b, { takeoff: 30, landing: 7 });
      assert.deepEqual([chosenCut.takeoff, chosenCut.landing], [30, 7]);
    });

    it("finds the best cuts, the best one first, and none near another", async () => {
      const cuts = await api.bestSeam(a, b, { count: 3, apart: 6, maxCut: 1 });
      assert.equal(cuts.length, 3);
      assert.ok(cuts[0].score <= cuts[1].score && cuts[1].score <= cuts[2].score);
      for (const { takeoff, landing } of cuts) assert.ok(takeoff >= 29 && landing <= 30, `${takeoff} ${landing}`);
      for (const [i, a] of cuts.entries())
        for (const b of cuts.slice(i + 1))
          assert.ok(Math.abs(a.takeoff - b.takeoff) >= 6 || Math.abs(a.landing - b.landing) >= 6, JSON.stringify(cuts));
      const cutAtEnds = await api.lscore(a, b);
      assert.ok(cuts[0].score <= cutAtEnds.score);
    });

    it("maps every cut, and a changed trim keeps the scores of the other cuts", async () => {
      const stages = new Set();
      const map = await api.seamMap(a, b, { onProgress: ({ stage }) => stages.add(stage) });
      assert.deepEqual([map.takeoffs, map.landings.length], [{ from: 4, to: 60 }, 46]);
      assert.deepEqual([map.scores.length, map.injects.length], [56 * 46, 56 * 46]);
      assert.deepEqual([...stages], ["scan"]);
      const [best] = map.best;
      const cell = (best.takeoff - 4) * 46 + best.landing;
      assert.deepEqual([map.scores[cell], map.injects[cell]], [best.score, best.inject]);
      const trimmedMap = await api.seamMap(a, b, { trim: [{ from: 0, to: 59 }] });
      assert.deepEqual(trimmedMap.scores, map.scores.subarray(0, 55 * 46));
    });

    it("stitches at the best cut", async () => {
      const result = await api.stitch([a, b], { method: "lscore", seam: "best", maxCut: 0.6, maxInject: 6 });
      const { cut, frame, editedRange } = result.seams[0];
      assert.ok(cut.takeoff >= 41 && cut.landing <= 15 && cut.inject <= 6);
      assert.deepEqual(
        [frame, editedRange],
        [cut.takeoff + 1 + cut.inject, { from: cut.takeoff - 4, to: cut.takeoff + 6 + cut.inject }],
      );
      assert.equal(result.frames, cut.takeoff + 1 + cut.inject + 50 - cut.landing);
      const plain = await api.stitch([a, b], { method: "inertialize" });
      assert.ok(!("cut" in plain.seams[0]));
    });

    it("refuses wrong options", async () => {
      const short = await api.load(walk({ frames: 4 }));
      assert.deepEqual(
        await Promise.all([
          errorCode(api.lscore(a, short)),
          errorCode(api.lscore(a, b, { takeoff: 60 })),
          errorCode(api.lscore(a, b, { window: 2 })),
          errorCode(api.bestSeam(a, b, { minInject: 4, maxInject: 3 })),
          errorCode(api.bestSeam(a, b, { maxCut: -2 })),
          errorCode(api.seamMap(a, b, { trim: [{ from: 0, to: 1.5 }] })),
          errorCode(api.seamMap(a, b, { trim: [undefined, { from: 0, to: b.frames + 1 }] })),
          errorCode(api.stitch([a, b], { seam: "worst" })),
          errorCode(api.seamMap(a, {})),
          errorCode(api.seamMap(a, b, { signal: AbortSignal.abort() })),
        ]),
        ["too-short", "option", "option", "option", "option", "option", "option", "option", "option", "aborted"],
      );
    });
  });
}

describe("kinestitch lscore", () => {
  const folder = mkdtempSync(join(tmpdir(), "kinestitch-lscore-"));
  after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "a.bvh"), first);
  writeFileSync(join(folder, "b.bvh"), second);
  const run = (...args) => {
    const bin = join(packageFolder, "bin", "kinestitch.js");
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "lscore", ...args], {
      cwd: folder,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };

  it("prints one cut or the best cuts, and writes the map", () => {
    const cut = JSON.parse(
      run("a.bvh", "b.bvh", "--json", "--takeoff", "40", "--landing", "3", "--max-inject", "4").stdout,
    );
    assert.deepEqual(Object.keys(cut).sort(), ["euclidean", "inject", "landing", "score", "takeoff"]);
    assert.deepEqual([cut.takeoff, cut.landing], [40, 3]);
    const { best } = JSON.parse(run("a.bvh", "b.bvh", "--json", "--map", "map.csv").stdout);
    assert.equal(best.length, 5);
    const rows = readFileSync(join(folder, "map.csv"), "utf8").trim().split("\n");
    assert.deepEqual([rows[0], rows.length], ["takeoff,landing,inject,score", 1 + 56 * 46]);
    const piped = run("a.bvh", "b.bvh", "--map", "-");
    assert.match(piped.stdout, /^takeoff,landing,inject,score\n(?:[\d.,e+-]+\n)+$/);
    assert.match(piped.stderr, /^take-off \d+/);
    assert.match(run("a.bvh", "b.bvh").stdout, /^take-off \d+, landing \d+, inject \d+: L-score /);
  });

  it("rejects wrong arguments", () => {
    assert.deepEqual(run("a.bvh").status, 2);
    assert.deepEqual(run("a.bvh", "b.bvh", "--window", "x").status, 2);
    const { status, stderr } = run("a.bvh", "b.bvh", "--takeoff", "99");
    assert.equal(status, 1);
    assert.match(stderr, /a\.bvh/);
  });
});

describe("lscorePath", () => {
  const step = (2 * Math.PI) / 64;
  const circle = (x, y, radius, startAngle, direction, frames) =>
    Float32Array.from(
      Array.from({ length: frames }, (_, n) => [
        x + radius * Math.cos(startAngle + direction * step * n),
        y + radius * Math.sin(startAngle + direction * step * n),
        0,
      ]).flat(),
    );

  it("gives the costs and injected frames of the paper for three circles", async () => {
    const big = circle(0, 0, 20, 0, 1, 65);
    const forward = await kinestitch.lscorePath(big, circle(30, 10, 10, Math.PI, -1, 133));
    const backward = await kinestitch.lscorePath(big, circle(30, -10, 10, Math.PI, 1, 133));
    assert.deepEqual([forward.inject, forward.score.toFixed(2)], [3, "1.45"]);
    assert.deepEqual([backward.inject, backward.score.toFixed(2)], [10, "2.16"]);
    assert.equal(forward.path.length, (10 + 3) * 3);
    assert.equal(forward.curve.length, 16);
  });

  it("refuses a take-off without a complete window, and numbers that are not finite", async () => {
    const path = circle(0, 0, 20, 0, 1, 65);
    for (const takeoff of [3, 65])
      await assert.rejects(kinestitch.lscorePath(path, path, { takeoff }), { code: "option", option: "takeoff" });
    await assert.rejects(kinestitch.lscorePath(path, path.with(0, NaN)), { code: "clip" });
  });
});
