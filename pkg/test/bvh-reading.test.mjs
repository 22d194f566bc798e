// How BVH files are read: guesses with reasons, options that correct them, several bodies, damage, rates.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { load } from "kinestitch";
import { packageFolder, root } from "./support.mjs";

const caseOf = (name) => join(root, "tests", "fixtures", "cases", `${name}.bvh`);
const run = (...args) =>
  spawnSync(process.execPath, [join(packageFolder, "bin", "kinestitch.js"), ...args], { encoding: "utf8" });

/** Returns the height of the lowest joint of a clip, metres. */
const lowest = (clip) =>
  clip.positions().reduce((low, value, i) => (i % 3 === 1 ? Math.min(low, value) : low), Infinity);

describe("load of a BVH file", () => {
  it("reports unit, axis and position mode with their reasons", async () => {
    const { guesses, unit, upAxis } = (await load(caseOf("mmd-names-zup"))).info();
    assert.deepEqual([unit, upAxis], ["cm", "Z"]);
    assert.match(guesses.unit, /^cm: .* units from tip to tip make a body of 2\.\d+ m$/);
    assert.match(guesses.up, /^Z: the legs of the rest pose point along −z$/);
    assert.match(guesses.rootOffset, /^replace: /);
  });

  it("takes corrections", async () => {
    const corrected = await load(caseOf("mmd-names-zup"), { unit: "inch", up: "Y", rootOffset: "add" });
    const { guesses, unit, upAxis } = corrected.info();
    assert.deepEqual([unit, upAxis], ["inch", "Y"]);
    assert.deepEqual(guesses, {
      unit: "inch: given by the caller",
      up: "Y: given by the caller",
      rootOffset: "add: given by the caller",
    });
    assert.equal((await load(caseOf("hold-2s"), { unit: 0.5 })).info().metresPerUnit, 0.5);
    for (const options of [{ unit: "cubit" }, { unit: -1 }, { up: "X" }, { rootOffset: "both" }, { root: "Nobody" }])
      await assert.rejects(load(caseOf("hold-2s"), options), { code: "option" }, JSON.stringify(options));
    const glb = await (await load(caseOf("hold-2s"))).toGlb();
    await assert.rejects(load(glb, { unit: "m" }), { code: "option", message: /unit is for BVH files/ });
  });

  it("adds root channels that are relative to the offset", async () => {
    assert.ok(Math.abs(lowest(await load(caseOf("root-relative"))) - 0.02) < 0.01);
  });

  it("offers both people of a file", async () => {
    const info = (await load(caseOf("two-people"))).info();
    assert.deepEqual(info.bodies, ["P1_Hips", "P2_Hips"]);
    assert.match(info.leftOut.join(), /a second body, "P2_Hips", 22 joints/);
    const second = await load(caseOf("two-people"), { root: "P2_Hips" });
    assert.deepEqual([second.info().joints[0].name, second.info().joints.length], ["P2_Hips", 22]);
  });

  it("reads damaged files with a warning, and refuses them if it is strict", async () => {
    for (const name of ["cut-last-row", "one-nan", "wrapped-rows", "frames-decimal", "comment-lines"]) {
      const clip = await load(caseOf(name));
      assert.match(clip.info().warnings.join("\n"), /^line \d+: /m, name);
      await assert.rejects(load(caseOf(name), { strict: true }), { code: "bvh" }, name);
    }
  });

  it("keeps what it has read in copies of the clip", async () => {
    const clip = await (await load(caseOf("two-people"))).slice(0, 1);
    assert.equal(clip.info().leftOut.length, 1);
  });
});

describe("frame rates", () => {
  for (const [name, frames, fps] of [
    ["bvh-59.94fps", 240, 59.94],
    ["bvh-23.976fps", 240, 23.976],
    ["ft-0.0167", 300, 59.88],
    ["hold-2s", 60, 30],
  ])
    it(`${name}: the rate and all frames survive GLB and BVH`, async () => {
      const clip = await load(caseOf(name));
      for (const copy of [clip, await load(await clip.toGlb()), await load(await clip.toBvh())]) {
        assert.equal(copy.frames, frames);
        assert.ok(Math.abs(copy.fps - fps) < 2e-3, `${copy.fps}`);
      }
    });

  it("jerk does not depend on the rate of the clip", async () => {
    const clip = await load(join(root, "tests", "fixtures", "ada-walk.bvh"));
    const peak = (values) => values.slice(5, -5).reduce((a, b) => Math.max(a, b), 0);
    const rates = [clip, await clip.resample(120)];
    const [slow, fast] = (await Promise.all(rates.map((each) => each.curves()))).map(({ jerk }) => peak(jerk));
    assert.ok(Math.abs(fast / slow - 1) < 0.05, `${fast} and ${slow}`);
  });
});

describe("the command line", () => {
  it("prints guesses, bodies and what was left out", () => {
    const { stdout, status } = run("info", caseOf("two-people"));
    assert.equal(status, 0);
    assert.match(stdout, /\n {2}unit cm: .*\n {2}up Y: .*\n {2}root offset replace: /);
    assert.match(stdout, /\nbodies: P1_Hips, P2_Hips/);
    assert.match(stdout, /\nleft out: a second body/);
    const json = JSON.parse(run("info", caseOf("two-people"), "--root", "P2_Hips", "--json").stdout);
    assert.deepEqual([json.joints, json.bodies], [22, ["P1_Hips", "P2_Hips"]]);
  });

  it("corrects the reading by flags", () => {
    const flags = ["--unit", "m", "--up", "Z", "--root-offset", "add"];
    const { guesses, unit } = JSON.parse(run("info", caseOf("hold-2s"), ...flags, "--json").stdout);
    assert.equal(unit, "m");
    assert.match(guesses.up, /^Z: given/);
    const { stdout, status } = run("convert", caseOf("hold-2s"), ...flags, "-o", "-");
    assert.equal(status, 0);
    assert.match(stdout, /^HIERARCHY/);
    assert.equal(run("info", caseOf("one-nan"), "--strict").status, 1);
    assert.equal(run("info", caseOf("one-nan"), "--unit", "cubit").status, 2);
  });

  it("a plain convert keeps curves continuous", () => {
    const { stdout } = run("convert", caseOf("spin-720"), "-o", "-");
    const rows = stdout.trimEnd().split("\n").slice(-129);
    assert.equal(Math.round(Number(rows.at(-1).split(" ")[4])), 768);
  });
});
