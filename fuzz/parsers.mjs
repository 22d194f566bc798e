// Fuzzes the parsers written in TypeScript: glTF documents, VRM, GLB containers, manifests, and the site's project
// files. Each target parses mutants of its corpus, which starts as the valid inputs of fuzz/parser-seeds, for some
// minutes of processor time. A mutant with a new outcome (an error with another text) joins the corpus. A finding is
// written to fuzz/artifacts/TARGET and ends the run of that target.
//
//     node fuzz/parsers.mjs [--minutes N] [--seed N] [TARGET …]
//
// Targets: gltf, vrm, glb, manifest, project, projectfile. Default: all, ten minutes each. Needs the built package.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runScript, root, UserError } from "../scripts/shell.mjs";
import { randomIntegers } from "../pkg/test/mutants.mjs";
import { parserTargets } from "../pkg/test/parser-targets.mjs";

/** Limit of processor time per mutant over all threads, seconds. */
const MAX_SECONDS = 5;
const MAX_CORPUS_SIZE = 5000;
/** Longest mutant that may join the corpus, characters. */
const MAX_MUTANT_LENGTH = 65_536;

const processorSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** An outcome without names and numbers, which differ between mutants. */
const kindOf = (outcome) =>
  typeof outcome === "string"
    ? outcome
    : `${outcome.code} ${outcome.message.replace(/"[^"]*"|[-\d.,e+]+/g, "_").slice(0, 120)}`;
const codeOf = (outcome) => (typeof outcome === "string" ? outcome : outcome.code);

/** Writes a finding. Returns the path of its file. */
function saveFinding(target, round, mutant, error) {
  const folder = join(root, "fuzz", "artifacts", target);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${Date.now()}-${round}`);
  writeFileSync(path, mutant instanceof Uint8Array ? mutant : JSON.stringify(mutant));
  writeFileSync(`${path}.txt`, String(error?.stack ?? error));
  return path;
}

/** Fuzzes a target. Returns the path of a finding, or `undefined`. */
async function fuzz(name, minutes, seed) {
  const { validInputs, mutate, parse } = await parserTargets[name]();
  const random = randomIntegers(seed);
  const corpus = [...validInputs];
  const [kinds, counts] = [new Set(), new Map()];
  const [startTime, startSeconds] = [performance.now(), processorSeconds()];
  let [round, longestSeconds] = [0, 0];
  let findingPath;
  while (processorSeconds() - startSeconds < 60 * minutes && !findingPath) {
    // Half of the mutants come from the valid inputs.
    const mutant = mutate(corpus[random(random(2) ? corpus.length : validInputs.length)], random);
    const roundStart = processorSeconds();
    try {
      const outcome = await parse(mutant, round);
      counts.set(codeOf(outcome), (counts.get(codeOf(outcome)) ?? 0) + 1);
      const length = mutant instanceof Uint8Array ? mutant.length : JSON.stringify(mutant).length;
      const isNew = !kinds.has(kindOf(outcome));
      if (isNew && length < MAX_MUTANT_LENGTH && corpus.length < MAX_CORPUS_SIZE) corpus.push(mutant);
      kinds.add(kindOf(outcome));
    } catch (error) {
      findingPath = saveFinding(name, round, mutant, error);
    }
    const seconds = processorSeconds() - roundStart;
    longestSeconds = Math.max(longestSeconds, seconds);
    if (seconds > MAX_SECONDS) findingPath ??= saveFinding(name, round, mutant, `it took ${seconds} s`);
    round++;
  }
  const processorMinutes = ((processorSeconds() - startSeconds) / 60).toFixed(1);
  const wallMinutes = ((performance.now() - startTime) / 60_000).toFixed(1);
  const outcomes = [...counts].map(([code, count]) => `${code} ${count.toLocaleString("en")}`).join(", ");
  console.log(
    `${name}: ${round.toLocaleString("en")} executions in ${processorMinutes} minutes of processor time ` +
      `(${wallMinutes} by the clock), ${kinds.size} different outcomes (${outcomes}), ` +
      `the slowest ${(1000 * longestSeconds).toFixed(0)} ms, ` +
      (findingPath ? `a finding: ${findingPath}` : "nothing found"),
  );
  return findingPath;
}

await runScript(import.meta, async (args) => {
  const numberOf = (option, defaultValue) => {
    const index = args.indexOf(option);
    if (index < 0) return defaultValue;
    const [, number] = args.splice(index, 2);
    if (!(Number(number) > 0)) throw new UserError(`${option} needs a number above 0`);
    return Number(number);
  };
  const minutes = numberOf("--minutes", 10);
  const seed = numberOf("--seed", 1);
  const unknown = args.find((target) => !Object.hasOwn(parserTargets, target));
  if (unknown)
    throw new UserError(`there is no target "${unknown}"; the targets are ${Object.keys(parserTargets).join(", ")}`);
  const findings = [];
  for (const name of args.length > 0 ? args : Object.keys(parserTargets))
    findings.push(await fuzz(name, minutes, seed));
  const paths = findings.filter(Boolean);
  if (paths.length > 0) throw new UserError(`fuzzing found errors: ${paths.join(", ")}`);
});
