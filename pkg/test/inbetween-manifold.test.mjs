// In-betweens by a small generated manifold network.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { inbetween, liveInbetween, load, loadNetworks, networkInfo } from "kinestitch";
import { entryOf, manifoldBytes, refinerBytes, MANIFOLD_LAYOUT } from "./generated-networks.mjs";
import { failure, framesOf, packageFolder, walk } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-manifold-files-"));
after(() => rmSync(folder, { recursive: true }));
const writeMotion = (name, text) => {
  writeFileSync(join(folder, name), text);
  return name;
};
const a = writeMotion("a.bvh", walk({ frames: 60 }));

/** Runs the command line. */
const run = (...args) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(packageFolder, "bin", "kinestitch.js"), "inbetween", ...args],
    { cwd: folder, encoding: "utf8" },
  );
  return { status, stdout, stderr };
};

describe("inbetween by the manifold network", () => {
  const models = mkdtempSync(join(folder, "models-"));
  const bytes = manifoldBytes();
  writeFileSync(join(models, "small.safetensors"), bytes);
  const entry = entryOf("small.safetensors", bytes, {
    name: "manifold",
    task: "inbetween",
    layout: MANIFOLD_LAYOUT,
    set: "open",
  });
  writeFileSync(join(models, "manifest.json"), JSON.stringify({ version: 2, networks: [entry] }));

  it("gives a different motion for each seed, the same in each run, and keeps keys", async () => {
    const { name } = await loadNetworks({ for: "inbetween", name: "manifold", models });
    assert.deepEqual(
      [name, (await networkInfo({ for: "inbetween", name: "manifold" })).name],
      ["manifold", "manifold"],
    );
    const clip = await load(join(folder, a));
    const keys = [
      { clip, from: 5, to: 15 },
      { clip, frame: 45 },
    ];
    const fillGap = async (seed) => {
      const result = await inbetween(keys, {
        frames: 24,
        method: seed === undefined ? "manifold" : { name: "manifold", seed },
      });
      assert.equal(result.gaps[0].method, "manifold", result.warnings.join());
      assert.deepEqual(framesOf(result.rotations(), result, 0, 10), framesOf(clip.rotations(), clip, 5, 15));
      return result.rotations();
    };
    const [mean, one, two] = [await fillGap(), await fillGap(1), await fillGap(2)];
    assert.deepEqual(await fillGap(1), one);
    assert.notDeepEqual(one, two);
    assert.notDeepEqual(one, mean);
    const live = await liveInbetween(keys, { frames: 24, method: "manifold" });
    for (const [seed, expected] of [
      [undefined, mean],
      [2, two],
      [1, one],
    ]) {
      live.setMethod({ name: "manifold", seed });
      live.solve();
      assert.deepEqual(live.clip().rotations(), expected);
    }
    assert.equal((await failure(() => live.setMethod({ name: "manifold", seed: -1 }))).code, "option");
    live.free();
    const candidates = await inbetween(keys, { method: "auto", candidates: 12, seed: Number.MAX_SAFE_INTEGER });
    const seeds = candidates.flatMap(({ method }) => method.seed ?? []);
    assert.equal(new Set(seeds).size, 3);
    for (const [options, message] of [
      [{ seed: 1.5 }, /whole number/],
      [{ seed: 1 }, /method: \{ name: "manifold", seed \}/],
      [{ latent: [1] }, /it is an option of a method: method: \{ name: "manifold", latent \}/],
      [{ method: { name: "manifold", style: "old" } }, /the method "manifold" has no option "style"/],
    ]) {
      const error = await failure(() => inbetween(keys, options));
      assert.deepEqual([error.code, message.test(error.message)], ["option", true], error.message);
    }
  });

  it("moves on its manifold by the latent option, and back without it", async () => {
    await loadNetworks({ for: "inbetween", name: "manifold", models });
    const clip = await load(join(folder, a));
    const keys = [
      { clip, from: 5, to: 15 },
      { clip, frame: 45 },
    ];
    const fillGap = async (latent, method = "manifold") => {
      const result = await inbetween(keys, { frames: 24, method: { name: method, latent } });
      assert.deepEqual(framesOf(result.rotations(), result, 0, 10), framesOf(clip.rotations(), clip, 5, 15));
      return result.rotations();
    };
    const [mean, pushed] = [await fillGap(undefined), await fillGap([0, 1.5])];
    assert.notDeepEqual(pushed, mean);
    assert.deepEqual(await fillGap([0, 0, 0, 0]), mean);
    const live = await liveInbetween(keys, { frames: 24, method: "manifold" });
    for (const [latent, expected] of [
      [[0, 1.5], pushed],
      [undefined, mean],
    ]) {
      live.setMethod({ name: "manifold", latent });
      live.solve();
      assert.deepEqual(live.clip().rotations(), expected);
    }
    assert.equal((await failure(() => live.setMethod({ name: "manifold", latent: [NaN] }))).code, "option");
    live.free();
    for (const [latent, method] of [[[1, 2, 3, 4, 5]], [["much"]], [[1], "inertialize"]]) {
      assert.deepEqual([(await failure(() => fillGap(latent, method))).code, latent], ["option", latent]);
    }
  });

  it("runs on the command line, with a seed", async () => {
    const runWithSeed = async (...args) => {
      const { status, stderr } = run(
        `${a}@10`,
        `${a}@40`,
        "--frames",
        "20",
        "--method",
        "manifold",
        "--models",
        models,
        "-o",
        "seeded.bvh",
        ...args,
      );
      assert.deepEqual([status, stderr], [0, ""]);
      return (await load(join(folder, "seeded.bvh"))).rotations();
    };
    assert.notDeepEqual(await runWithSeed("--seed", "1"), await runWithSeed("--seed", "2"));
    assert.equal(run(`${a}@10`, `${a}@40`, "--frames", "20", "--seed", "much", "-o", "seeded.bvh").status, 2);
  });

  it("can be loaded by name from another set than other networks", async () => {
    const modelsOfTwoSets = mkdtempSync(join(folder, "models-"));
    const networks = ["open", "research"].flatMap((set) =>
      [
        [`manifold-${set}`, manifoldBytes(set), { name: "manifold", task: "inbetween", layout: MANIFOLD_LAYOUT, set }],
        [`rmr-${set}`, refinerBytes({ set }), { set }],
      ].map(([name, bytes, entry]) => {
        writeFileSync(join(modelsOfTwoSets, `${name}.safetensors`), bytes);
        return entryOf(`${name}.safetensors`, bytes, entry);
      }),
    );
    writeFileSync(join(modelsOfTwoSets, "manifest.json"), JSON.stringify({ version: 2, networks }));
    const loadSet = async (options) => (await loadNetworks({ models: modelsOfTwoSets, device: "cpu", ...options })).set;
    assert.equal(await loadSet({}), "open");
    assert.equal(await loadSet({ for: "inbetween", name: "manifold", set: "research" }), "research");
    assert.equal((await networkInfo()).set, "open");
    // A call without a set keeps the one of the previous call.
    assert.equal(await loadSet({ for: "inbetween", name: "manifold" }), "research");
    assert.equal(
      (await failure(() => loadNetworks({ for: "inbetween", name: "manifold", set: "secret" }))).code,
      "option",
    );
    assert.equal((await networkInfo({ for: "inbetween", name: "manifold" })).set, "research");
    // A load that fails does not undo a change that another call has made meanwhile.
    const failing = failure(() => loadNetworks({ for: "inbetween", name: "manifold", set: "secret" }));
    assert.equal(await loadSet({ name: "rmr", set: "research" }), "research");
    assert.equal((await failing).code, "option");
    assert.equal((await networkInfo()).set, "research");
    assert.equal(await loadSet({ for: "inbetween", name: "manifold" }), "research");
  });
});
