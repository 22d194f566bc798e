// inbetween, liveInbetween, and `kinestitch inbetween`.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { inbetween, liveInbetween, load, loadNetworks, networkInfo, networkModels } from "kinestitch";
import * as worker from "kinestitch/worker";
import { failure, framesOf, packageFolder, walk } from "./support.mjs";
const folder = mkdtempSync(join(tmpdir(), "kinestitch-inbetween-"));
after(() => rmSync(folder, { recursive: true }));
const writeMotion = (name, text) => {
  writeFileSync(join(folder, name), text);
  return name;
};
const a = writeMotion("a.bvh", walk({ frames: 60 }));
const b = writeMotion("b.bvh", walk({ frames: 50, speed: 1.6, rename: (name) => `mixamorig:${name}` }));

/** Runs the command line. */
const run = (...args) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(packageFolder, "bin", "kinestitch.js"), "inbetween", ...args],
    { cwd: folder, encoding: "utf8" },
  );
  return { status, stdout, stderr };
};

describe("inbetween", () => {
  it("keeps keys bit-identical and reports the gaps", async () => {
    const clip = await load(join(folder, a));
    const keys = [
      { clip, from: 5, to: 15 },
      { clip, frame: 30 },
      { clip, from: 40, to: 50 },
    ];
    const stages = new Set();
    const result = await inbetween(keys, { frames: [12, 20], onProgress: ({ stage }) => stages.add(stage) });
    assert.deepEqual(result.keys, [
      { from: 0, to: 10 },
      { from: 22, to: 23 },
      { from: 43, to: 53 },
    ]);
    assert.deepEqual(
      result.gaps.map(({ method, range }) => [method, range]),
      [
        ["inertialize", { from: 10, to: 22 }],
        ["inertialize", { from: 23, to: 43 }],
      ],
    );
    assert.ok(
      result.gaps.every(({ footSkate, peakJerk, keyErrorCm }) => footSkate >= 0 && peakJerk > 0 && keyErrorCm === 0),
    );
    assert.deepEqual([result.frames, result.fps, result.name, result.warnings], [53, clip.fps, clip.name, []]);
    assert.deepEqual([...stages], ["align", "blend", "foot-lock"]);
    const [original, rotations] = [clip.rotations(), result.rotations()];
    assert.deepEqual(framesOf(rotations, result, 0, 10), framesOf(original, clip, 5, 15));
    assert.deepEqual(framesOf(rotations, result, 22, 23), framesOf(original, clip, 30, 31));
    assert.deepEqual(framesOf(rotations, result, 43, 53), framesOf(original, clip, 40, 50));
  });

  it("accepts a key of another rig, another frame rate and a ground pose", async () => {
    const [first, second] = await Promise.all([load(join(folder, a)), load(join(folder, b))]);
    const groundPose = { x: 1, z: 3, heading: Math.PI / 2 };
    const result = await inbetween(
      [
        { clip: first, frame: 10 },
        { clip: second, frame: 20, at: groundPose },
      ],
      { frames: 40, fps: 60, method: "linear", footLock: false },
    );
    assert.deepEqual([result.frames, Math.round(result.fps), result.gaps[0].method], [42, 60, "linear"]);
    const [x, , z] = result.positions().slice(-first.info().joints.length * 3);
    assert.ok(Math.hypot(x - groundPose.x, z - groundPose.z) < 1e-3, `${x} ${z}`);
  });

  it("rejects wrong input", async () => {
    const clip = await load(join(folder, a));
    const keys = [
      { clip, frame: 3 },
      { clip, frame: 20 },
    ];
    const wrongCalls = [
      [() => inbetween(keys.slice(1)), /two keys/],
      [() => inbetween("keys"), /array of keys/],
      [() => inbetween([null, keys[1]]), /key 0 must be an object/],
      [() => inbetween([{ clip: {}, frame: 1 }, keys[1]]), /clip of key 0 is not a clip/],
      [() => inbetween([{ clip, frame: 1, from: 2, to: 3 }, keys[1]]), /key 0 must have a frame, or from and to/],
      [() => inbetween([{ clip }, keys[1]]), /key 0 must have a frame, or from and to/],
      [() => inbetween([{ clip, frame: 1.5 }, keys[1]]), /frame of key 0 must be a whole number/],
      [() => inbetween([{ clip, frame: 60 }, keys[1]]), /key 0 is frame 60 of clip "a", which has only frames 0 to 59/],
      [() => inbetween([keys[0], { ...keys[1], at: { x: 1, z: NaN, heading: 0 } }]), /at of key 1/],
      [() => inbetween(keys, { frames: 0 }), /1 to 480 frames/],
      [() => inbetween(keys, { frames: [5, 6] }), /1 gaps, but 2/],
      [() => inbetween(keys, { method: "magic" }), /method must be .*not "magic"/],
      [() => inbetween(keys, { method: { name: "delta", seed: 1 } }), /"delta" has no option "seed"; it has none/],
      [() => inbetween(keys, { method: { name: "hermite", tension: NaN } }), /tension .* must be a finite number/],
      [() => inbetween(keys, { fps: 0 }), /fps must be a number above 0/],
    ];
    for (const [work, message] of wrongCalls) {
      const error = await failure(work);
      assert.deepEqual([error.name, error.code], ["KinestitchError", "option"], String(error));
      assert.match(error.message, message);
    }
    assert.equal((await failure(() => inbetween(keys, { signal: AbortSignal.abort() }))).code, "aborted");
  });

  it("solves again for a dragged key without growing its memory", async () => {
    const [first, second] = await Promise.all([load(join(folder, a)), load(join(folder, b))]);
    const { memory } = await (await import(join(packageFolder, "wasm", "kinestitch.js"))).default();
    const live = await liveInbetween(
      [
        { clip: first, from: 0, to: 20 },
        { clip: second, frame: 25 },
      ],
      { frames: 30 },
    );
    const positions = new Float32Array(200 * 22 * 3);
    const rotations = new Float32Array(200 * 22 * 4);
    const drag = (step) => {
      live.place(1, { x: Math.sin(step), z: 2 + Math.cos(step), heading: step });
      live.setFrames(0, 30 + (step % 50));
      assert.equal(live.solve(), 51 + (step % 50));
      assert.equal(live.positions(positions), live.rotations(rotations));
    };
    // The module starts small; its memory first has to settle.
    for (let step = 0; step < 1000; step++) drag(step);
    const settledBytes = memory.buffer.byteLength;
    for (let step = 0; step < 1000; step++) drag(step);
    assert.equal(memory.buffer.byteLength, settledBytes);
    assert.deepEqual(live.clip().positions(), positions.slice(0, live.clip().frames * 22 * 3));
    assert.deepEqual(live.report().keys, [
      { from: 0, to: 20 },
      { from: live.clip().frames - 1, to: live.clip().frames },
    ]);
    const [, groundPose] = live.groundPoses();
    assert.ok(Math.hypot(groundPose.x - Math.sin(999), groundPose.z - 2 - Math.cos(999)) < 1e-4);
    live.place(1, undefined);
    live.setMethod("linear");
    live.solve();
    assert.equal(live.report().gaps[0].method, "linear");
    assert.match((await failure(() => live.place(2, undefined))).message, /no key 2/);
    for (const at of [{ x: 1, z: 2 }, { x: 1, z: 2, heading: NaN }, null])
      assert.throws(() => live.place(1, at), { code: "option", option: "at", message: /at of key 1 must be/ });
    assert.match((await failure(() => live.positions(new Float32Array(3)))).message, /must hold/);
    live.free();
    for (const use of [
      () => live.solve(),
      () => live.positions(new Float32Array(3)),
      () => live.clip(),
      () => live.setMethod("linear"),
    ]) {
      assert.throws(use, { name: "KinestitchError", code: "option", message: /was freed/ });
    }
  });

  it("uses clips of the worker in a live session of this thread", async () => {
    const [mainClip, workerClip] = await Promise.all([load(join(folder, a)), worker.load(join(folder, a))]);
    const draggedPositions = async (clip) => {
      const live = await liveInbetween(
        [
          { clip, frame: 5 },
          { clip, frame: 40 },
        ],
        { frames: 20 },
      );
      live.place(1, { x: 1, z: 2, heading: 0.5 });
      const positions = new Float32Array(live.solve() * 22 * 3);
      live.positions(positions);
      live.free();
      return positions;
    };
    assert.deepEqual(await draggedPositions(workerClip), await draggedPositions(mainClip));
    workerClip.free();
    const error = await failure(() => draggedPositions(workerClip));
    assert.deepEqual([error.code, /was freed/.test(error.message)], ["clip", true]);
  });

  it("works in a worker, with one clip for two keys", async () => {
    const clip = await worker.load(join(folder, a));
    const result = await worker.inbetween(
      [
        { clip, frame: 5 },
        { clip, frame: 45 },
      ],
      { frames: 39 },
    );
    assert.deepEqual(
      [result.frames, result.keys, result.gaps.length],
      [
        41,
        [
          { from: 0, to: 1 },
          { from: 40, to: 41 },
        ],
        1,
      ],
    );
    const [original, positions] = [await clip.positions(), await result.positions()];
    assert.deepEqual(framesOf(positions, result, 40, 41), framesOf(original, clip, 45, 46));
    const error = await failure(() => worker.inbetween([{ clip, frame: 5 }], {}));
    assert.deepEqual([error.code, /two keys/.test(error.message)], ["option", true]);
  });
});

