// `load` of GLB, glTF and plain values; clips in place and retargeted; `animateGlb`; GLB files on the command line.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import validator from "gltf-validator";
import { animateGlb, animations, load, stitch } from "kinestitch";
import { animations as workerAnimations, animateGlb as animateInWorker, load as loadInWorker } from "kinestitch/worker";
import { toAnimationClip } from "kinestitch/three";
import { character, glbOf } from "./rigs.mjs";
import { fixtures, root } from "./support.mjs";
const folder = mkdtempSync(join(tmpdir(), "kinestitch-gltf-"));
after(() => rmSync(folder, { recursive: true }));
const fixture = (name) => readFileSync(join(root, "tests", "fixtures", `${name}.bvh`));
const largestDifference = (a, b) =>
  a.reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i])), a.length === b.length ? 0 : Infinity);

/**
 * Returns a glTF whose only animated node, `arm`, is below the static node `base`. Its rotation keys have the given
 * interpolation mode. Its buffer is a data URI, or the file `uri`.
 */
function rotatingArm(interpolation, times, rotations, { uri } = {}) {
  const values = new Float32Array([...times, ...rotations.flat()]);
  const bytes = Buffer.from(values.buffer);
  const json = {
    asset: { version: "2.0" },
    buffers: [
      { byteLength: bytes.length, uri: uri ?? `data:application/octet-stream;base64,${bytes.toString("base64")}` },
    ],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: times.length * 4 },
      { buffer: 0, byteOffset: times.length * 4, byteLength: rotations.length * 16 },
    ],
    accessors: [
      { bufferView: 0, componentType: 5126, count: times.length, type: "SCALAR", min: [times[0]], max: [times.at(-1)] },
      { bufferView: 1, componentType: 5126, count: rotations.length, type: "VEC4" },
    ],
    nodes: [
      { name: "arm", translation: [0, 1, 0] },
      { name: "base", children: [0], rotation: [0, Math.SQRT1_2, 0, Math.SQRT1_2] },
    ],
    animations: [
      {
        name: "wave",
        channels: [{ sampler: 0, target: { node: 0, path: "rotation" } }],
        samplers: [{ input: 0, output: 1, interpolation }],
      },
    ],
  };
  return { text: JSON.stringify(json), bytes };
}
/** Rotation about Z by an angle in radians, as a quaternion x, y, z, w. */
const rotationZ = (angle) => [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)];
/** Angle of the arm in each frame, radians. */
const angles = (clip) =>
  Array.from(
    { length: clip.frames },
    (_, frame) => 2 * Math.asin(Math.hypot(...clip.rotations().subarray(frame * 4, frame * 4 + 3))),
  );
