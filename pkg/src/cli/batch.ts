/** `kinestitch batch`: runs the commands of a recipe in parallel processes; a stopped batch can be continued. */
import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";
import { count, text } from "../core/options.js";
import { printableJson, printableMessage } from "../core/quote.js";
import { createPathResolver } from "./canonical-path.js";
import { FileError } from "./file-error.js";
import { defineFlags, HELP, JSON_FLAG, requireOnePath, flagOptions, parseFlags, UsageError } from "./flags.js";
import { round } from "./info.js";
import { checkOutputs, createFolder, print, write } from "./output.js";
import type { Job } from "./job.js";
import { readRecipe } from "./recipe.js";
import { type JobResult, Progress, progressPath } from "./batch-progress.js";
import { ProcessPool } from "./batch-pool.js";

/** Text of `kinestitch batch --help`. */
export const batchHelp = `kinestitch batch RECIPE.json [options]

Runs the commands of a recipe in parallel processes. A recipe is a JSON object:

  {
    "each":  [{ "files": "clips/*.bvh", "run": ["convert", "{file}", "-o", "out/{name}.glb"] }],
    "pairs": [{ "files": ["walk.bvh", "run.bvh", "turn.bvh"],
                "run": ["stitch", "{a}", "{b}", "-o", "out/{a.name}+{b.name}.bvh"] }],
    "jobs":  [["stitch", "walk.bvh", "run.bvh", "-o", "out/both.bvh"]]
  }

"each" runs once per file, "pairs" once per pair of consecutive files. Paths are relative to the recipe's folder.
Missing output folders are created. Completed jobs are recorded in RECIPE.json.progress: a stopped batch can be
continued, and jobs with changed input files run again.

  --workers N     number of processes (default: one per core; at most 256)
  --shard I/N     divide the jobs into N shards, and run only shard I (1 to N): one shard for each machine
  --again         run completed jobs again
  --report FILE   write a report, one JSON object: {jobs: [{run, ok, seconds, error?}], done, skipped, failed, seconds,
                  jobsPerSecond, megabytes}; megabytes is the peak memory of all processes
  --json          print the report on standard output

Exit code: 1 if a job failed; the other jobs still run.`;

const MAX_WORKERS = 256;

const OPTIONS = { workers: count, shard: text, report: text };

/** Report of a batch. `done`: succeeded jobs; `skipped`: jobs that an earlier run completed. */
interface Report {
  jobs: JobResult[];
  done: number;
  skipped: number;
  failed: number;
  seconds: number;
  jobsPerSecond: number;
  /** Largest resident memory of all processes together, megabytes. */
  megabytes: number;
}

/** Runs the command. `args`: the arguments after "batch". */
export async function batch(args: string[]): Promise<void> {
  const { values, positionals } = parseFlags(args, {
    ...HELP,
    ...JSON_FLAG,
    ...defineFlags(OPTIONS),
    again: { type: "boolean" },
  });
  if (values.help) return print(batchHelp);
  const file = requireOnePath("batch", positionals);
  const {
    workers = Math.min(MAX_WORKERS, availableParallelism()),
    shard,
    report: reportPath,
  } = flagOptions<{ workers?: number; shard?: string; report?: string }>(OPTIONS as never, values);
  if (workers < 1 || workers > MAX_WORKERS) throw new UsageError(`--workers is 1 to ${MAX_WORKERS}, not ${workers}`);
  const allJobs = readRecipe(file);
  if (reportPath !== undefined) checkReportPath(reportPath, file, allJobs);
  const jobs = selectShard(allJobs, shard);
  const report = await runJobs(jobs, {
    file,
    workers,
    runsAgain: values.again === true,
    isQuiet: values.json === true,
  });
  if (reportPath !== undefined) await write(reportPath, `${JSON.stringify(report, null, 2)}\n`);
  if (values.json) await print(printableJson(report, 2));
  else await print(summarize(report));
  if (report.failed > 0) throw new FileError(`${report.failed} of ${report.jobs.length} jobs failed`);
}

