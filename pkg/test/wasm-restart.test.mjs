// A wasm module that has no memory left, or that trapped: a readable error, a restarted module, and clips that stay
// usable. These tests have their own file, because the module exists once per process.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  inbetween,
  KinestitchError,
  liveInbetween,
  load,
  loadNetworks,
  loop,
  lscore,
  networkInfo,
  stitch,
} from "kinestitch";
import initialise from "../wasm/kinestitch.js";
import { callWasmAsync } from "../dist/core/error.js";
import { RestartableModule } from "../dist/core/restart.js";
import { writeDelta } from "./generated-networks.mjs";
import { walk } from "./support.mjs";

const MAX_PAGES = 65_536;
const PAGE_BYTES = 65_536;

/** Leaves the module one megabyte. The rest is reserved but never touched, so it uses no physical memory. */
async function fillMemory() {
  const { memory } = await initialise();
  memory.grow(MAX_PAGES - memory.buffer.byteLength / PAGE_BYTES - 16);
}

describe("a full module", () => {
  it("is reported as a limit, and smaller work still succeeds", async () => {
    const [small, large] = [await load(walk({ frames: 30 })), await load(walk({ frames: 6000 }))];
    await fillMemory();
    const error = await stitch([large, large, large], { method: "inertialize" }).catch((error) => error);
    assert.ok(error instanceof KinestitchError, String(error?.stack ?? error));
    assert.deepEqual([error.code, /no memory.*4095 MB/.test(error.message)], ["limit", true], error.message);
    assert.equal((await stitch([small, small], { method: "inertialize" })).frames, 60);
    assert.equal(large.name, "clip");
    // The memory was released, and the large clips can now be joined.
    assert.ok((await initialise()).memory.buffer.byteLength < 2 ** 30);
    assert.equal((await stitch([large, large], { method: "inertialize" })).frames, 12_000);
  });
});

/** Returns two keys of a clip. */
const keysOf = (clip) => [
  { clip, frame: 5 },
  { clip, frame: 40 },
];

/** Overwrites the module's memory, so that its next call traps, as after a bug in the module. */
const corrupt = async () => new Uint8Array((await initialise()).memory.buffer).fill(0xff);

/** Makes the module restart because it has no memory for a computation: more than the memory that loading has freed. */
async function exhaust(large) {
  await fillMemory();
  const clips = Array(40).fill(large);
  await assert.rejects(stitch(clips, { method: "inertialize" }), { name: "KinestitchError", code: "limit" });
}

describe("a trapped module", () => {
  it("is restarted: clips stay usable, and files are read and joined", async () => {
    const clip = await load(walk({ frames: 30 }));
    const [text, { memory: oldMemory }] = [await clip.toBvh(), await initialise()];
    await corrupt();
    await assert.rejects(clip.toBvh(), { name: "KinestitchError", code: /^(limit|wasm)$/ });
    assert.notEqual((await initialise()).memory, oldMemory);
    assert.equal(await clip.toBvh(), text);
    const other = await load(walk({ frames: 40, speed: 1.6 }));
    assert.equal((await stitch([clip, other], { method: "inertialize" })).frames, 70);
  });

  it("is restarted after an asynchronous call", async () => {
    const module = new RestartableModule();
    let restartCount = 0;
    module.setReset(() => restartCount++);
    const trap = async () => {
      throw new WebAssembly.RuntimeError("unreachable");
    };
    await assert.rejects(callWasmAsync(trap, module), { name: "KinestitchError", code: "limit" });
    assert.equal(restartCount, 1);
  });

  it("loses its live sessions: their calls throw an error, and freeing them does nothing", async () => {
    const [clip, large] = [await load(walk({ frames: 60 })), await load(walk({ frames: 6000 }))];
    const keys = keysOf(clip);
    const lostSession = await liveInbetween(keys, { frames: 20 });
    await exhaust(large);
    for (const call of [
      () => lostSession.solve(),
      () => lostSession.report(),
      () => lostSession.clip(),
      () => lostSession.groundPoses(),
    ])
      assert.throws(call, { name: "KinestitchError", code: "wasm", message: /was lost when the wasm module stopped/ });
    const newSession = await liveInbetween(keys, { frames: 20 });
    newSession.solve();
    const { length } = await newSession.clip().toBvh();
    lostSession.free();
    newSession.solve();
    assert.equal((await newSession.clip().toBvh()).length, length);
    assert.equal((await inbetween(keys, { frames: 20 })).frames, newSession.clip().frames);
  });

  it("loses the scanner of the last two clips: the next call creates another", async () => {
    const [clip, large] = [await load(walk({ frames: 60 })), await load(walk({ frames: 6000 }))];
    const { score } = await lscore(clip, clip);
    await exhaust(large);
    assert.equal((await lscore(clip, clip)).score, score);
  });

  it("loses its networks: they are described as before, and the next call that needs them loads them", async () => {
    const [clip, large] = [await load(walk({ frames: 60 })), await load(walk({ frames: 6000 }))];
    const models = mkdtempSync(join(tmpdir(), "kinestitch-restart-"));
    try {
      writeDelta(models);
      const loaded = await loadNetworks({ for: "inbetween", models });
      await exhaust(large);
      assert.deepEqual(await networkInfo({ for: "inbetween" }), loaded);
      assert.equal((await inbetween(keysOf(clip), { frames: 20 })).gaps[0].method, "delta");
    } finally {
      rmSync(models, { recursive: true });
    }
  });

  it("is restarted after a loop without enough memory", async () => {
    const [clip, large] = [await load(walk({ frames: 90 })), await load(walk({ frames: 6000 }))];
    await loop(clip);
    // A new instance has no memory that loading has freed.
    await corrupt();
    await assert.rejects(clip.toBvh(), { name: "KinestitchError" });
    await fillMemory();
    await assert.rejects(loop(large), { name: "KinestitchError", code: "limit" });
    assert.ok((await initialise()).memory.buffer.byteLength < 2 ** 30);
    assert.ok((await loop(clip)).frames > 0);
  });
});