describe("load of GLB and glTF", () => {
  it("reads every motion back that toGlb writes", async () => {
    for (const path of fixtures()) {
      const clip = await load(path);
      const reread = await load(await clip.toGlb());
      assert.deepEqual(
        [reread.frames, reread.info().joints.length, reread.info().kind],
        [clip.frames, clip.info().joints.length, clip.info().kind],
        path,
      );
      assert.ok(Math.abs(reread.fps - clip.fps) < 0.1, `${reread.fps} ${clip.fps}`);
      const error = largestDifference(reread.positions(), clip.positions());
      assert.ok(error < 1e-4, `${path}: ${error} m`);
    }
  });

  it("gives clips that can be stitched with BVH clips and written as BVH", async () => {
    const [walk, run] = [await load(await (await load(fixture("ada-walk"))).toGlb()), await load(fixture("bo-run"))];
    const stitched = await stitch([walk, run]);
    const reread = await load(await stitched.toBvh());
    assert.ok(largestDifference(reread.positions(), stitched.positions()) < 2e-3);
  });

  it("finds animations by name", async () => {
    const { model } = character("mixamo");
    const [walk, run] = await Promise.all(
      ["ada-walk", "ada-run"].map(async (name) => toAnimationClip(await load(fixture(name)), model, { name })),
    );
    const file = await glbOf(model, [walk, run]);
    assert.deepEqual(await animations(file), ["ada-walk", "ada-run"]);
    assert.deepEqual(await workerAnimations(new Blob([file])), ["ada-walk", "ada-run"]);
    assert.deepEqual(await animations(fixture("ada-walk")), []);
    const second = await load(file, { animation: "ada-run" });
    assert.deepEqual([second.name, second.info().warnings], ["ada-run", []]);
    const first = await load(file, { name: "mine" });
    assert.equal(first.name, "mine");
    assert.match(
      first.info().warnings.join(),
      /has 2 animations.*the first, "ada-walk" \(\d\.\d+ s\); select another .*: "ada-run" \(\d\.\d+ s\)/,
    );
    // Clips of one file share a skeleton.
    assert.deepEqual(first.info().joints, second.info().joints);
    const inWorker = await loadInWorker(file, { animation: "ada-run" });
    assert.ok(largestDifference(await inWorker.positions(), second.positions()) < 1e-6);
    await assert.rejects(load(file, { animation: "fly" }), {
      code: "option",
      message: /no animation "fly"; its animations are "ada-walk", "ada-run"/,
    });
    await assert.rejects(load(fixture("ada-walk"), { animation: "fly" }), {
      code: "option",
      message: /BVH file holds one/,
    });
    await assert.rejects(loadInWorker(file, { animation: 5 }), { code: "option" });
  });

  it("samples keys of every interpolation", async () => {
    const quarter = Math.PI / 2;
    const linear = await load(rotatingArm("LINEAR", [0, 1], [rotationZ(0), rotationZ(quarter)]).text);
    assert.deepEqual([linear.fps, linear.frames], [24, 25]);
    angles(linear).forEach((angle, frame) =>
      assert.ok(Math.abs(angle - (quarter * frame) / 24) < 1e-4, `${frame}: ${angle}`),
    );
    const step = await load(rotatingArm("STEP", [0, 1], [rotationZ(0), rotationZ(quarter)]).text);
    assert.ok(angles(step).every((angle, frame) => Math.abs(angle - (frame === 24 ? quarter : 0)) < 1e-4));
    const noTangent = [0, 0, 0, 0];
    const cubic = await load(
      rotatingArm("CUBICSPLINE", [0, 1], [noTangent, rotationZ(0), noTangent, noTangent, rotationZ(1), noTangent]).text,
    );
    // Flat at both ends, half-way in the middle.
    const [start, middle] = [angles(cubic)[1], angles(cubic)[12]];
    assert.ok(start < 0.02 && Math.abs(middle - 0.5) < 0.01, `${start} ${middle}`);
    assert.equal(
      (await load(rotatingArm("LINEAR", [0, 0.1, 0.37], [rotationZ(0), rotationZ(0.1), rotationZ(1)]).text)).fps,
      100,
    );
    // No common rate has a frame within a millisecond of 0.1234567 s.
    const uneven = await load(
      rotatingArm("LINEAR", [0, 0.1234567, 0.37], [rotationZ(0), rotationZ(0.1), rotationZ(1)]).text,
    );
    assert.equal(uneven.fps, 65);
    assert.match(uneven.info().warnings.join(), /sparse or uneven, and are sampled at 65 frames per second/);
  });

  it("reads a buffer from a file beside the glTF file", async () => {
    const { text, bytes } = rotatingArm("LINEAR", [0, 1], [rotationZ(0), rotationZ(1)], { uri: "the%20numbers.bin" });
    writeFileSync(join(folder, "wave.gltf"), text);
    writeFileSync(join(folder, "the numbers.bin"), bytes);
    const clip = await load(join(folder, "wave.gltf"));
    assert.deepEqual([clip.name, clip.frames], ["wave", 25]);
    await assert.rejects(load(new Blob([text])), {
      code: "glb",
      message: /"the%20numbers.bin", which was not given; save it as GLB/,
    });
  });

  it("reports damaged and unsupported files", async () => {
    const complete = await (await load(fixture("ada-walk"))).toGlb();
    for (const end of [4, 12, 19, 300, complete.length - 5])
      await assert.rejects(load(complete.subarray(0, end)), { code: "glb" }, String(end));
    const broken = complete.slice();
    broken[30] = 0;
    await assert.rejects(load(broken), { code: "glb", message: /damaged/ });
    await assert.rejects(load('{ "asset": { "version": "1.0" } }\n'), {
      code: "glb",
      message: /glTF 1.0; only glTF 2/,
    });
    await assert.rejects(load('{ "frames": [] }\n'), { code: "glb" });
    await assert.rejects(load('{ "asset": { "version": "2.0" }, "nodes": [{}] }\n'), {
      code: "glb",
      message: /no bones/,
    });
    await assert.rejects(load(rotatingArm("LINEAR", [0, NaN], [rotationZ(0), rotationZ(1)]).text), {
      name: "KinestitchError",
    });
    for (let offset = 20; offset < 1500; offset += 7) {
      const changed = complete.slice();
      changed[offset] ^= 0x15;
      await load(changed).catch((error) => assert.equal(error.name, "KinestitchError", `${offset}: ${error.stack}`));
    }
  });
});

