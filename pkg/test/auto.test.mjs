// Method "auto" of stitch: its trials, the judge, and join options of single seams.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { inbetween, init, load, loadNetworks, networkModels, stitch } from "kinestitch";
import { failure, noWeights, packageFolder, root, walk } from "./support.mjs";

describe('stitch, method "auto"', () => {
  const loadClips = () => Promise.all([load(walk()), load(walk({ speed: 2 }))]);

  it("is the default method, and reports its trials", async () => {
    const [a, b] = await loadClips();
    const result = await stitch([a, b]);
    const [{ options, trials, cut }] = result.seams;
    assert.ok(trials.length > 8, `${trials.length} trials`);
    assert.deepEqual(trials[0].options, options);
    const scores = trials.map(({ score }) => score);
    assert.deepEqual(
      scores,
      scores.toSorted((x, y) => x - y),
    );
    assert.ok(
      trials.every(({ milliseconds, footSkate, peakJerk }) => milliseconds > 0 && footSkate >= 0 && peakJerk > 0),
    );
    assert.ok(a.frames - 1 - cut.takeoff <= 15 && cut.landing <= 15, "at most half a second is cut away");
    assert.deepEqual(
      (await stitch([a, b], { method: "auto", maxCut: 0.5, keep: false, footLock: true })).rotations(),
      result.rotations(),
    );
  });

  it("tries no network, even if another call has loaded one", async () => {
    const [a, b] = await loadClips();
    if (!noWeights) await stitch([a, b], { gap: 12, gapMethod: "delta" });
    const {
      seams: [{ trials }],
    } = await stitch([a, b]);
    assert.ok(
      trials.every(({ options }) => options.method !== "rmr" && [undefined, "inertialize"].includes(options.gapMethod)),
    );
  });

  it("scores trials by the judge, and warns if the judge cannot be read", {
    skip: noWeights,
  }, async () => {
    const [a, b] = await loadClips();
    const keys = [
      { clip: a, frame: 10 },
      { clip: b, frame: 30 },
    ];
    const runAll = async () => [
      await stitch([a, b]),
      await inbetween(keys, { method: "auto" }),
      ...(await inbetween(keys, { method: "auto", candidates: 2 })),
    ];
    const scores = ([{ seams }, { gaps }]) => [seams[0].trials[0].score, gaps[0].trials[0].score];
    const judgedResults = await runAll();
    const folder = mkdtempSync(join(tmpdir(), "kinestitch-judge-"));
    try {
      await init({ networks: { models: folder } });
      const resultsOfUnreadableJudge = await runAll();
      for (const { warnings } of resultsOfUnreadableJudge)
        assert.match(warnings.at(-1), /^the judge could not be read, so .*manifest\.json/);
      writeFileSync(join(folder, "manifest.json"), JSON.stringify({ version: 2, networks: [] }));
      const resultsWithoutJudge = await runAll();
      for (const { warnings } of resultsWithoutJudge)
        assert.ok(warnings.every((warning) => !warning.includes("judge")));
      assert.deepEqual(scores(resultsWithoutJudge), scores(resultsOfUnreadableJudge));
      assert.notDeepEqual(scores(resultsWithoutJudge), scores(judgedResults));
    } finally {
      await init({ networks: { models: join(packageFolder, "models") } });
      rmSync(folder, { recursive: true });
    }
    assert.deepEqual(scores(await runAll()), scores(judgedResults));
  });

  it("uses every frame with keep: true", async () => {
    const [a, b] = await loadClips();
    const result = await stitch([a, b], { keep: true });
    assert.equal(result.frames, a.frames + b.frames + (result.seams[0].gap ?? 0));
  });

  it("joins a seam by the join options given for it", async () => {
    const [a, b] = await loadClips();
    const joinOptions = { method: "crossfade", blend: 0.3 };
    const result = await stitch([a, b, a], { seams: [undefined, joinOptions] });
    assert.equal(result.seams[1].method, "crossfade");
    assert.ok(result.seams[0].trials.length > 8 && result.seams[1].trials === undefined);
    const repeated = await stitch([a, b, a], { seams: [result.seams[0].options, joinOptions] });
    assert.deepEqual(repeated.rotations(), result.rotations());
  });

  it("rejects wrong options, and stops at an abort", async () => {
    const [a, b] = await loadClips();
    for (const options of [
      { seams: [undefined, {}] },
      { seams: [5] },
      { seams: [{ method: "magic" }] },
      { seams: [{ gap: 9, gapMethod: "magic" }] },
      { seams: [{ blond: 1 }] },
      { keep: "all" },
    ]) {
      assert.equal((await failure(() => stitch([a, b], options))).code, "option", JSON.stringify(options));
    }
    const controller = new AbortController();
    const error = failure(() =>
      stitch([a, b], { signal: controller.signal, onProgress: ({ stage }) => stage === "scan" && controller.abort() }),
    );
    assert.equal((await error).code, "aborted");
  });

  it("tries the networks that were loaded by name", { skip: noWeights }, async () => {
    const [a, b] = await Promise.all(
      ["ada-walk", "bo-jog"].map((name) => load(join(root, "tests", "fixtures", `${name}.bvh`))),
    );
    const names = new Set((await networkModels({ for: "inbetween" })).map(({ name }) => name));
    for (const name of names) await loadNetworks({ for: "inbetween", name });
    await loadNetworks({ for: "stitch" });
    const {
      seams: [{ trials }],
    } = await stitch([a, b]);
    const fillers = new Set(trials.flatMap(({ options }) => options.gapMethod ?? []));
    for (const name of names) assert.ok(fillers.has(name), name);
    assert.ok(trials.some(({ options }) => options.method === "rmr"));
  });
});
