// A wasm module whose memory is full: an error that says so, and nothing lost. A file of its own, since the module is one a process.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { KinestitchError, load, stitch } from "kinestitch";
import initialise from "../wasm/kinestitch.js";
import { walk } from "./support.mjs";

const LARGEST_PAGES = 65_536;
const PAGE_BYTES = 65_536;

describe("a full module", () => {
  it("is told as a limit, and what is small enough goes on", async () => {
    const [small, large] = [await load(walk({ frames: 30 })), await load(walk({ frames: 6000 }))];
    const { memory } = await initialise();
    // Reserved, never touched: it costs no memory of the machine.
    memory.grow(LARGEST_PAGES - memory.buffer.byteLength / PAGE_BYTES - 16);
    const error = await stitch([large, large, large], { method: "inertialize" }).catch((error) => error);
    assert.ok(error instanceof KinestitchError, String(error?.stack ?? error));
    assert.deepEqual([error.code, /no memory.*4095 MB/.test(error.message)], ["limit", true], error.message);
    assert.equal((await stitch([small, small], { method: "inertialize" })).frames, 60);
    assert.equal(large.name, "clip");
  });
});
