// glTF files of a stranger who means harm, and mutations of sound ones: a typed error or a clip, soon.
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { describe, it } from "node:test";
import { animateGlb, animations, load, packGlb } from "kinestitch";
import { load as loadInWorker } from "kinestitch/worker";
import { document, documents, everything, glb, others, textOf } from "./hostile-files.mjs";

/** Not a timing: no test of these may hang. Each takes well under a second on an idle machine. */
const CEILING_MS = 20_000;

describe("hostile files", () => {
  it("are refused or harmless, on this thread and in the worker", async (test) => {
    const { requests } = await everything(({ name, where, wanted, result, ms, cpu }) => {
      test.diagnostic(`${name}, ${where}: ${result}, ${ms.toFixed(0)} ms, ${cpu.toFixed(0)} ms of processor time`);
      assert.equal(result, wanted, `${name}, ${where}`);
      assert.ok(ms < CEILING_MS, `${name}, ${where}: ${ms} ms`);
    });
    assert.equal(requests, 0, "a document made us ask the network");
  });

  it("do no harm to the other readers", async () => {
    await others(({ name, where, result, ms }) => {
      assert.ok(!result.startsWith("untyped"), `${name}, ${where}: ${result}`);
      assert.ok(ms < CEILING_MS, `${name}, ${where}: ${ms} ms`);
    });
  });

  it("are let go of when nobody waits any more, and the worker goes on", async () => {
    const [, make] = documents["1e6 keys read 20,000 times"];
    const text = textOf(make());
    for (const after of [0, 5, 50, 200]) {
      const stop = new AbortController();
      const loading = loadInWorker(text, { signal: stop.signal });
      loading.catch(() => {});
      await wait(after);
      const start = performance.now();
      stop.abort();
      const error = await loading.catch((error) => error);
      assert.ok(["aborted", "limit"].includes(error.code), String(error));
      assert.ok(performance.now() - start < 5000, `heard after ${performance.now() - start} ms`);
    }
    assert.equal((await loadInWorker(textOf(document()))).frames, 25);
  });
});

describe("errors of inputs that are none", () => {
  const motion = {
    fps: 30,
    joints: [{ name: "root", parent: -1, offset: [0, 0, 0] }],
    rotations: new Float32Array([0, 0, 0, 1]),
    translations: new Float32Array(3),
  };

  it("are typed: buffers that were transferred away, names that are no texts, clips that were freed", async () => {
    const bytes = new TextEncoder().encode(textOf(document()));
    const { buffer } = bytes;
    structuredClone(buffer, { transfer: [buffer] });
    for (const read of [load, loadInWorker, animations, packGlb]) {
      await assert.rejects(read(bytes), { code: "option", message: /transferred/ });
      await assert.rejects(read(buffer), { code: "option", message: /transferred/ });
    }
    const gone = new Float32Array(motion.rotations);
    structuredClone(gone.buffer, { transfer: [gone.buffer] });
    for (const read of [load, loadInWorker]) {
      await assert.rejects(read({ ...motion, name: 5 }), {
        code: "option",
        option: "name",
        message: /name must be a text, not 5/,
      });
      await assert.rejects(read({ ...motion, rotations: gone }), {
        name: "KinestitchError",
        code: /option|clip|skeleton/,
      });
      const clip = await read(textOf(document()));
      clip.free();
      await assert.rejects(async () => clip.info(), { code: "clip", message: /was freed/ });
      await assert.rejects(async () => clip.retarget(clip), { code: "clip" });
      await assert.rejects(animateGlb(glb(document()), clip), { code: "clip" });
    }
  });
});

