// clip.naturalness in the package and its worker, and `kinestitch judge` on the command line, with the shipped judge.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { init, load, loadNetworks, networkInfo, networkModels, stitch } from "kinestitch";
import * as worker from "kinestitch/worker";
import { packageFolder, root } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-judge-"));
after(() => rmSync(folder, { recursive: true }));
const fixture = (name) => join(root, "tests", "fixtures", `${name}.bvh`);
/** Returns the highest score of a range of frames, which is the least natural one. */
const worst = (scores, from = 0, to = scores.length) =>
  scores.subarray(Math.max(from, 0), to).reduce((max, score) => Math.max(max, score), 0);

function run(...args) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(packageFolder, "bin", "kinestitch.js"), ...args],
    { cwd: folder, encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

describe("clip.naturalness", () => {
  it("scores every frame, and a jump worse than the frames before it", async () => {
    const [walk, run] = await Promise.all([load(fixture("ada-walk")), load(fixture("bo-run"))]);
    const scores = await walk.naturalness();
    assert.ok(scores instanceof Float32Array && scores.length === walk.frames);
    assert.ok(scores.every((score) => score >= 0 && Number.isFinite(score)));
    const jumping = await stitch([walk, run], { method: "inertialize", blend: 0, footLock: false });
    const found = await jumping.naturalness();
    const { frame } = jumping.seams[0];
    const reach = Math.round(0.2 * jumping.fps);
    assert.ok(
      worst(found, frame - reach, frame + reach) > 1.5 * worst(found, 0, frame - 2 * reach),
      "the seam is no worse than the walk before it",
    );
  });

  it("gives the same scores in the worker", async () => {
    const [mainClip, workerClip] = await Promise.all([load(fixture("ada-walk")), worker.load(fixture("ada-walk"))]);
    assert.deepEqual(await workerClip.naturalness(), await mainClip.naturalness());
    assert.deepEqual(await workerClip.naturalness({ set: "open" }), await mainClip.naturalness({ set: "open" }));
  });

  it("rejects animals, unknown sets and options, a GPU, and a freed clip; it can be cancelled", async () => {
    const [walk, dog] = await Promise.all([load(fixture("ada-walk")), load(fixture("cleo-walk"))]);
    await assert.rejects(dog.naturalness(), { code: "rig" });
    await assert.rejects(walk.naturalness({ set: "none" }), { code: "option" });
    await assert.rejects(walk.naturalness({ sets: "open" }), { code: "option" });
    await assert.rejects(walk.naturalness({ signal: AbortSignal.abort() }), { code: "aborted" });
    assert.equal((await loadNetworks({ for: "judge" })).device.used, "cpu");
    await assert.rejects(loadNetworks({ for: "judge", device: "webgpu" }), { code: "device" });
    walk.free();
    await assert.rejects(walk.naturalness(), { code: "clip" });
  });

  it("is described by networkInfo once loadNetworks has loaded the judge, until settings choose another", async () => {
    for (const entry of [{ init, loadNetworks, networkInfo }, worker]) {
      const loaded = await entry.loadNetworks({ for: "judge", device: "cpu" });
      assert.equal(loaded.name, "judge");
      assert.deepEqual(await entry.networkInfo({ for: "judge" }), loaded);
      assert.deepEqual(await entry.networkInfo({ for: "judge", name: "judge" }), loaded);
      assert.equal(await entry.networkInfo({ for: "judge", name: "rmr" }), undefined);
      // The device of other networks does not concern the judge; their folder does.
      await entry.init({ networks: { device: "cpu" } });
      assert.deepEqual(await entry.networkInfo({ for: "judge" }), loaded);
      await entry.init({ networks: { models: folder } });
      assert.equal(await entry.networkInfo({ for: "judge" }), undefined);
      await entry.init({ networks: { models: join(packageFolder, "models") } });
      assert.equal((await entry.loadNetworks({ for: "judge" })).name, "judge");
    }
  });

  it("uses a judge trained on open recordings, of at most 500 KB", async () => {
    const judges = await networkModels({ for: "judge" });
    assert.deepEqual(
      judges.map(({ name, set }) => [name, set]),
      [["judge", "open"]],
    );
    assert.ok(judges[0].files.reduce((sum, { bytes }) => sum + bytes, 0) <= 500_000);
  });
});

describe("kinestitch judge", () => {
  it("prints text and JSON", async () => {
    const clips = await Promise.all([load(fixture("ada-walk")), load(fixture("bo-run"))]);
    const jumping = await stitch(clips, { method: "inertialize", blend: 0, footLock: false });
    const file = join(folder, "jump.bvh");
    writeFileSync(file, await jumping.toBvh());
    const { status, stdout, stderr } = run("judge", file);
    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(stdout, /^jump: \d+ of \d+ frames \(.+ %\) are unlike recorded motion\n {2}frames \d+ to \d+ /);
    const report = JSON.parse(run("judge", file, "--json").stdout);
    assert.equal(report.scores.length, report.frames);
    assert.ok(report.flagged.length > 0);
    const flagged = report.flagged.flatMap(({ from, to }) =>
      Array.from({ length: to - from }, (_, index) => from + index),
    );
    assert.deepEqual(
      flagged,
      report.scores.flatMap((score, frame) => (score > 1 ? [frame] : [])),
    );
  });

  it("names the visible faults of each seam if the clips are given", async () => {
    const clips = await Promise.all([load(fixture("ada-walk")), load(fixture("bo-run"))]);
    const jumping = await stitch(clips, { method: "inertialize", blend: 0, footLock: false });
    assert.ok(jumping.seams[0].faults.some(({ kind }) => kind === "pop"));
    const file = join(folder, "cut.bvh");
    writeFileSync(file, await jumping.toBvh());
    const files = [file, fixture("ada-walk"), fixture("bo-run")];
    const { seams } = JSON.parse(run("judge", ...files, "--json").stdout);
    assert.deepEqual(
      seams.map((seam) => seam.clips),
      [files.slice(1)],
    );
    assert.deepEqual(
      seams[0].faults.map(({ kind }) => kind),
      jumping.seams[0].faults.map(({ kind }) => kind),
    );
    const { text, remedy } = seams[0].faults[0];
    assert.ok(run("judge", ...files).stdout.includes(`\n  ${text}. ${remedy}`));
    assert.equal(run("judge", file, file).status, 2);
    assert.match(run("judge", file, fixture("ada-walk"), fixture("bo-idle")).stderr, /not a part of/);
  });

  it("refuses weights of another network, an unknown set, and a call without a file", () => {
    const models = mkdtempSync(join(folder, "models-"));
    const { version, networks } = JSON.parse(readFileSync(join(root, "models", "manifest.json"), "utf8"));
    const [network] = networks.filter(({ name }) => name === "judge");
    const rmr = networks.find(({ name, set }) => name === "rmr" && set === "open").files[0];
    copyFileSync(join(root, "models", rmr.name), join(models, rmr.name));
    writeFileSync(join(models, "manifest.json"), JSON.stringify({ version, networks: [{ ...network, files: [rmr] }] }));
    const wrong = run("judge", fixture("ada-walk"), "--models", models);
    assert.equal(wrong.status, 1);
    assert.match(wrong.stderr, /this is the network "rmr", where "judge" is needed/);
    assert.equal(run("judge", fixture("ada-walk"), "--set", "none").status, 1);
    assert.equal(run("judge").status, 2);
    assert.match(run("help", "judge").stdout, /kinestitch judge FILE/);
  });
});
