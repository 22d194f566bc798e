// Method "auto" of inbetween: all fillers, compared by the judge.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { inbetween, liveInbetween, load, loadNetworks, networkModels } from "kinestitch";
import { inbetweenMethods, networkMethods } from "kinestitch/ui";
import * as worker from "kinestitch/worker";
import { failure, framesOf, noWeights, packageFolder, root, walk } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-auto-"));
after(() => rmSync(folder, { recursive: true }));
const methodsWithoutNetwork = inbetweenMethods.filter((name) => !networkMethods.includes(name));
const fixture = (name) => join(root, "tests", "fixtures", `${name}.bvh`);
const isSorted = (numbers) => numbers.every((number, i) => i === 0 || numbers[i - 1] <= number);

describe('inbetween, method "auto"', () => {
  it("tries every method without a network, and reports the trials", async () => {
    const clip = await load(walk());
    const keys = [
      { clip, from: 0, to: 10 },
      { clip, from: 25, to: 35 },
      { clip, frame: 59 },
    ];
    const result = await inbetween(keys, { frames: [15, 24], method: "auto" });
    for (const { method, trials } of result.gaps) {
      assert.deepEqual(trials.map(({ method }) => method).sort(), methodsWithoutNetwork.toSorted());
      assert.ok(isSorted(trials.map(({ score }) => score)));
      assert.ok(
        trials.every(({ milliseconds, peakJerk, footSkate }) => milliseconds > 0 && peakJerk > 0 && footSkate >= 0),
      );
      assert.equal(method, trials[0].method);
    }
    assert.deepEqual(framesOf(result.rotations(), result, 0, 10), framesOf(clip.rotations(), clip, 0, 10));
    assert.deepEqual((await inbetween(keys, { frames: [15, 24], method: "auto" })).rotations(), result.rotations());
    const single = await inbetween(keys, { frames: [15, 24], method: result.gaps[0].method });
    const { from, to } = result.gaps[0].range;
    assert.deepEqual(framesOf(result.rotations(), result, from, to), framesOf(single.rotations(), single, from, to));
    assert.equal(single.gaps[0].trials, undefined);
  });

  it("ranks motions of every method if candidates are requested", async () => {
    const clip = await load(walk());
    const keys = [
      { clip, frame: 10 },
      { clip, frame: 50 },
    ];
    const result = await inbetween(keys, { method: "auto", candidates: 5 });
    assert.deepEqual(result.map(({ gaps: [{ method }] }) => method).sort(), methodsWithoutNetwork.toSorted());
    assert.ok(isSorted(result.map(({ score }) => score)));
    assert.equal((await inbetween(keys, { method: "auto", candidates: 1 })).length, 1);
    const { message } = await failure(() => inbetween([...keys, keys[0]], { method: "auto", candidates: 2 }));
    assert.match(message, /exactly two keys, not 3/);
    const tooMany = await failure(() => inbetween(keys, { method: "auto", candidates: 65 }));
    assert.match(tooMany.message, /from 1 to 64, not 65/);
    const stop = new Error("stop at the end");
    const onProgress = ({ stage, done }) => {
      if (stage === "blend" && done === 1) throw stop;
    };
    assert.equal(await failure(() => inbetween(keys, { method: "auto", candidates: 1, onProgress })), stop);
  });

  it("stops at an abort between two trials, and rejects wrong options", async () => {
    const clip = await load(walk());
    const keys = [
      { clip, frame: 10 },
      { clip, frame: 50 },
    ];
    const controller = new AbortController();
    const options = { method: "auto", signal: controller.signal, onProgress: () => controller.abort() };
    assert.equal((await failure(() => inbetween(keys, options))).code, "aborted");
    for (const [call, message] of [
      [() => inbetween(keys, { method: "auto", device: "webgpu" }), /compares on the CPU/],
      [() => inbetween(keys, { method: "auto", candidates: 2, device: "webgpu" }), /compares on the CPU/],
      [() => liveInbetween(keys, { method: "auto" }), /one motion at a time/],
      [() => inbetween(keys, { method: { name: "auto" } }), /one of auto, linear/],
      [() => inbetween(keys, { method: "auto", speed: "slow" }), /methods with a path/],
      [() => inbetween(keys, { method: "auto", seed: 1 }), /seed selects among paths/],
    ]) {
      const error = await failure(call);
      assert.deepEqual([error.code, message.test(error.message)], ["option", true], error.message);
    }
  });

  it("tries only networks that were loaded by name, and does not change the default", { skip: noWeights }, async () => {
    const [a, b] = await Promise.all(["ada-walk", "bo-jog"].map((name) => load(fixture(name))));
    const keys = [
      { clip: a, from: 10, to: 30 },
      { clip: b, from: 20, to: 40 },
    ];
    const names = [...new Set((await networkModels({ for: "inbetween" })).map(({ name }) => name))];
    const [first, ...others] = names;
    // Networks loaded by a call are not candidates for auto.
    await inbetween(keys, { method: first });
    assert.equal((await inbetween(keys, { method: "auto" })).gaps[0].trials.length, methodsWithoutNetwork.length);
    assert.equal((await inbetween(keys)).gaps[0].method, "inertialize");
    for (const name of [first, ...others]) await loadNetworks({ for: "inbetween", name });
    const result = await inbetween(keys, { method: "auto" });
    const { trials } = result.gaps[0];
    assert.ok(trials.length > methodsWithoutNetwork.length, JSON.stringify(trials));
    assert.ok(isSorted(trials.map(({ score }) => score)));
    assert.deepEqual((await inbetween(keys, { method: "auto" })).rotations(), result.rotations());
    const candidates = await inbetween(keys, { method: "auto", candidates: 12 });
    assert.ok(new Set(candidates.map(({ gaps: [{ method }] }) => method)).size > 2);
    assert.ok(isSorted(candidates.map(({ score }) => score)) && candidates.length === 12);
    for (const candidate of candidates) {
      assert.deepEqual(framesOf(candidate.rotations(), candidate, 0, 20), framesOf(a.rotations(), a, 10, 30));
    }
  });

  it("uses networks only in gaps of allowed lengths, unless they are named", { skip: noWeights }, async () => {
    const clip = await load(fixture("ada-walk"));
    const keys = [
      { clip, from: 10, to: 20 },
      { clip, from: 40, to: 50 },
    ];
    const names = new Set((await networkModels({ for: "inbetween" })).map(({ name }) => name));
    for (const name of names) await loadNetworks({ for: "inbetween", name });
    await loadNetworks({ for: "inbetween" });
    const methodOf = async (options) => (await inbetween(keys, { fps: 30, ...options })).gaps[0].method;
    assert.deepEqual([await methodOf({ frames: 240 }), await methodOf({ frames: 241 })], ["delta", "inertialize"]);
    const { code, message } = await failure(() => methodOf({ frames: 241, method: "delta" }));
    assert.deepEqual([code, /1 to 240 frames/.test(message)], ["option", true], message);
    const { trials } = (await inbetween(keys, { frames: 480, fps: 30, method: "auto" })).gaps[0];
    const tried = trials.map(({ method }) => method);
    assert.ok(tried.includes("inertialize") && !tried.includes("delta") && !tried.includes("manifold"), tried.join());
  });

  it("tries networks only for bipeds", async () => {
    const clip = await (await load(walk())).withRig({ LeftUpLeg: null });
    const keys = [
      { clip, frame: 5 },
      { clip, frame: 40 },
    ];
    const result = await inbetween(keys, { method: "auto" });
    assert.equal(result.gaps[0].trials.length, methodsWithoutNetwork.length);
    const candidates = await inbetween(keys, { method: "auto", candidates: 12 });
    assert.equal(candidates.length, methodsWithoutNetwork.length);
  });

  it("works in a worker, and on the command line", async () => {
    const clip = await worker.load(walk());
    const result = await worker.inbetween(
      [
        { clip, frame: 5 },
        { clip, frame: 40 },
      ],
      { method: "auto" },
    );
    assert.equal(result.gaps[0].trials.length, methodsWithoutNetwork.length);
    const args = [`${fixture("ada-walk")}@10`, `${fixture("ada-walk")}@40`, "--frames", "20", "--method", "auto"];
    const command = [join(packageFolder, "bin", "kinestitch.js"), "inbetween", ...args, "-o", join(folder, "o.bvh")];
    const { status, stdout, stderr } = spawnSync(process.execPath, [...command, "--json"], { encoding: "utf8" });
    assert.deepEqual([status, stderr], [0, ""]);
    const { gaps, networks = [] } = JSON.parse(stdout);
    assert.ok(gaps[0].trials.length >= methodsWithoutNetwork.length);
    // The report lists the network that filled the gap, and not those that were only tried.
    assert.deepEqual(
      networks.map(({ name }) => name),
      networkMethods.filter((name) => name === gaps[0].method),
    );
  });
});