describe("motion as plain values", () => {
  const plainMotion = () => ({
    name: "made",
    fps: 30,
    joints: [
      { name: "root", parent: -1, offset: [0, 0, 0] },
      { name: "top", parent: 0, offset: [0, 1, 0] },
    ],
    rotations: new Float32Array([0, 0, 0, 1, 0, 0, 0, 1]),
    translations: new Float32Array([1, 2, 3]),
  });

  it("is loaded", async () => {
    const clip = await load(plainMotion());
    assert.deepEqual([clip.name, clip.frames, clip.fps], ["made", 1, 30]);
    assert.deepEqual([...clip.positions()], [1, 2, 3, 1, 3, 3]);
    assert.deepEqual(
      [...(await (await loadInWorker(plainMotion(), { name: "other" })).positions())],
      [1, 2, 3, 1, 3, 3],
    );
  });

  it("is refused if it is malformed", async () => {
    const wrongValues = [
      ...["30", 0].map((fps) => ({ fps })),
      ...[{}, [{ name: 5 }], []].map((joints) => ({ joints })),
      ...[[5], "text", null].map((warnings) => ({ warnings })),
      { rotations: [0, 0, 0, 1] },
      { rotations: new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]) },
      ...[1, 4, 6].map((length) => ({ translations: new Float32Array(length) })),
    ];
    for (const change of wrongValues)
      await assert.rejects(load({ ...plainMotion(), ...change }), { name: "KinestitchError" }, JSON.stringify(change));
  });
});

describe("clips", () => {
  it("can be kept in place by inPlace()", async () => {
    const walk = await load(fixture("ada-walk"));
    const still = await walk.inPlace();
    const { joints, rig } = still.info();
    const hips = joints.findIndex(({ name }) => name === rig.Hips);
    const [positions, stillPositions] = [walk.positions(), still.positions()];
    for (let frame = 0; frame < walk.frames; frame++) {
      const offset = (frame * joints.length + hips) * 3;
      assert.ok(
        Math.hypot(
          stillPositions[offset] - stillPositions[hips * 3],
          stillPositions[offset + 2] - stillPositions[hips * 3 + 2],
        ) < 1e-4,
      );
      assert.ok(Math.abs(stillPositions[offset + 1] - positions[offset + 1]) < 1e-5);
    }
    assert.deepEqual(await (await (await loadInWorker(fixture("ada-walk"))).inPlace()).positions(), stillPositions);
  });

  it("can be retargeted to the skeleton of another clip", async () => {
    const [walk, bo] = [await load(fixture("ada-walk")), await load(fixture("bo-walk"))];
    const onBo = await walk.retarget(bo);
    assert.deepEqual(onBo.info().joints, bo.info().joints);
    assert.deepEqual([onBo.frames, onBo.name], [walk.frames, walk.name]);
    const inWorker = await (await loadInWorker(fixture("ada-walk"))).retarget(await loadInWorker(fixture("bo-walk")));
    assert.deepEqual(await inWorker.positions(), onBo.positions());
    await assert.rejects(walk.retarget("bo"), { code: "option" });
    const dog = await load(fixture("cleo-walk"));
    await assert.rejects(walk.retarget(dog), { code: "rig" });
  });
});