/** Numbers that look random and are the same in every run (mulberry32). */
function numbers(seed) {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const WRONG = [
  null,
  5,
  -1,
  0.5,
  1e9,
  4294967296,
  1e308,
  "",
  "text",
  "__proto__",
  "data:,%zz",
  "../x",
  true,
  [],
  {},
  [null],
  [[]],
  [0],
  { a: 1 },
];

/** A document with one to three properties changed, removed, doubled or swapped. */
function mutated(json, random) {
  const copy = structuredClone(json);
  for (let change = random(3); change >= 0; change--) {
    const places = [];
    (function visit(value) {
      for (const key of Object.keys(value)) {
        places.push([value, key]);
        if (typeof value[key] === "object" && value[key] !== null) visit(value[key]);
      }
    })(copy);
    if (places.length === 0) continue;
    const [holder, key] = places[random(places.length)];
    const [other, otherKey] = places[random(places.length)];
    const way = random(5);
    if (way === 0) delete holder[key];
    else if (way === 1) holder[key] = structuredClone(other[otherKey]);
    else if (way === 2 && typeof holder[key] === "number") holder[key] += random(7) - 3;
    else if (way === 3 && Array.isArray(holder)) holder.push(structuredClone(holder[key]));
    else holder[key] = WRONG[random(WRONG.length)];
  }
  return copy;
}

/** A document as VRM has it: a skinned mesh, a humanoid by its bones' names, a look-at, springs. */
const vrm = () =>
  document((json) => {
    json.extensionsUsed = ["VRMC_vrm", "VRMC_springBone"];
    json.meshes = [{ primitives: [{ attributes: { POSITION: 2 }, indices: 3 }] }];
    json.bufferViews.push({ buffer: 0, byteLength: 36 }, { buffer: 0, byteLength: 6 });
    json.accessors.push(
      { bufferView: 2, componentType: 5126, count: 3, type: "VEC3", min: [0, 0, 0], max: [1, 1, 1] },
      { bufferView: 3, componentType: 5123, count: 3, type: "SCALAR" },
    );
    json.nodes.push({ name: "body", mesh: 0, skin: 0 });
    json.scenes = [{ nodes: [1, 2] }];
    json.images = [{ uri: "data:image/png;base64,AAAA" }];
    json.extensions = {
      VRMC_vrm: {
        specVersion: "1.0",
        humanoid: { humanBones: { hips: { node: 1 }, leftHand: { node: 0 } } },
        lookAt: { offsetFromHeadBone: [0, 0, 0] },
      },
      VRMC_springBone: { specVersion: "1.0", springs: [{ joints: [{ node: 0 }, { node: 1 }] }] },
    };
  });

describe("mutations", () => {
  const RUNS = Number(process.env.KINESTITCH_MUTANTS ?? 1500);
  let clip;
  const harmless = async (what, work) => {
    try {
      await work();
      return "ok";
    } catch (error) {
      assert.equal(error.name, "KinestitchError", `${what}: ${error.stack}`);
      assert.notEqual(error.code, "wasm", `${what}: ${error.stack}`);
      return error.code;
    }
  };
  const tally = (test, counts) => test.diagnostic([...counts].map(([code, count]) => `${code} ${count}`).join(", "));

  for (const [name, make] of [
    ["documents", document],
    ["VRM documents", vrm],
  ]) {
    it(`of ${name} are read or refused`, async (test) => {
      clip ??= await load(motionless);
      const [random, counts] = [numbers(7), new Map()];
      for (let run = 0; run < RUNS; run++) {
        const text = textOf(mutated(make(), random));
        const read = [load, animations, packGlb, (input) => animateGlb(input, clip)][run % 4];
        const result = await harmless(`${run}: ${text}`, () => read(text));
        counts.set(result, (counts.get(result) ?? 0) + 1);
      }
      tally(test, counts);
      // Neither everything is refused nor everything taken.
      assert.ok((counts.get("ok") ?? 0) > 0 && (counts.get("glb") ?? 0) > 0);
    });
  }

  it("of GLB containers are read or refused", async (test) => {
    const values = Buffer.from(new Float32Array([0, 1, 0, 0, 0, 1, 0, 0, 1, 0]).buffer);
    const whole = glb(
      document((json) => void delete json.buffers[0].uri),
      [0x004e4942, values],
    );
    const [random, counts] = [numbers(11), new Map()];
    for (let run = 0; run < RUNS; run++) {
      let file = whole.slice();
      for (let change = random(4); change >= 0; change--) file[random(run % 2 ? file.length : 24)] = random(256);
      if (random(4) === 0) file = file.subarray(0, random(file.length));
      const result = await harmless(`${run}`, () => [load, animations, packGlb][run % 3](file));
      counts.set(result, (counts.get(result) ?? 0) + 1);
    }
    tally(test, counts);
    assert.ok((counts.get("ok") ?? 0) > 0 && (counts.get("glb") ?? 0) > 0);
  });
});

const motionless = {
  fps: 30,
  joints: [{ name: "root", parent: -1, offset: [0, 0, 0] }],
  rotations: new Float32Array([0, 0, 0, 1]),
  translations: new Float32Array(3),
};
