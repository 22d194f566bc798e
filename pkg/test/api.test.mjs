// load, stitch and clips of the entry point `kinestitch` in Node.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { init, load, seamMap, stitch } from "kinestitch";
import { failure, fixtures, jointNames, recordings, serve, walk } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-api-"));
after(() => rmSync(folder, { recursive: true }));

describe("load", () => {
  const text = walk({ frames: 12 });
  const path = join(folder, "my walk.v2.bvh");
  writeFileSync(path, text);

  it("reads every kind of input", async () => {
    const server = await serve({ "/": folder });
    const bytes = new TextEncoder().encode(text);
    const inputs = {
      clip: [
        text,
        `\uFEFF${text}`,
        bytes,
        bytes.buffer,
        new Blob([text]),
        `data:text/plain;base64,${Buffer.from(text).toString("base64")}`,
      ],
      "my walk.v2": [
        path,
        pathToFileURL(path),
        String(pathToFileURL(path)),
        new File([text], "my walk.v2.bvh"),
        `${server.url}/my%20walk.v2.bvh?x=1#y`,
      ],
    };
    try {
      for (const [name, inputsOfName] of Object.entries(inputs)) {
        for (const input of inputsOfName) {
          const clip = await load(input);
          assert.equal(clip.frames, 12);
          assert.equal(clip.name, name);
        }
      }
    } finally {
      await server.close();
    }
  });

  it("describes a clip by info()", async () => {
    const clip = await load(text, { name: "walk" });
    const info = clip.info();
    assert.equal(info.name, "walk");
    assert.equal(info.frames, 12);
    assert.ok(Math.abs(info.fps - 30) < 1e-3 && Math.abs(info.seconds - 0.4) < 1e-6);
    assert.deepEqual(info.joints.map((joint) => joint.name).sort(), [...jointNames].sort());
    assert.equal(info.joints[0].parent, -1);
    const leg = info.joints.find((joint) => joint.name === "LeftLeg");
    assert.deepEqual(
      leg.offset.map((value) => Math.round(value * 100)),
      [0, -42, 0],
    );
    assert.deepEqual([info.unit, info.metresPerUnit, info.upAxis, info.kind], ["cm", 0.01, "Y", "biped"]);
    assert.deepEqual(
      Object.entries(info.rig).filter(([role, joint]) => role !== joint),
      [],
    );
    assert.equal(Object.keys(info.rig).length, 22);
    assert.deepEqual(info.warnings, []);
  });

  it("measures the length by the frame rate if the frame time of the file is rounded", async () => {
    const clip = await load(walk({ frames: 600, fps: 60 }).replace(/Frame Time: .*/, "Frame Time: 0.016667"));
    const { fps, seconds } = clip.info();
    assert.deepEqual([fps, seconds], [60, 10]);
    assert.equal((await clip.slice(1, seconds)).frames, 540);
    assert.equal((await clip.at(seconds)).positions.length, 3 * jointNames.length);
  });

  it("gives positions and rotations as typed arrays", async () => {
    const clip = await load(walk({ frames: 2500 }));
    const positions = clip.positions();
    assert.ok(positions instanceof Float32Array && clip.rotations() instanceof Float32Array);
    assert.equal(positions.length, 2500 * 22 * 3);
    assert.equal(clip.rotations().length, 2500 * 22 * 4);
    // Root position of the last frame, which is in another chunk than the first.
    const [x, y, z] = positions.subarray(2499 * 66);
    const expected = [0, 0.92 + 0.02 * Math.cos(2 * (2499 / 30) * 2 * Math.PI), (2499 / 30) * 1.2];
    [x, y, z].forEach((value, axis) =>
      assert.ok(Math.abs(value - expected[axis]) < 1e-4, `${value} ${expected[axis]}`),
    );
  });

  it("corrects the bone mapping", async () => {
    const clip = await load(text, { rig: { LeftToe: null, Spine2: "Spine1", Spine1: null } });
    const { rig } = clip.info();
    assert.equal(rig.LeftToe, undefined);
    assert.equal(rig.Spine2, "Spine1");
    assert.equal((await clip.withRig({ LeftToe: "LeftToe" })).info().rig.LeftToe, "LeftToe");
    assert.equal((await failure(() => clip.withRig({ LeftToe: "Nobody" }))).code, "rig");
    const role = await failure(() => clip.withRig({ Tail: "Hips" }));
    assert.deepEqual([role.code, role.option], ["option", "rig"]);
    assert.match(role.message, /"Tail" is not a role; the roles are Hips, LeftUpLeg/);
  });

  it("reads its own BVH output without change", async () => {
    const clip = await load(text);
    const reread = await load(await clip.toBvh());
    // Our own file states unit, axis and position mode, so only the reasons differ.
    const withoutReasons = ({ guesses, ...info }) => ({
      ...info,
      guesses: Object.entries(guesses).map(([name, guess]) => [name, guess.split(":")[0]]),
    });
    assert.deepEqual(withoutReasons(reread.info()), withoutReasons(clip.info()));
    const [positions, rereadPositions] = [clip.positions(), reread.positions()];
    assert.ok(positions.every((value, index) => Math.abs(value - rereadPositions[index]) < 1e-6));
  });

  it("reads the repository's own motions and real recordings", async () => {
    for (const path of [...fixtures(), ...recordings()]) {
      const clip = await load(path);
      assert.ok(clip.frames > 0 && clip.positions().every(Number.isFinite), path);
    }
  });
});