describe("animateGlb", () => {
  it("adds the motion, and does not change the character", async () => {
    const walk = await load(fixture("ada-walk"));
    for (const family of ["mixamo", "vrm", "blender"]) {
      const { model } = character(family, { size: 1.2 });
      const file = await glbOf(model, [await toAnimationClip(await load(fixture("ada-run")), model, { name: "run" })]);
      const walking = await animateGlb(file, walk);
      const { issues } = await validator.validateBytes(walking, { maxIssues: 20 });
      assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages.slice(0, 3)));
      const json = (bytes) =>
        JSON.parse(
          new TextDecoder().decode(
            bytes.subarray(20, 20 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true)),
          ),
        );
      const [fileJson, walkingJson] = [json(file), json(walking)];
      for (const part of ["nodes", "meshes", "skins", "materials", "scenes"])
        assert.deepEqual(walkingJson[part], fileJson[part], part);
      assert.deepEqual(await animations(walking), [walk.name, "run"]);
      // The motion equals that of `toAnimationClip`, exported by three.js.
      const clip = await load(walking, { animation: walk.name });
      const exported = await load(await glbOf(model, [await toAnimationClip(walk, model)]));
      const error = largestDifference(clip.positions(), exported.positions());
      assert.ok(error < 2e-3, `${family}: ${error} m`);
      const inWorker = await animateInWorker(new Blob([file]), await loadInWorker(fixture("ada-walk")), {
        name: walk.name,
      });
      assert.ok(largestDifference(inWorker, walking) === 0);
    }
  });

  it("refuses files without a skin, wrong arguments and motions of other bodies", async () => {
    const walk = await load(fixture("ada-walk"));
    await assert.rejects(animateGlb(fixture("ada-run"), walk), { code: "glb", message: /not a GLB/ });
    await assert.rejects(animateGlb(rotatingArm("LINEAR", [0, 1], [rotationZ(0), rotationZ(1)]).text, walk), {
      code: "glb",
      message: /no skin/,
    });
    await assert.rejects(animateGlb(await walk.toGlb(), "walk"), { code: "option" });
    await assert.rejects(animateGlb(await walk.toGlb(), walk, { root: "keep" }), { code: "option" });
    await assert.rejects(animateGlb(await walk.toGlb(), await load(fixture("cleo-walk"))), { code: "rig" });
  });
});

describe("animations and animateGlb", () => {
  it("throw the errors that their documentation lists, also in the worker", async () => {
    const [walk, dog, freed] = await Promise.all(
      ["ada-walk", "cleo-walk", "ada-walk"].map((name) => load(fixture(name))),
    );
    freed.free();
    const [file, signal] = [await walk.toGlb(), AbortSignal.abort()];
    const tooDeep = {
      asset: { version: "2.0" },
      nodes: Array.from({ length: 600 }, (_, i) => (i < 599 ? { children: [i + 1] } : {})),
      skins: [{ joints: [0] }],
    };
    const deepFile = new TextEncoder().encode(JSON.stringify(tooDeep));
    for (const read of [animations, workerAnimations])
      for (const [code, ...args] of [
        ["glb", file.subarray(0, 1000)],
        ["limit", deepFile],
        ["fetch", join(folder, "missing.glb")],
        ["option", 5],
        ["option", file, { images: true }],
        ["aborted", file, { signal }],
      ])
        await assert.rejects(read(...args), { code }, `animations: ${code}`);
    for (const animate of [animateGlb, animateInWorker])
      for (const [code, ...args] of [
        ["glb", file.subarray(0, 1000), walk],
        ["limit", deepFile, walk],
        ["fetch", join(folder, "missing.glb"), walk],
        ["rig", file, dog],
        ["rig", await dog.toGlb(), walk],
        ["rig", file, walk, { rig: { LeftFoot: "no such bone" } }],
        ["clip", file, freed],
        ["option", file, walk, { rig: { Tail: "Hips" } }],
        ["aborted", file, walk, { signal }],
      ])
        await assert.rejects(animate(...args), { code }, `animateGlb: ${code}`);
  });
});

