/** Reads recipes of `kinestitch batch`: JSON files that describe jobs. */
import { readFileSync } from "node:fs";
import { dirname, parse, resolve } from "node:path";
import { messageOf } from "../core/error.js";
import { reason } from "../core/node-read.js";
import { quote } from "../core/quote.js";
import { progressPath } from "./batch-progress.js";
import { createPathResolver } from "./canonical-path.js";
import { jobCommands, joinNames } from "./command-names.js";
import { FileError } from "./file-error.js";
import { expandPatterns } from "./glob.js";
import { type Job, type ParsedJob, parseJob } from "./job.js";

const MAX_BYTES = 16 * 2 ** 20;
const MAX_JOBS = 1_000_000;

/** Reads a recipe. Paths in the recipe and in the arguments of its jobs are relative to the recipe's folder. */
export function readRecipe(file: string): Job[] {
  const folder = dirname(resolve(file));
  const recipe = parseFile(file);
  const jobs: ParsedJob[] = [];
  const add = (run: string[], label: string): void => {
    const [command] = run;
    if (command === undefined || !(jobCommands as readonly string[]).includes(command))
      throw new FileError(
        `${file}: ${label} runs ${quote(command ?? "")}; a job runs one of ${joinNames(jobCommands)}`,
      );
    if (jobs.length >= MAX_JOBS) throw new FileError(`${file}: more than ${MAX_JOBS} jobs`);
    const parsed = parseJob(run, folder);
    if (parsed.writes.includes("-"))
      throw new FileError(`${file}: ${label} writes to standard output, which jobs do not have; name a file`);
    jobs.push(parsed);
  };
  parseList(recipe, "each", file).forEach((entry, index) => {
    const { files, run, label } = parseTemplate(entry, `each[${index}]`, file, folder, 1);
    for (const path of files) add(fillTemplate(run, { file: path, name: parse(path).name }, label, file), label);
  });
  parseList(recipe, "pairs", file).forEach((entry, index) => {
    const { files, run, label } = parseTemplate(entry, `pairs[${index}]`, file, folder, 2);
    let a: string | undefined;
    for (const b of files) {
      if (a !== undefined)
        add(fillTemplate(run, { a, b, "a.name": parse(a).name, "b.name": parse(b).name }, label, file), label);
      a = b;
    }
  });
  parseList(recipe, "jobs", file).forEach((entry, index) =>
    add(parseStrings(entry, `jobs[${index}]`, file), `jobs[${index}]`),
  );
  checkFiles(jobs, file, folder);
  if (jobs.length === 0) throw new FileError(`${file}: no job; a recipe has "each", "pairs" or "jobs"`);
  return jobs.map(({ job }) => job);
}

/**
 * Checks that no job writes a file that another one reads or writes, because jobs run in parallel and in any order. The
 * file need not exist yet; symbolic links are resolved. A command itself refuses to overwrite its input.
 */
function checkFiles(jobs: readonly ParsedJob[], file: string, folder: string): void {
  const resolvePath = createPathResolver();
  const canonical = (path: string): string => resolvePath(resolve(folder, path));
  const ownFiles = [file, progressPath(file)].map((path) => resolvePath(resolve(path)));
  const writers = new Map<string, ParsedJob>();
  for (const job of jobs)
    for (const path of job.writes) {
      const target = canonical(path);
      if (ownFiles.includes(target))
        throw new FileError(`${file}: a job writes ${quote(path)}, which is the recipe or its progress`);
      if ((writers.get(target) ?? job) !== job) throw new FileError(`${file}: two jobs write ${quote(path)}`);
      writers.set(target, job);
    }
  for (const job of jobs) {
    const path = job.words.find((word) => (writers.get(canonical(word)) ?? job) !== job);
    if (path !== undefined)
      throw new FileError(`${file}: one job writes ${quote(path)} and another one reads it; use two recipes`);
  }
}

function parseFile(file: string): Record<string, unknown> {
  let recipe: unknown;
  try {
    const data = readFileSync(file);
    if (data.length > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 2 ** 20} MB`);
    // Some editors write a byte order mark.
    recipe = JSON.parse(data.toString("utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new FileError(`cannot read the recipe ${file}: ${reason(error)}`);
  }
  if (!isRecord(recipe)) throw new FileError(`${file}: a recipe is an object with "each", "pairs" or "jobs"`);
  const unknown = Object.keys(recipe).find((key) => !["each", "pairs", "jobs"].includes(key));
  if (unknown !== undefined)
    throw new FileError(`${file}: ${quote(unknown)} is unknown; a recipe has "each", "pairs" and "jobs"`);
  return recipe;
}

function parseList(recipe: Record<string, unknown>, key: string, file: string): unknown[] {
  const value = recipe[key] ?? [];
  if (!Array.isArray(value)) throw new FileError(`${file}: ${quote(key)} must be a list`);
  return value;
}

interface ParsedTemplate {
  files: string[];
  run: string[];
  label: string;
}

/** Parses an entry of "each" or "pairs". `minFiles`: number of files that it needs. */
function parseTemplate(entry: unknown, label: string, file: string, folder: string, minFiles: 1 | 2): ParsedTemplate {
  if (!isRecord(entry)) throw new FileError(`${file}: ${label} must be an object with "files" and "run"`);
  const unknown = Object.keys(entry).find((key) => !["files", "run"].includes(key));
  if (unknown !== undefined)
    throw new FileError(`${file}: ${quote(unknown)} in ${label} is unknown; an entry has "files" and "run"`);
  const patterns =
    typeof entry.files === "string"
      ? [entry.files]
      : parseStrings(entry.files, `${label}.files`, file, "a text or a list of texts");
  const files = expandFiles(patterns, `${file}: ${label}.files`, folder);
  if (files.length < minFiles)
    throw new FileError(`${file}: ${label}.files needs ${minFiles === 1 ? "one file" : "two files"} or more`);
  return { files, run: parseStrings(entry.run, `${label}.run`, file), label };
}

/** Expands patterns in the folder of the recipe. `source`: beginning of error messages. */
function expandFiles(patterns: readonly string[], source: string, folder: string): string[] {
  try {
    return expandPatterns(patterns, folder);
  } catch (error) {
    throw new FileError(`${source}: ${messageOf(error)}`, { cause: error });
  }
}

function parseStrings(value: unknown, label: string, file: string, expected = "a list of texts"): string[] {
  if (!Array.isArray(value) || !value.every((word) => typeof word === "string"))
    throw new FileError(`${file}: ${label} must be ${expected}`);
  return value;
}

function fillTemplate(run: string[], values: Record<string, string>, label: string, file: string): string[] {
  return run.map((word) =>
    word.replace(/\{([^{}]*)\}/g, (_, name: string) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value !== undefined) return value;
      const placeholders = Object.keys(values).map((name) => `{${name}}`);
      throw new FileError(`${file}: ${label} has no {${name}}; the placeholders are ${placeholders.join(", ")}`);
    }),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