describe("a long file", () => {
  const text = walk({ frames: 12_000 });

  it("is read in pieces, with progress, into the same clip as its text", async () => {
    const seen = [];
    const clip = await load(new Blob([text]), { onProgress: ({ stage, done }) => seen.push([stage, done]) });
    assert.equal(clip.frames, 12_000);
    assert.ok(seen.length > 3 && seen.every(([stage]) => stage === "parse"));
    assert.deepEqual(
      seen.map(([, done]) => done),
      seen.map(([, done]) => done).sort((a, b) => a - b),
    );
    assert.deepEqual([seen[0][1], seen.at(-1)[1]], [0, 1]);
    assert.deepEqual(clip.rotations(), (await load(text)).rotations());
  });

  it("can be aborted while it is read", async () => {
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    assert.equal((await failure(load(text, { signal: controller.signal }))).code, "aborted");
  });

  it("with an error far down is reported with the line number", async () => {
    const lines = text.split("\n");
    lines[11_000] = lines[11_000].replace(" ", " x ");
    const error = await failure(load(lines.join("\n"), { strict: true }));
    assert.deepEqual([error.code, error.line], ["bvh", 11_001]);
  });
});

describe("stitch", () => {
  it("joins clips of one skeleton, and reports the seams", async () => {
    const [a, b, c] = await Promise.all([
      load(walk({ frames: 60 })),
      load(walk({ frames: 50, speed: 1.6 })),
      load(walk({ frames: 40 })),
    ]);
    const stages = new Set();
    const result = await stitch([a, b, c], {
      method: "inertialize",
      name: "abc",
      onProgress: ({ stage, done }) => {
        assert.ok(done >= 0 && done <= 1);
        stages.add(stage);
      },
    });
    assert.equal(result.name, "abc");
    assert.equal(result.frames, 150);
    assert.equal(result.seams.length, 2);
    assert.deepEqual(
      result.seams.map((seam) => [seam.frame, seam.method]),
      [
        [60, "inertialize"],
        [110, "inertialize"],
      ],
    );
    for (const { editedRange, footSkate, peakJerk } of result.seams) {
      assert.ok(editedRange.from < editedRange.to && Number.isFinite(footSkate) && peakJerk > 0);
    }
    assert.ok(stages.has("align") && stages.has("blend"));
    assert.ok(result.milliseconds > 0 && Array.isArray(result.warnings));
    assert.deepEqual(
      (await result.aligned()).map((clip) => clip.frames),
      [60, 50, 40],
    );
    assert.deepEqual(result.starts, [0, 60, 110]);
    assert.equal((await load(await result.toBvh())).frames, 150);
  });

  it("keeps frames outside the edited range bit-identical without foot lock", async () => {
    const [a, b] = await Promise.all([load(walk({ frames: 60 })), load(walk({ frames: 60, speed: 1.6 }))]);
    const result = await stitch([a, b], { method: "inertialize", footLock: false, blend: 12 / 30 });
    const { from, to } = result.seams[0].editedRange;
    const [rotations, [first, second]] = [result.rotations(), (await result.aligned()).map((clip) => clip.rotations())];
    const start = result.starts[1];
    assert.deepEqual(rotations.slice(0, from * 88), first.slice(0, from * 88));
    assert.deepEqual(rotations.slice(to * 88), second.slice((to - start) * 88));
  });

  it("trims and resamples", async () => {
    const [a, b] = await Promise.all([load(walk({ frames: 60 })), load(walk({ frames: 120, fps: 60 }))]);
    const result = await stitch([a, b], { method: "inertialize", trim: [{ from: 10, to: 40 }, undefined] });
    assert.ok(Math.abs(result.fps - 30) < 1e-3);
    assert.equal((await result.aligned())[0].frames, 30);
    assert.ok(Math.abs((await result.aligned())[1].frames - 60) <= 1);
    assert.ok(Math.abs((await a.resample(60)).frames - 120) <= 1);
  });

  it("stops when its signal is aborted", async () => {
    const [a, b] = await Promise.all([load(walk()), load(walk())]);
    const abortedSignal = AbortSignal.abort(new Error("too late"));
    for (const error of [
      await failure(load(walk(), { signal: abortedSignal })),
      await failure(stitch([a, b], { signal: abortedSignal })),
    ]) {
      assert.deepEqual([error.code, error.name, error.cause?.message], ["aborted", "AbortError", "too late"]);
    }
    const controller = new AbortController();
    const error = await failure(stitch([a, b], { signal: controller.signal, onProgress: () => controller.abort() }));
    assert.equal(error.code, "aborted");
  });

  it("measures every method over one second on each side of the seam", async () => {
    const [a, b] = await Promise.all([load(walk({ frames: 60 })), load(walk({ frames: 50, speed: 1.6 }))]);
    for (const [method, frame] of [
      ["inertialize", 60],
      ["crossfade", 40],
      ["lscore", undefined],
    ]) {
      const [seam] = (await stitch([a, b], { method })).seams;
      if (frame) assert.equal(seam.frame, frame);
      assert.deepEqual(seam.measuredRange, { from: seam.frame - 30, to: seam.frame + 30 });
    }
  });

  it("uses the method of init if a call names none, and auto if init names none either", async () => {
    const [a, b] = await Promise.all([load(walk()), load(walk())]);
    const usedMethod = async (options) => (await stitch([a, b], options)).seams[0].method;
    assert.ok((await stitch([a, b])).seams[0].trials.length > 1, "auto is the default");
    await init({ method: "crossfade" });
    assert.deepEqual([await usedMethod(), await usedMethod({ method: "lscore" })], ["crossfade", "lscore"]);
    await init({ method: "inertialize" });
    assert.equal(await usedMethod(), "inertialize");
    assert.equal((await failure(init({ method: "magic" }))).option, "method");
  });

  it("stops at an abort by a timer while it scores a seam map", async () => {
    const [a, b] = await Promise.all([load(walk({ frames: 1500 })), load(walk({ frames: 1500 }))]);
    const controller = new AbortController();
    let largestDone = 0;
    const onProgress = ({ done }) => {
      if (largestDone === 0 && done > 0) setTimeout(() => controller.abort(), 0);
      largestDone = Math.max(largestDone, done);
    };
    assert.equal((await failure(seamMap(a, b, { signal: controller.signal, onProgress }))).code, "aborted");
    // The timer can fire only when the loop yields; the whole map would take seconds.
    assert.ok(largestDone > 0 && largestDone < 0.9, `${largestDone} was done`);
    // A map can be computed again after an abort.
    const map = await seamMap(a, b, {
      trim: [
        { from: 0, to: 40 },
        { from: 0, to: 40 },
      ],
    });
    assert.ok(map.scores.every(Number.isFinite));
  });

  /** Starts a cut search, aborts it by `stop`, and returns its last progress. */
  async function abortSearch(seam, stop) {
    const [a, b] = await Promise.all([load(walk({ frames: 3000 })), load(walk({ frames: 3000, speed: 1.6 }))]);
    const controller = new AbortController();
    const progress = [];
    const onProgress = ({ stage, done }) =>
      stage === "scan" && progress.push(done) === 1 && stop(() => controller.abort());
    const options = { method: "inertialize", seam, maxCut: 60, signal: controller.signal, onProgress };
    assert.equal((await failure(stitch([a, b], options))).code, "aborted");
    return progress.at(-1);
  }

  it("stops at an abort by a timer while it searches for the best cut", async () => {
    // The timer can fire only when the loop yields; the whole search takes longer.
    assert.ok((await abortSearch("best", (abort) => setTimeout(abort, 0))) < 0.9);
  });

  it("stops at an abort between two parts of the search for a cut in phase", async () => {
    // The whole search may end before a timer fires.
    assert.ok((await abortSearch("phase", (abort) => abort())) < 0.9);
  });

  it("gives curves with one value for each frame", async () => {
    const clip = await load(walk({ frames: 60 }));
    const { footSpeed, contact, jerk } = await clip.curves();
    for (const array of [...footSpeed, ...contact, jerk]) assert.equal(array.length, 60);
    assert.ok(contact[0] instanceof Uint8Array && contact[0].every((value) => value === 0 || value === 1));
  });
});

describe("a clip that is freed", () => {
  it("throws an error in every call; other clips stay usable", async () => {
    const [a, b] = await Promise.all([load(walk()), load(walk())]);
    const result = await stitch([a, b], { method: "inertialize" });
    const [aligned] = await result.aligned();
    result.free();
    result.free();
    assert.equal(aligned.info().frames, a.frames);
    for (const use of [
      () => result.info(),
      () => result.positions(),
      () => result.aligned(),
      () => stitch([a, result]),
    ]) {
      const error = await failure(use);
      assert.deepEqual([error.code, /was freed/.test(error.message)], ["clip", true]);
    }
    a[Symbol.dispose]();
    assert.equal((await failure(seamMap(a, b))).code, "clip");
    assert.equal(b.info().frames, b.frames);
  });
});
