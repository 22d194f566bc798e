// In-betweens along chosen paths: candidates, paths, speeds and styles. Network and gallery are not trained or
// recorded, but made for the tests by generated-networks.mjs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { inbetween, liveInbetween, load, loadNetworks, styles } from "kinestitch";
import * as worker from "kinestitch/worker";
import { writeDcmoe } from "./generated-networks.mjs";
import { failure, framesOf, packageFolder, walk } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-paths-"));
after(() => rmSync(folder, { recursive: true }));
const models = join(folder, "models");
writeDcmoe(models);
const modelsWithoutGallery = join(folder, "bare");
writeDcmoe(modelsWithoutGallery, { gallery: null });
const a = join(folder, "a.bvh");
writeFileSync(a, walk({ frames: 60 }));
const targetPose = { x: 0.6, z: 3.2, heading: 0.4 };

const gapLength = ({ gaps: [{ range }] }) => range.to - range.from;

describe("candidates", () => {
  before(() => loadNetworks({ for: "inbetween", name: "dcmoe", models }));

  it("are several motions of different durations; their first key is bit-identical to the clip", async () => {
    assert.deepEqual(await styles(), ["usual", "old"]);
    const clip = await load(a);
    const keys = [
      { clip, from: 5, to: 15 },
      { clip, frame: 40, at: targetPose },
    ];
    const progress = [];
    const started = performance.now();
    const candidates = await inbetween(keys, {
      method: { name: "dcmoe", style: "old" },
      candidates: 7,
      onProgress: ({ stage, done }) => stage === "blend" && progress.push(done),
    });
    assert.equal(candidates.length, 7);
    const milliseconds = candidates.reduce((sum, candidate) => sum + candidate.milliseconds, 0);
    assert.ok(milliseconds <= performance.now() - started, `${milliseconds} ms`);
    for (const candidate of candidates) {
      assert.equal(candidate.gaps[0].method, "dcmoe", candidate.warnings.join());
      assert.deepEqual(framesOf(candidate.rotations(), candidate, 0, 10), framesOf(clip.rotations(), clip, 5, 15));
      assert.ok(["slow", "medium", "fast"].includes(candidate.speed) && candidate.style === "old");
      const [x, z] = candidate.path.at(-1);
      assert.ok(Math.hypot(x - targetPose.x, z - targetPose.z) < 0.1, `${x} ${z}`);
      assert.equal(candidate.frames, 11 + gapLength(candidate));
    }
    // The first candidate has the lowest cost. The others are chosen far from each other in path and duration, and the
    // generated gallery has trajectories of six durations.
    assert.ok(new Set(candidates.map(gapLength)).size > 1, "durations differ");
    assert.ok(
      progress.length >= 8 && progress.every((done, index) => index === 0 || done >= progress[index - 1]),
      progress.join(),
    );
    const repeated = await inbetween(keys, { method: { name: "dcmoe", style: "old" }, candidates: 7 });
    assert.deepEqual(
      repeated.map(({ path }) => path),
      candidates.map(({ path }) => path),
    );
    // The seed composes some of the paths to choose from. It changes few results, because the generated gallery is small.
    const pathsOfSeed = async (seed) => {
      const seeded = await inbetween(keys, { method: { name: "dcmoe", style: "old" }, candidates: 14, seed });
      return seeded.map(({ path }) => path);
    };
    assert.notDeepEqual(await pathsOfSeed(3), await pathsOfSeed(4));
    assert.deepEqual(await pathsOfSeed(3), await pathsOfSeed(3));
    // The path of a candidate gives the same motion again.
    const { path } = candidates[2];
    const replayed = await inbetween(keys, {
      method: { name: "dcmoe", style: "old", path },
      timedPath: true,
      frames: gapLength(candidates[2]),
    });
    assert.deepEqual(replayed.rotations(), candidates[2].rotations());
    // The number of points of a timed path gives its duration: thirty per second.
    const timed = await inbetween(keys, { method: { name: "dcmoe", style: "old", path }, timedPath: true });
    assert.equal(gapLength(timed), path.length - 2);
    const similar = await inbetween(keys, { method: "dcmoe", candidates: 4, similarTo: path });
    /** Mean distance between the middle points of candidates' paths and that of `path`. */
    const meanDistance = (clips) =>
      clips.reduce(
        (sum, other) =>
          sum +
          Math.hypot(
            ...other.path[Math.floor(other.path.length / 2)].map(
              (value, axis) => value - path[Math.floor(path.length / 2)][axis],
            ),
          ),
        0,
      ) / clips.length;
    assert.ok(meanDistance(similar) < meanDistance(candidates), `${meanDistance(similar)} ${meanDistance(candidates)}`);
  });

  it("follow the given number of frames, speed or path", async () => {
    const clip = await load(a);
    const keys = [
      { clip, frame: 10 },
      { clip, frame: 40, at: targetPose },
    ];
    const withFrames = await inbetween(keys, { method: "dcmoe", candidates: 3, frames: 52 });
    assert.deepEqual(withFrames.map(gapLength), [52, 52, 52]);
    const [slow, fast] = await Promise.all(
      ["slow", "fast"].map((speed) => inbetween(keys, { method: "dcmoe", speed })),
    );
    assert.deepEqual([slow.speed, fast.speed, gapLength(slow) > gapLength(fast)], ["slow", "fast", true]);
    const line = [
      [0, 0.3],
      [-1.2, 1.6],
      [0.6, 3.2],
    ];
    const alongLine = await inbetween(keys, { method: { name: "dcmoe", path: line } });
    assert.ok(
      alongLine.path.some(([x]) => x < -0.6),
      JSON.stringify(alongLine.path),
    );
    // Candidates along a requested path differ only in duration; they are in order from slow to fast.
    const several = await inbetween(keys, { method: { name: "dcmoe", path: line }, candidates: 3 });
    assert.ok(several.length === 3 && gapLength(several[0]) > gapLength(several[2]));
  });

  it('of "auto" include the network, also without a gallery or a path of the gallery', async () => {
    const clip = await load(a);
    const methodsOf = async (at) => {
      const keys = [
        { clip, frame: 10 },
        { clip, frame: 40, at },
      ];
      const motions = await inbetween(keys, { method: "auto", candidates: 64, seed: Number.MAX_SAFE_INTEGER });
      return motions.map(({ gaps: [{ method }] }) => method);
    };
    const count = (methods) => methods.filter((name) => name === "dcmoe").length;
    assert.ok(count(await methodsOf(targetPose)) > 1);
    // No path of the gallery is so long.
    assert.equal(count(await methodsOf({ x: 0, z: 1000, heading: 0 })), 1);
    await loadNetworks({ for: "inbetween", name: "dcmoe", models: modelsWithoutGallery });
    assert.equal(count(await methodsOf(targetPose)), 1);
    await loadNetworks({ for: "inbetween", name: "dcmoe", models });
  });

  it("work in a worker and in a live session", async () => {
    await worker.loadNetworks({ for: "inbetween", name: "dcmoe", models });
    assert.deepEqual(await worker.styles(), ["usual", "old"]);
    const clip = await worker.load(a);
    const candidates = await worker.inbetween(
      [
        { clip, frame: 5 },
        { clip, frame: 45, at: targetPose },
      ],
      { method: "dcmoe", candidates: 3 },
    );
    assert.equal(candidates.length, 3);
    assert.equal((await candidates[1].positions()).length, candidates[1].frames * 22 * 3);
    const live = await liveInbetween(
      [
        { clip, frame: 5 },
        { clip, frame: 45, at: targetPose },
      ],
      { frames: gapLength(candidates[1]), method: "dcmoe" },
    );
    live.setMethod({ name: "dcmoe", path: candidates[1].path });
    live.solve();
    assert.deepEqual(live.clip().positions(), await candidates[1].positions());
    assert.match(
      (await failure(() => live.setMethod({ name: "dcmoe", style: "nobody's" }))).message,
      /not one of usual, old/,
    );
    assert.equal((await failure(() => live.setMethod({ name: "dcmoe", path: [[0, 1]] }))).code, "option");
    live.free();
  });

  it("are refused with wrong options", async () => {
    const clip = await load(a);
    const keys = [
      { clip, frame: 10 },
      { clip, frame: 40 },
    ];
    const targetPath = Array.from({ length: 31 }, (_, point) => [0, 0.03 * point]);
    for (const [options, message] of [
      [{ candidates: 3 }, /candidates is for "auto" and methods with a path: "dcmoe"/],
      [
        {
          path: [
            [0, 0],
            [1, 1],
          ],
        },
        /method: \{ name: "dcmoe", path \}/,
      ],
      [{ method: { name: "linear", style: "old" } }, /method "linear" has no option "style"/],
      [{ method: { name: "dcmoe", style: 3 } }, /options of the method "dcmoe"/],
      [{ method: { name: "dcmoe", style: "young" } }, /"young" is not one of usual, old/],
      [{ method: "dcmoe", candidates: 0 }, /whole number from 1/],
      [{ method: "dcmoe", candidates: 65 }, /1 to 64/],
      [{ method: "dcmoe", speed: "quick" }, /slow, medium, fast/],
      [{ method: "dcmoe", speed: "slow", frames: 30 }, /omit "speed" or "frames"/],
      [{ method: { name: "dcmoe", path: targetPath }, speed: "slow", timedPath: true }, /omit speed or timedPath/],
      [{ method: { name: "dcmoe", path: [[0, 0]] } }, /two points/],
      [
        {
          method: {
            name: "dcmoe",
            path: [
              [0, 0],
              [1, NaN],
            ],
          },
        },
        /two points/,
      ],
      [{ method: "dcmoe", candidates: 2, similarTo: "that" }, /two points/],
    ]) {
      const error = await failure(() => inbetween(keys, options));
      assert.deepEqual([error.code, message.test(error.message)], ["option", true], error.message);
    }
    const threeKeys = [...keys, { clip, frame: 50 }];
    assert.match(
      (await failure(() => inbetween(threeKeys, { method: "dcmoe", candidates: 2 }))).message,
      /exactly two keys, not 3/,
    );
    const path = Array(2).fill([0, 0]);
    const pathError = await failure(() => inbetween(threeKeys, { method: { name: "dcmoe", path } }));
    assert.equal(pathError.option, "path", pathError.message);
    const controller = new AbortController();
    const error = failure(() =>
      inbetween(keys, {
        method: "dcmoe",
        candidates: 30,
        signal: controller.signal,
        onProgress: () => controller.abort(),
      }),
    );
    assert.equal((await error).code, "aborted");
  });
});

