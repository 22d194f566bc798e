// Mutants of valid glTF documents, VRM, GLB containers, manifests and project files are either read or refused. The
// mutants are the same in every run; fuzz/parsers.mjs runs longer.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { numbers } from "./mutants.mjs";
import { targets } from "./parser-targets.mjs";

const RUNS = Number(process.env.KINESTITCH_MUTANTS ?? 1500);
const SEED = 7;

describe("mutations", () => {
  for (const [name, make] of Object.entries(targets)) {
    it(`of ${name} are read or refused`, async (test) => {
      const { seeds, mutate, run } = await make();
      for (const [index, seed] of seeds.entries()) assert.equal(await run(seed, 0), "ok", `seed ${index}`);
      const [random, counts] = [numbers(SEED), new Map()];
      for (let round = 0; round < RUNS; round++) {
        const result = await run(mutate(seeds[round % seeds.length], random), round);
        const code = result.code ?? result;
        counts.set(code, (counts.get(code) ?? 0) + 1);
      }
      test.diagnostic([...counts].map(([code, count]) => `${code} ${count}`).join(", "));
      // Some are accepted and some refused.
      assert.ok(counts.get("ok") > 0 && counts.size > 1, JSON.stringify([...counts]));
    });
  }
});
