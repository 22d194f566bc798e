// Errors of the package for options, files and callbacks: they have a code and, for a file, line and column.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { bestSeam, init, KinestitchError, load, stitch } from "kinestitch";
import { init as initWorker, load as loadInWorker } from "kinestitch/worker";
import { failure, root, serve, walk } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-api-errors-"));
after(() => rmSync(folder, { recursive: true }));

describe("errors", () => {
  it("have a code, a line and a column", async () => {
    const lines = walk({ frames: 3 }).split("\n");
    const motionLine = lines.indexOf("MOTION");
    lines[motionLine + 4] = lines[motionLine + 4].replace(/^0\.0+/, "zero");
    const error = await failure(load(lines.join("\n"), { strict: true }));
    assert.ok(error instanceof KinestitchError && error instanceof Error);
    assert.deepEqual([error.name, error.code, error.line, error.column], ["KinestitchError", "bvh", motionLine + 5, 1]);
    assert.match(error.message, /^line \d+, column 1: /);
  });

  it("name the damaged file", { timeout: 60_000 }, async () => {
    const path = join(folder, "broken.bvh");
    const content = walk({ frames: 3 }).replace("MOTION", "NOTION");
    writeFileSync(path, content);
    writeFileSync(join(folder, "page.bvh"), "<!DOCTYPE html><title>404</title>");
    const server = await serve({ "/": folder });
    try {
      for (const read of [load, loadInWorker]) {
        for (const [input, file] of [
          [path, path],
          [new URL(`${server.url}/broken.bvh?v=2`), `${server.url}/broken.bvh?v=2`],
          [new File([content], "run.bvh"), "run.bvh"],
        ]) {
          const error = await failure(read(input));
          assert.deepEqual([error.code, error.file, error.line > 100], ["bvh", file, true], String(error.stack));
          assert.ok(error.message.startsWith(`${file}: line `) && error.message.split(file).length === 2);
        }
        assert.equal((await failure(read(content))).file, undefined);
        const { message } = await failure(read(`${server.url}/page.bvh`));
        assert.equal(message, `${server.url}/page.bvh: this is a web page (HTML), not a motion file`);
      }
    } finally {
      await server.close();
    }
  });

  for (const [description, input, code] of [
    ["an empty text", "", "bvh"],
    ["half a file", walk({ frames: 3 }).slice(0, 400), "bvh"],
    ["bytes that are not text", Uint8Array.from({ length: 4096 }, (_, i) => (i * 193) % 256), "bvh"],
    ["a comma as decimal sign", walk({ frames: 3 }).replaceAll("OFFSET 9 0", "OFFSET 9,5 0"), "bvh"],
    [
      "10,000 nested joints",
      `HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n${"JOINT b\n{\nOFFSET 0 0 0\n".repeat(10_000)}`,
      "bvh",
    ],
    ["a missing file", join(folder, "nothing.bvh"), "fetch"],
    ["a folder", folder, "fetch"],
    ["a URL without a server", "http://127.0.0.1:9/x.bvh", "fetch"],
    ["a file URL of another host", "file://another-host.invalid/x.bvh", "fetch"],
    ["a number", 5, "option"],
  ]) {
    it(`load refuses ${description}`, async () => {
      const error = await failure(load(input));
      assert.ok(error instanceof KinestitchError, String(error.stack));
      assert.equal(error.code, code, error.message);
    });
  }

  it("stitch, load and clips refuse wrong options", async () => {
    const [a, b] = await Promise.all([load(walk()), load(walk())]);
    for (const [clips, options] of [
      [[a, b], { blend: -1 }],
      [[a, b], { blend: "long" }],
      [[a, b], { method: "magic" }],
      [[a, b], { fps: 0 }],
      [[a, b], { fps: Number.NaN }],
      [[a, b], { trim: [undefined, undefined, { from: 0, to: 20 }] }],
      [[a, b], { trim: [{ from: 30, to: 10 }] }],
      [[a, b], { trim: [{ from: 0, to: 1000 }] }],
      [[a, b], { trim: [{ from: 0.5, to: 20 }] }],
      [[], {}],
      [[a, {}], {}],
      [a, {}],
    ]) {
      const error = await failure(stitch(clips, options));
      assert.equal(error.code, "option", `${JSON.stringify(options)}: ${error.stack}`);
    }
    for (const [options, option] of [
      [{ blned: 3 }, "blned"],
      [{ method: 5 }, "method"],
      [{ name: 5 }, "name"],
      [{ trim: {} }, "trim"],
      [{ trim: [[0, 20]] }, "trim"],
      [{ trim: [{ start: 0, end: 20 }] }, "trim"],
      // biome-ignore lint/suspicious/noSparseArray: this test needs an array with a hole
      [{ trim: [, { from: 0, to: 20 }, { from: 1 }] }, "trim"],
      [{ footLock: "on" }, "footLock"],
      [{ seam: null }, "seam"],
      [{ maxCut: -2 }, "maxCut"],
      [{ maxCut: Infinity }, "maxCut"],
      [{ signal: 1 }, "signal"],
      [{ onProgress: "tell me" }, "onProgress"],
      [null, "options"],
      [[], "options"],
      [7, "options"],
    ]) {
      const error = await failure(stitch([a, b], options));
      assert.deepEqual([error.code, error.option], ["option", option], `${JSON.stringify(options)}: ${error.stack}`);
      assert.ok(error.message.includes(option), error.message);
    }
    const wrongSignal = await failure(stitch([a, b], { signal: new AbortController() }));
    assert.match(wrongSignal.message, /, not an AbortController$/);
    // A hole means that this clip has no setting.
    // biome-ignore lint/suspicious/noSparseArray: this test needs an array with a hole
    assert.equal((await stitch([a, b], { method: "inertialize", trim: [, { from: 0, to: 20 }] })).frames, 80);
    // biome-ignore lint/suspicious/noSparseArray: this test needs an array with a hole
    const hole = await failure(stitch([a, , b]));
    assert.deepEqual([hole.code, /clip 1/.test(hole.message)], ["option", true]);
    for (const call of [
      () => load(walk(), { name: 5 }),
      () => load(walk(), { rig: [] }),
      () => load(walk(), null),
      () => bestSeam(a, b, { cuont: 1 }),
    ]) {
      assert.equal((await failure(call())).code, "option");
    }
    assert.equal((await failure(() => a.withRig(null))).code, "option");
    assert.equal((await failure(() => a.resample("60"))).code, "option");
    const short = await failure(stitch([a, b], { trim: [{ from: 0, to: 5 }] }));
    assert.equal(short.code, "too-short");
  });

  it("init refuses wrong settings, which later calls would use", async () => {
    for (const [options, option] of [
      [{ wasm: 5 }, "wasm"],
      [{ networks: "models/" }, "options"],
      [{ networks: { set: 5 } }, "set"],
      [{ networks: { model: "models/" } }, "model"],
      [{ networks: { device: "gpu" } }, "device"],
    ]) {
      for (const call of [init, initWorker]) {
        const error = await failure(call(options));
        assert.deepEqual([error.code, error.option], ["option", option], `${JSON.stringify(options)}: ${error.stack}`);
      }
    }
    assert.equal((await failure(initWorker({ worker: 5 }))).option, "worker");
  });

  it("methods of clips refuse wrong options", async () => {
    const clip = await loadInWorker(walk());
    for (const options of [null, "soon", { signal: 1 }, { sginal: AbortSignal.abort() }])
      assert.equal((await failure(clip.toBvh(options))).code, "option");
  });

  it("thrown by a callback reach the caller unchanged", async () => {
    const [a, b] = await Promise.all([load(walk()), load(walk())]);
    const thrown = new RangeError("thrown");
    const error = await failure(
      stitch([a, b], {
        onProgress: () => {
          throw thrown;
        },
      }),
    );
    assert.equal(error, thrown);
  });

  it("have the codes that the guide lists", () => {
    const read = (...path) => readFileSync(join(root, ...path), "utf8");
    const types = read("pkg", "src", "core", "types.ts");
    const [, union] = /export type ErrorCode =([^;]*);/.exec(types);
    const codes = [...union.matchAll(/"(.*?)"/g)].map(([, code]) => code).sort();
    const [, table] = /^\| code .*\n\|.*\n((?:\|.*\n)+)/m.exec(read("docs", "guide", "workers.md"));
    const listed = table
      .trim()
      .split("\n")
      .flatMap((row) => [...row.split("|")[1].matchAll(/`(.*?)`/g)].map(([, code]) => code));
    assert.deepEqual(listed.sort(), codes);
    const [comment] = /\/\*\*(?:(?!\*\/)[^])*\*\/\s*export type ErrorCode/.exec(types);
    assert.deepEqual([...comment.matchAll(/^ \* - `(.*?)`:/gm)].map(([, code]) => code).sort(), codes);
  });
});
