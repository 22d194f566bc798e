// `clean`: on the thread, in the worker and on the command line.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { clean, load } from "kinestitch";
import * as worker from "kinestitch/worker";
import { packageFolder, root } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-clean-"));
after(() => rmSync(folder, { recursive: true }));
const text = readFileSync(join(root, "tests", "fixtures", "ada-walk.bvh"), "utf8");

/** Returns the walk with a spike: the root is 40 cm aside in frames 60 and 61. */
function withSpike() {
  const lines = text.split(/\r?\n/);
  const first = lines.findIndex((line) => line.startsWith("Frame Time")) + 1;
  for (const frame of [60, 61]) {
    const [x, ...rest] = lines[first + frame].trim().split(/\s+/);
    lines[first + frame] = [Number(x) + 40, ...rest].join(" ");
  }
  return lines.join("\n");
}

const alone = { jitter: 0, floor: 0, way: 0, feet: 0 };

describe("clean", () => {
  it("fills a spike, reports it, and keeps all other frames bit for bit", async () => {
    const damaged = await load(withSpike());
    const cleaned = await clean(damaged, alone);
    assert.equal(cleaned.edits.length, 1);
    const [edit] = cleaned.edits;
    assert.deepEqual([edit.kind, edit.range, edit.unit], ["spike", { from: 60, to: 62 }, "cm"]);
    assert.match(edit.text, /spike of 40 cm filled/);
    const [before, after] = [await damaged.positions(), await cleaned.positions()];
    const width = before.length / damaged.frames;
    const isSame = (frame) =>
      before.subarray(frame * width, (frame + 1) * width).every((v, i) => v === after[frame * width + i]);
    const changed = Array.from({ length: damaged.frames }, (_, frame) => frame).filter((frame) => !isSame(frame));
    assert.deepEqual(changed, [60, 61]);
    const original = await (await load(text)).positions();
    assert.ok(after.every((value, i) => Math.abs(value - original[i]) < 0.02));
  });

  it("gives the same result in the worker", async () => {
    const damaged = withSpike();
    const here = await clean(await load(damaged));
    const there = await worker.clean(await worker.load(damaged));
    assert.deepEqual(there.edits, here.edits);
    assert.deepEqual(await there.positions(), await here.positions());
  });

  it("changes only the frames and joints that are selected", async () => {
    const damaged = await load(withSpike());
    assert.equal((await clean(damaged, { ...alone, from: 0, to: 50 })).edits.length, 0);
    assert.equal((await clean(damaged, { ...alone, mask: { from: "LeftUpLeg" } })).edits.length, 0);
  });

  it("refuses strengths out of range and joints that do not exist", async () => {
    const clip = await load(text);
    await assert.rejects(clean(clip, { jitter: 4 }), { code: "option", option: "jitter" });
    await assert.rejects(clean(clip, { mask: ["Tail"] }), { code: "option", option: "mask", message: /"Tail"/ });
    await assert.rejects(clean(clip, { from: 20, to: 10 }), { code: "option", option: "frames" });
    await assert.rejects(clean(clip, { smooth: 1 }), { code: "option" });
  });

  it("reports progress and stops when it is cancelled", async () => {
    const clip = await load(text);
    const stages = new Set();
    await clean(clip, { onProgress: ({ stage }) => stages.add(stage) });
    assert.ok(stages.has("scan"), [...stages].join());
    const cancel = new AbortController();
    await assert.rejects(clean(clip, { signal: cancel.signal, onProgress: () => cancel.abort() }), { code: "aborted" });
  });

  it("is a command", () => {
    writeFileSync(join(folder, "spike.bvh"), withSpike());
    const bin = join(packageFolder, "bin", "kinestitch.js");
    const run = (...args) => spawnSync(process.execPath, [bin, ...args], { cwd: folder, encoding: "utf8" });
    const flags = ["--jitter", "0", "--floor", "0", "--way", "0", "--feet", "0"];
    const { status, stdout, stderr } = run("clean", "spike.bvh", "-o", "sound.bvh", ...flags);
    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(stdout, /frames 60 to 61: spike of 40 cm filled/);
    const { edits } = JSON.parse(run("clean", "spike.bvh", "-o", "sound.bvh", "--json", ...flags).stdout);
    assert.equal(edits[0].kind, "spike");
    const wrong = run("clean", "spike.bvh", "-o", "sound.bvh", "--jitter", "9");
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /--jitter must be a number from 0 to 3/);
  });
});