describe("animateGlb in the worker", () => {
  it("accepts a clip of the main thread as the first call of a new worker", () => {
    const script = join(folder, "new-worker.mjs");
    const text = `
      import { load } from ${JSON.stringify(import.meta.resolve("kinestitch"))};
      import { animateGlb } from ${JSON.stringify(import.meta.resolve("kinestitch/worker"))};
      const walk = await load(${JSON.stringify(join(root, "tests", "fixtures", "ada-walk.bvh"))});
      console.log((await animateGlb(await walk.toGlb(), walk)).length);
      process.exit();`;
    writeFileSync(script, text);
    const { stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
    assert.ok(Number(stdout) > 1000, stderr);
  });
});

describe("on the command line", () => {
  const run = (...args) =>
    spawnSync(process.execPath, [join(root, "pkg", "bin", "kinestitch.js"), ...args], {
      cwd: folder,
      encoding: "utf8",
    });

  const walkPath = join(root, "tests", "fixtures", "ada-walk.bvh");
  before(async () => {
    const { model } = character("mixamo");
    const clips = await Promise.all(
      ["ada-walk", "ada-run"].map(async (name) => toAnimationClip(await load(fixture(name)), model, { name })),
    );
    writeFileSync(join(folder, "hero.glb"), await glbOf(model, clips));
  });

  it("converts in both directions, puts a motion on a character, lists animations", async () => {
    assert.equal(run("convert", walkPath, "-o", "walk.glb").status, 0);
    assert.equal(run("convert", "walk.glb", "-o", "walk.bvh").status, 0);
    assert.ok(
      largestDifference((await load(join(folder, "walk.bvh"))).positions(), (await load(walkPath)).positions()) < 2e-3,
    );
    assert.equal(run("convert", "hero.glb", "-o", "run.bvh", "--animation", "ada-run").status, 0);
    const runClip = await load(join(folder, "run.bvh"));
    assert.equal(runClip.frames, (await load(fixture("ada-run"))).frames);
    const options = ["--character", "hero.glb", "--root-motion", "inPlace"];
    const { status, stdout, stderr } = run("convert", walkPath, "-o", "hero-walk.glb", ...options);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /hero-walk.glb: \d+ frames/);
    assert.deepEqual(await animations(join(folder, "hero-walk.glb")), ["ada-walk", "ada-walk_2", "ada-run"]);
    const { stdout: listing } = run("info", "hero.glb");
    assert.match(listing, /unit m \(1 m\), Y up[^]*animations: ada-walk \(\d\.\d+ s\), ada-run \(\d\.\d+ s\)/);
    assert.match(run("info", "hero.glb", "--animation", "ada-run").stdout, new RegExp(`, ${runClip.frames} frames`));
    assert.deepEqual(JSON.parse(run("info", "hero.glb", "--json").stdout).animations, ["ada-walk", "ada-run"]);
  });

  it("rejects wrong arguments", () => {
    for (const [expectedStatus, message, ...args] of [
      [2, /a character is written as GLB/, walkPath, "-o", "x.bvh", "--character", "hero.glb"],
      [2, /--root-motion must be /, walkPath, "-o", "x.glb", "--root-motion", "fly"],
      [1, /ada-walk.bvh: the character is not a GLB/, walkPath, "-o", "x.glb", "--character", walkPath],
      [1, /cannot write hero.glb: it is an input/, walkPath, "-o", "hero.glb", "--character", "hero.glb"],
      [1, /no animation "fly"/, "hero.glb", "-o", "x.bvh", "--animation", "fly"],
    ]) {
      const { status, stderr } = run("convert", ...args);
      assert.match(stderr, message);
      assert.equal(status, expectedStatus, stderr);
    }
  });
});