describe("kinestitch inbetween --candidates", () => {
  const run = (...args) =>
    spawnSync(process.execPath, [join(packageFolder, "bin", "kinestitch.js"), "inbetween", ...args], {
      cwd: folder,
      encoding: "utf8",
    });

  it("writes each candidate into a folder", async () => {
    const { status, stdout, stderr } = run(
      "a.bvh@10",
      "a.bvh@40",
      "--method",
      "dcmoe",
      "--models",
      models,
      "--candidates",
      "4",
      "--at",
      "0.6,3.2,20",
      "-o",
      "candidates",
      "--json",
    );
    assert.deepEqual([status, stderr], [0, ""]);
    const { candidates, networks } = JSON.parse(stdout);
    assert.deepEqual([candidates.length, networks.map(({ name }) => name)], [4, ["dcmoe"]]);
    assert.deepEqual(
      readdirSync(join(folder, "candidates")).sort(),
      [1, 2, 3, 4].map((number) => `candidate-${number}.bvh`),
    );
    const candidate = await load(join(folder, "candidates", "candidate-2.bvh"));
    assert.equal(candidate.frames, candidates[1].frames);
  });

  it("follows a path, and rejects wrong arguments", () => {
    const commonArgs = ["a.bvh@10", "a.bvh@40", "--method", "dcmoe", "--models", models];
    const { status, stdout } = run(...commonArgs, "--path", "0,0.3 -1,1.5 0.6,3.2", "-o", "line.bvh", "--style", "old");
    assert.equal(status, 0);
    assert.match(stdout, /line\.bvh: \d+ frames \(\d+ new\) at 30 fps/);
    for (const [args, code, message] of [
      [["--candidates", "3"], 2, /output folder/],
      [["--candidates", "3", "-o", "a.bvh"], 1, /it is not a folder/],
      [["--path", "0,0 1", "-o", "x.bvh"], 1, /path must be two points/],
      [["--style", "young", "--frames", "9", "-o", "x.bvh"], 2, /--style: "young" is not one of usual, old/],
      [["-o", "x.bvh"], 2, /--frames N/],
      [["--candidates", "3", "-o", "x", "--models", modelsWithoutGallery], 1, /need the gallery/],
    ]) {
      const { status, stderr } = run(...commonArgs, ...args);
      assert.deepEqual([status, message.test(stderr)], [code, true], stderr);
    }
  });
});
