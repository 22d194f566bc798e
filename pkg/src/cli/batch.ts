/** `kinestitch batch`: many commands over a folder, on all cores, resumable. */
import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";
import { count, text } from "../core/options.js";
import { printableJson } from "../core/quote.js";
import { FileError } from "./file-error.js";
import { flags, HELP, JSON_FLAG, oneFile, flagOptions, split, UsageError } from "./flags.js";
import { round } from "./info.js";
import { checkOutputs, print, write } from "./output.js";
import { type Job, readRecipe } from "./recipe.js";
import { type Done, Progress } from "./batch-progress.js";
import { Pool } from "./batch-pool.js";

/** Text of `kinestitch batch --help`. */
export const batchHelp = `kinestitch batch RECIPE.json [options]

Runs the commands of a recipe in parallel processes. A recipe is a JSON object:

  {
    "each":  [{ "files": "clips/*.bvh", "run": ["convert", "{file}", "-o", "out/{name}.glb"] }],
    "pairs": [{ "files": ["walk.bvh", "run.bvh", "turn.bvh"], "run": ["stitch", "{a}", "{b}", "-o", "out/{a.name}+{b.name}.bvh"] }],
    "jobs":  [["stitch", "walk.bvh", "run.bvh", "-o", "out/both.bvh"]]
  }

"each" runs once per file, "pairs" once per file and the next. Paths are relative to the recipe's folder; missing folders of
outputs are created. Completed jobs are recorded
in RECIPE.json.progress: a stopped batch can be continued, and jobs with changed input files run again.

  --workers N     number of processes (default: one per core)
  --shard I/N     only part I of N, from 1: run the parts on several machines
  --again         run completed jobs again
  --report FILE   JSON: {jobsPerSecond, jobs: [{run, ok, seconds, error?}]}
  --json          the report on standard output

Exit code: 1 if a job failed; the other jobs still run.`;

const OPTIONS = { workers: count, shard: text, report: text };

/** Report of a batch. */
interface Report {
  jobs: Done[];
  done: number;
  skipped: number;
  failed: number;
  seconds: number;
  jobsPerSecond: number;
  /** Largest resident memory of all processes together, megabytes. */
  megabytes: number;
}

/** Runs the command. `args`: its words without "batch". */
export async function batch(args: string[]): Promise<void> {
  const { values, positionals } = split(args, { ...HELP, ...JSON_FLAG, ...flags(OPTIONS), again: { type: "boolean" } });
  if (values.help) return print(batchHelp);
  const file = oneFile("batch", positionals);
  const {
    workers = availableParallelism(),
    shard,
    report,
  } = flagOptions<{ workers?: number; shard?: string; report?: string }>(OPTIONS as never, values);
  if (workers < 1 || workers > 256) throw new UsageError(`--workers is 1 to 256, not ${workers}`);
  if (report !== undefined) checkOutputs([report], [file]);
  const jobs = part(readRecipe(file), shard);
  const found = await runAll(jobs, { file, workers, again: values.again === true, quiet: values.json === true });
  if (report !== undefined) await write(report, `${JSON.stringify(found, null, 2)}\n`);
  if (values.json) await print(printableJson(found, 2));
  else await print(summary(found));
  if (found.failed > 0) throw new FileError(`${found.failed} of ${found.jobs.length} jobs failed`);
}

/** The jobs of a part, "2/5": every fifth job from the second. */
function part(jobs: Job[], shard: string | undefined): Job[] {
  if (shard === undefined) return jobs;
  const [, index, count] = /^(\d{1,6})\/(\d{1,6})$/.exec(shard)?.map(Number) ?? [];
  if (index === undefined || count === undefined || index < 1 || index > count)
    throw new UsageError(`--shard is I/N, I from 1 to N, not "${shard}"`);
  return jobs.filter((_, at) => at % count === index - 1);
}

interface Run {
  file: string;
  workers: number;
  again: boolean;
  quiet: boolean;
}

async function runAll(jobs: Job[], { file, workers, again, quiet }: Run): Promise<Report> {
  const progress = new Progress(file);
  const waiting = again ? jobs : jobs.filter((job) => !progress.isDone(job));
  const skipped = jobs.length - waiting.length;
  const started = performance.now();
  const done: Done[] = [];
  const folder = dirname(resolve(file));
  for (const { output = "-" } of waiting)
    if (output !== "-")
      mkdirSync(resolve(folder, output.endsWith("/") ? output : dirname(output)), { recursive: true });
  const pool = new Pool(Math.min(workers, Math.max(1, waiting.length)), folder);
  const tell = (): void => {
    if (!quiet && process.stderr.isTTY) process.stderr.write(`\r${done.length}/${waiting.length} jobs`);
  };
  try {
    await pool.run(waiting, ({ job, error, seconds }) => {
      const result: Done = { run: job.run, ok: error === undefined, seconds, ...(error !== undefined && { error }) };
      done.push(result);
      if (result.ok) progress.add(job);
      else if (!quiet) console.error(`kinestitch: ${job.run.join(" ")}: ${error}`);
      tell();
    });
  } finally {
    pool.end();
    if (!quiet && process.stderr.isTTY) process.stderr.write("\n");
  }
  const seconds = (performance.now() - started) / 1000;
  const failed = done.filter(({ ok }) => !ok).length;
  const rate = Number((done.length / Math.max(seconds, 1e-3)).toFixed(3));
  const megabytes = Math.round(pool.mostMemory / 2 ** 20);
  return { jobs: done, done: done.length - failed, skipped, failed, seconds, jobsPerSecond: rate, megabytes };
}

function summary({ done, skipped, failed, seconds, jobsPerSecond, megabytes }: Report): string {
  const before = skipped > 0 ? `, ${skipped} done before` : "";
  return `${done} jobs done, ${failed} failed${before}, in ${round(seconds)} s: ${jobsPerSecond} a second, at most ${megabytes} MB`;
}
