// Fuzzes the parsers written in TypeScript: glTF documents, VRM, GLB containers, manifests, and the site's project
// files. Each target reads mutants of the seeds in fuzz/parser-seeds for some minutes of processor time. A mutant with
// a new kind of result (an error with another text) becomes a seed. A finding is written to fuzz/artifacts/TARGET and
// ends the run of that target.
//
//     node fuzz/parsers.mjs [--minutes N] [--seed N] [TARGET …]
//
// Targets: gltf, vrm, glb, manifest, project, projectfile. Default: all, ten minutes each. Needs the built package.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { script, root, Stop } from "../scripts/shell.mjs";
import { numbers } from "../pkg/test/mutants.mjs";
import { targets } from "../pkg/test/parser-targets.mjs";

/** Limits: seconds of processor time per mutant over all threads, and number of seeds. */
const [SLOWEST, MOST_SEEDS] = [5, 5000];
/** Longest mutant that may become a seed, characters. */
const LONGEST = 65_536;

const spent = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** A result without names and numbers, which differ between mutants. */
const shapeOf = (answer) =>
  typeof answer === "string"
    ? answer
    : `${answer.code} ${answer.message.replace(/"[^"]*"|[-\d.,e+]+/g, "_").slice(0, 120)}`;
const codeOf = (answer) => (typeof answer === "string" ? answer : answer.code);

/** Writes a finding. Returns the file's path. */
function keep(target, turn, mutant, error) {
  const folder = join(root, "fuzz", "artifacts", target);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${Date.now()}-${turn}`);
  writeFileSync(path, mutant instanceof Uint8Array ? mutant : JSON.stringify(mutant));
  writeFileSync(`${path}.txt`, String(error?.stack ?? error));
  return path;
}

async function fuzz(name, minutes, start) {
  const { seeds, mutate, run } = await targets[name]();
  const [corpus, shapes, counts, random] = [[...seeds], new Set(), new Map(), numbers(start)];
  const [began, before] = [performance.now(), spent()];
  let turn = 0;
  let slowest = 0;
  let found;
  while (spent() - before < 60 * minutes && !found) {
    // Half of the mutants come from the original seeds.
    const mutant = mutate(corpus[random(random(2) ? corpus.length : seeds.length)], random);
    const at = spent();
    try {
      const answer = await run(mutant, turn);
      counts.set(codeOf(answer), (counts.get(codeOf(answer)) ?? 0) + 1);
      const size = mutant instanceof Uint8Array ? mutant.length : JSON.stringify(mutant).length;
      if (!shapes.has(shapeOf(answer)) && size < LONGEST && corpus.length < MOST_SEEDS) corpus.push(mutant);
      shapes.add(shapeOf(answer));
    } catch (error) {
      found = keep(name, turn, mutant, error);
    }
    const took = spent() - at;
    slowest = Math.max(slowest, took);
    if (took > SLOWEST) found ??= keep(name, turn, mutant, `it took ${took} s`);
    turn++;
  }
  const times = `${((spent() - before) / 60).toFixed(1)} minutes of processor time (${((performance.now() - began) / 60_000).toFixed(1)} by the clock)`;
  const answers = [...counts].map(([code, count]) => `${code} ${count.toLocaleString("en")}`).join(", ");
  console.log(
    `${name}: ${turn.toLocaleString("en")} executions in ${times}, ${shapes.size} different answers (${answers}), the slowest ${(1000 * slowest).toFixed(0)} ms, ${found ? `a finding: ${found}` : "nothing found"}`,
  );
  return found;
}

await script(import.meta, async (words) => {
  const numberOf = (option, usual) => {
    const at = words.indexOf(option);
    if (at < 0) return usual;
    const [, number] = words.splice(at, 2);
    if (!(Number(number) > 0)) throw new Stop(`${option} needs a number above 0`);
    return Number(number);
  };
  const minutes = numberOf("--minutes", 10);
  const start = numberOf("--seed", 1);
  const unknown = words.find((target) => !Object.hasOwn(targets, target));
  if (unknown) throw new Stop(`there is no target "${unknown}"; there are ${Object.keys(targets).join(", ")}`);
  const found = [];
  for (const name of words.length > 0 ? words : Object.keys(targets)) found.push(await fuzz(name, minutes, start));
  const files = found.filter(Boolean);
  if (files.length > 0) throw new Stop(`fuzzing found something: ${files.join(", ")}`);
});
