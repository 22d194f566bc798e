// Hostile glTF files: a typed error or a clip, within seconds. Mutants of valid files: mutated-files.test.mjs.
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { describe, it } from "node:test";
import { animateGlb, animations, load, packGlb } from "kinestitch";
import { load as loadInWorker } from "kinestitch/worker";
import { document, documents, glb, textOf } from "./hostile-documents.mjs";
import { runAll, runOtherReaders } from "./hostile-files.mjs";

/** Time limit against hangs. Each file takes well under a second on an idle machine. */
const CEILING_MS = 20_000;

describe("hostile files", () => {
  it("are read, or refused with the expected error, on this thread and in the worker", async (test) => {
    const { requests } = await runAll(({ name, reader, expected, result, ms, cpu }) => {
      test.diagnostic(`${name}, ${reader}: ${result}, ${ms.toFixed(0)} ms, ${cpu.toFixed(0)} ms of processor time`);
      assert.equal(result, expected, `${name}, ${reader}`);
      assert.ok(ms < CEILING_MS, `${name}, ${reader}: ${ms} ms`);
    });
    assert.equal(requests, 0, "a document caused a network request");
  });

  it("cause no untyped error in the other readers", async () => {
    await runOtherReaders(({ name, reader, result, ms }) => {
      assert.ok(!result.startsWith("untyped"), `${name}, ${reader}: ${result}`);
      assert.ok(ms < CEILING_MS, `${name}, ${reader}: ${ms} ms`);
    });
  });

  it("can be aborted while they are read, and the worker stays usable", async () => {
    const [, create] = documents["1e6 keys read 20,000 times"];
    const text = textOf(create());
    for (const delay of [0, 5, 50, 200]) {
      const stop = new AbortController();
      const loading = loadInWorker(text, { signal: stop.signal });
      loading.catch(() => {});
      await wait(delay);
      const start = performance.now();
      stop.abort();
      const error = await loading.catch((error) => error);
      // The refusal of the file may be faster than the abort.
      assert.ok(["aborted", "limit"].includes(error.code), String(error));
      assert.ok(performance.now() - start < 5000, `rejected after ${performance.now() - start} ms`);
    }
    assert.equal((await loadInWorker(textOf(document()))).frames, 25);
  });
});

describe("errors of invalid inputs", () => {
  const motion = {
    fps: 30,
    joints: [{ name: "root", parent: -1, offset: [0, 0, 0] }],
    rotations: new Float32Array([0, 0, 0, 1]),
    translations: new Float32Array(3),
  };

  it("are typed: transferred buffers, names that are not strings, freed clips", async () => {
    const bytes = new TextEncoder().encode(textOf(document()));
    const { buffer } = bytes;
    structuredClone(buffer, { transfer: [buffer] });
    for (const read of [load, loadInWorker, animations, packGlb]) {
      await assert.rejects(read(bytes), { code: "option", message: /transferred/ });
      await assert.rejects(read(buffer), { code: "option", message: /transferred/ });
    }
    const transferred = new Float32Array(motion.rotations);
    structuredClone(transferred.buffer, { transfer: [transferred.buffer] });
    for (const read of [load, loadInWorker]) {
      await assert.rejects(read({ ...motion, name: 5 }), {
        code: "option",
        option: "name",
        message: /name must be a text, not 5/,
      });
      await assert.rejects(read({ ...motion, rotations: transferred }), {
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

describe("packGlb", () => {
  const gltf = { asset: { version: "2.0" }, images: [{ uri: "wood.jpg?v=2" }, { uri: "https://example.com/a" }] };

  it("includes the external images of a GLB, so that the result refers to no other file", async () => {
    const files = { "wood.jpg?v=2": new Uint8Array([0xff, 0xd8, 0xff]), "https://example.com/a": new Uint8Array(5) };
    const packed = await packGlb(glb(gltf), { resolve: (address) => files[address] });
    const end = 20 + new DataView(packed.buffer).getUint32(12, true);
    const { images } = JSON.parse(new TextDecoder().decode(packed.subarray(20, end)));
    assert.deepEqual(images, [
      { mimeType: "image/jpeg", bufferView: 0 },
      { mimeType: "image/png", bufferView: 1 },
    ]);
    await assert.rejects(packGlb(glb(gltf)), { code: "glb", message: /"wood\.jpg\?v=2", which was not given/ });
  });

  it("writes no empty list", async () => {
    const packed = await packGlb(JSON.stringify({ asset: { version: "2.0" } }));
    assert.ok(!new TextDecoder().decode(packed).includes("[]"));
  });
});