const networks = await networkModels({ for: "inbetween" });

describe("inbetween by a network", () => {
  it("is an error if the manifest lists none", { skip: networks.length > 0 && "this package has one" }, async () => {
    const clip = await load(join(folder, a));
    const { code, message } = await failure(() =>
      inbetween(
        [
          { clip, frame: 3 },
          { clip, frame: 40 },
        ],
        { method: "delta" },
      ),
    );
    assert.deepEqual([code, /no network "delta" for "inbetween"/.test(message)], ["weights", true], message);
  });

  it("is the default once it is loaded, keeps keys, and refuses bodies without two legs", {
    skip: networks.length === 0 && "no weights for it in this package",
  }, async () => {
    const [clip, other] = await Promise.all([load(join(folder, a)), load(join(folder, b))]);
    const keys = [
      { clip, from: 5, to: 15 },
      { clip: other, frame: 30 },
    ];
    const plain = await inbetween(keys, { frames: 24 });
    assert.equal(plain.gaps[0].method, "inertialize");
    const { name, device } = await loadNetworks({ for: "inbetween" });
    assert.deepEqual([name, device.used, (await networkInfo({ for: "inbetween" })).name], ["delta", "cpu", "delta"]);
    const result = await inbetween(keys, { frames: 24 });
    assert.equal(result.gaps[0].method, "delta");
    assert.deepEqual(framesOf(result.rotations(), result, 0, 10), framesOf(clip.rotations(), clip, 5, 15));
    assert.notDeepEqual(result.rotations(), plain.rotations());
    const live = await liveInbetween(keys, { frames: 24, method: "delta" });
    live.solve();
    assert.deepEqual(live.clip().rotations(), result.rotations());
    live.free();
    const unmapped = await clip.withRig({ LeftUpLeg: null });
    assert.equal(
      (
        await failure(() =>
          inbetween(
            [
              { clip: unmapped, frame: 1 },
              { clip: unmapped, frame: 30 },
            ],
            { method: "delta" },
          ),
        )
      ).code,
      "rig",
    );
    assert.equal(
      (
        await inbetween([
          { clip: unmapped, frame: 1 },
          { clip: unmapped, frame: 30 },
        ])
      ).gaps[0].method,
      "inertialize",
    );
  });
});