/** Checks that the report does not overwrite the recipe, its progress, or a file that a job reads or writes. */
function checkReportPath(path: string, recipe: string, jobs: readonly Job[]): void {
  const resolveAll = (files: string[]): string[] => files.map((name) => resolve(dirname(resolve(recipe)), name));
  const progress = progressPath(recipe);
  checkOutputs([path], [recipe, progress, ...jobs.flatMap(({ files }) => resolveAll(files))]);
  const others = [resolve(progress), ...jobs.flatMap(({ outputs }) => resolveAll(outputs))];
  const canonical = createPathResolver();
  if (others.map(canonical).includes(canonical(resolve(path))))
    throw new FileError(`cannot write the report to ${path}: the batch writes another file there`);
}

/** Selects the jobs of a shard. "2/5" selects every fifth job, beginning with the second. */
function selectShard(jobs: Job[], shard: string | undefined): Job[] {
  if (shard === undefined) return jobs;
  const [, index, count] = /^(\d{1,6})\/(\d{1,6})$/.exec(shard)?.map(Number) ?? [];
  if (index === undefined || count === undefined || index < 1 || index > count)
    throw new UsageError(`--shard is I/N, I from 1 to N, not "${shard}"`);
  return jobs.filter((_, position) => position % count === index - 1);
}

/** Options of a run. */
interface RunOptions {
  /** Path of the recipe. */
  file: string;
  workers: number;
  /** Whether completed jobs run again. */
  runsAgain: boolean;
  /** Whether progress and errors are not written to standard error. */
  isQuiet: boolean;
}

async function runJobs(jobs: Job[], { file, workers, runsAgain, isQuiet }: RunOptions): Promise<Report> {
  const progress = new Progress(file);
  const pendingJobs = jobs.filter((job) => !progress.isDone(job) || runsAgain);
  const skipped = jobs.length - pendingJobs.length;
  const started = performance.now();
  const results: JobResult[] = [];
  const folder = dirname(resolve(file));
  for (const output of pendingJobs.flatMap(({ outputs }) => outputs)) createFolder(resolve(folder, dirname(output)));
  const pool = new ProcessPool(Math.min(workers, Math.max(1, pendingJobs.length)), folder);
  const showProgress = (): void => {
    if (!isQuiet && process.stderr.isTTY) process.stderr.write(`\r${results.length}/${pendingJobs.length} jobs`);
  };
  // In a terminal, the error replaces the line of the progress.
  const showError = (message: string): void =>
    console.error(`${process.stderr.isTTY ? "\r\x1b[K" : ""}${printableMessage(message)}`);
  try {
    await pool.run(pendingJobs, ({ job, error, seconds }) => {
      const result: JobResult = {
        run: job.run,
        ok: error === undefined,
        seconds,
        ...(error !== undefined && { error }),
      };
      results.push(result);
      if (result.ok) progress.add(job);
      else if (!isQuiet) showError(`kinestitch: ${job.run.join(" ")}: ${error}`);
      showProgress();
    });
  } finally {
    pool.kill();
    if (!isQuiet && process.stderr.isTTY) process.stderr.write("\n");
  }
  const seconds = (performance.now() - started) / 1000;
  const failed = results.filter(({ ok }) => !ok).length;
  const jobsPerSecond = Number((results.length / Math.max(seconds, 1e-3)).toFixed(3));
  const megabytes = Math.round(pool.peakMemory / 2 ** 20);
  return { jobs: results, done: results.length - failed, skipped, failed, seconds, jobsPerSecond, megabytes };
}

function summarize({ done, skipped, failed, seconds, jobsPerSecond, megabytes }: Report): string {
  const skippedText = skipped > 0 ? `, ${skipped} completed earlier` : "";
  const effort = `${round(seconds)} s: ${jobsPerSecond} jobs per second, at most ${megabytes} MB`;
  return `${done} jobs done, ${failed} failed${skippedText}, in ${effort}`;
}
