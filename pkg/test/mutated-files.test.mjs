// Mutants of valid files (glTF, VRM, GLB, manifests, project files) are parsed, or rejected with a clear error. The
// mutants are the same in every run; fuzz/parsers.mjs runs longer.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { randomIntegers } from "./mutants.mjs";
import { parserTargets } from "./parser-targets.mjs";

const MUTANT_COUNT = Number(process.env.KINESTITCH_MUTANTS ?? 1500);
const RANDOM_SEED = 7;

describe("parsers written in TypeScript", () => {
  for (const [targetName, createTarget] of Object.entries(parserTargets)) {
    it(`mutants of target "${targetName}" are parsed or rejected with a clear error`, async (test) => {
      const { validInputs, mutate, parse } = await createTarget();
      for (const [index, input] of validInputs.entries())
        assert.equal(await parse(input, 0), "ok", `valid input ${index}`);
      const random = randomIntegers(RANDOM_SEED);
      const outcomeCounts = new Map();
      for (let round = 0; round < MUTANT_COUNT; round++) {
        const mutant = mutate(validInputs[round % validInputs.length], random);
        const outcome = await parse(mutant, round);
        const code = outcome.code ?? outcome;
        outcomeCounts.set(code, (outcomeCounts.get(code) ?? 0) + 1);
      }
      test.diagnostic([...outcomeCounts].map(([code, count]) => `${code} ${count}`).join(", "));
      const isMixed = outcomeCounts.get("ok") > 0 && outcomeCounts.size > 1;
      assert.ok(isMixed, `all mutants had the same outcome: ${JSON.stringify([...outcomeCounts])}`);
    });
  }
});