describe("kinestitch inbetween", () => {
  it("keeps the ground poses of two frames of one file", async () => {
    const { status, stdout, stderr } = run(`${a}@10`, `${a}@40`, "--frames", "29", "-o", "out.bvh", "--json");
    assert.deepEqual([status, stderr], [0, ""]);
    const { frames, keys, gaps } = JSON.parse(stdout);
    assert.deepEqual(
      [frames, keys, gaps[0].range],
      [
        31,
        [
          { from: 0, to: 1 },
          { from: 30, to: 31 },
        ],
        { from: 1, to: 30 },
      ],
    );
    const [clip, result] = await Promise.all([load(join(folder, a)), load(join(folder, "out.bvh"))]);
    const errors = framesOf(result.positions(), result, 30, 31).map((value, i) =>
      Math.abs(value - framesOf(clip.positions(), clip, 40, 41)[i]),
    );
    assert.ok(Math.max(...errors) < 1e-4, String(Math.max(...errors)));
  });

  it("places the last key, with a heading in degrees, and prints text", async () => {
    const { status, stdout } = run(
      `${a}@10`,
      `${b}@20`,
      "--frames",
      "30",
      "--at",
      "1.5,-2,90",
      "-o",
      "out.glb",
      "--method",
      "linear",
    );
    assert.equal(status, 0);
    assert.match(stdout, /out\.glb: 32 frames \(30 new\) at 30 fps/);
    assert.match(stdout, /frames 1 to 30: linear, off the next key by 0 cm and 0°/);
    assert.equal(readFileSync(join(folder, "out.glb")).subarray(0, 4).toString(), "glTF");
  });

  it("rejects wrong input", () => {
    for (const [args, code, message] of [
      [[`${a}@1`, "--frames", "5", "-o", "x.bvh"], 2, /at least two keys/],
      [[a, `${a}@3`, "--frames", "5", "-o", "x.bvh"], 2, /FILE@FRAME/],
      [[`${a}@1`, a, "-o", "x.bvh"], 2, /such as "a\.bvh@20", not "a\.bvh"/],
      [[`${a}@1`, "team@home/b.bvh", "-o", "x.bvh"], 2, /such as "team@home\/b\.bvh@20"/],
      [
        [`${a}@1`, `${a}@3`, "--frames", "5", "-o", "x.bvh", "--method", "manifold", "--latent", "1,,2"],
        2,
        /--latent must be numbers separated by commas, not "1,,2"/,
      ],
      [[`${a}@1`, `${a}@3`, "-o", "x.bvh"], 2, /--frames N/],
      [[`${a}@1`, `${a}@3`, "--frames", "5", "-o", "x.bvh", "--at", "1,2"], 2, /X,Z,DEGREES/],
      [[`${a}@1`, `${a}@3`, "--frames", "5", "-o", "x.bvh", "--method", "magic"], 2, /--method must be/],
      [
        [`${a}@1`, `${a}@99`, "--frames", "5", "-o", "x.bvh"],
        1,
        /key 1 is frame 99 of clip ".*", which has only frames 0 to 59/,
      ],
      [[`${a}@1`, `${a}@3`, "--frames", "5", "-o", a], 1, /it is an input/],
      [["none.bvh@1", `${a}@3`, "--frames", "5", "-o", "x.bvh"], 1, /none\.bvh/],
    ]) {
      const { status, stderr } = run(...args);
      assert.deepEqual([status, message.test(stderr)], [code, true], stderr);
    }
  });
});
