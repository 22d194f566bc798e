/** Recipes of `kinestitch batch`: JSON → jobs. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, parse, resolve } from "node:path";
import { reason } from "../core/node-read.js";
import { quoted } from "../core/quote.js";
import { jobCommands, listed } from "./command-names.js";
import { FileError } from "./file-error.js";
import { expanded } from "./glob.js";

/** One command. */
export interface Job {
  /** Words of the command, without "kinestitch". */
  run: string[];
  /** Output file, if its words name one. */
  output?: string;
  /** Words that are other files of the recipe's folder: the job runs again when one of them changes. */
  files: string[];
}

const LARGEST = 16 * 2 ** 20;
const MOST_JOBS = 1_000_000;

/** Reads a recipe. Its paths, and those of the jobs, are relative to its folder. */
export function readRecipe(file: string): Job[] {
  const folder = dirname(resolve(file));
  const recipe = read(file);
  const jobs: Job[] = [];
  const add = (run: string[], where: string): void => {
    const [command] = run;
    if (command === undefined || !(jobCommands as readonly string[]).includes(command))
      throw new FileError(`${file}: ${where} runs ${quoted(command ?? "")}; a job runs one of ${listed(jobCommands)}`);
    if (jobs.length >= MOST_JOBS) throw new FileError(`${file}: more than ${MOST_JOBS} jobs`);
    jobs.push(jobOf(run, folder));
  };
  list(recipe, "each", file).forEach((entry, index) => {
    const { files, run, where } = template(entry, `each[${index}]`, file, folder);
    for (const path of files) add(filled(run, { file: path, name: parse(path).name }, where, file), where);
  });
  list(recipe, "pairs", file).forEach((entry, index) => {
    const { files, run, where } = template(entry, `pairs[${index}]`, file, folder);
    files.slice(1).forEach((b, at) => {
      const a = files[at] ?? "";
      add(filled(run, { a, b, "a.name": parse(a).name, "b.name": parse(b).name }, where, file), where);
    });
  });
  list(recipe, "jobs", file).forEach((entry, index) => add(words(entry, `jobs[${index}]`, file), `jobs[${index}]`));
  checkOrder(jobs, file, folder);
  if (jobs.length === 0) throw new FileError(`${file}: no job; a recipe has "each", "pairs" or "jobs"`);
  return jobs;
}

function jobOf(run: string[], folder: string): Job {
  const flag = run.findIndex((word) => word === "-o" || word === "--output");
  const output = flag < 0 ? undefined : run[flag + 1];
  const others = run.slice(1).filter((word, index) => !word.startsWith("-") && index !== flag);
  const files = others.map((word) => word.replace(/@\d+$/, "")).filter((word) => existsSync(join(folder, word)));
  return { run, files, ...(output !== undefined && { output }) };
}

/** Jobs run in parallel, in any order: no job may write a file that another one reads or writes. */
function checkOrder(jobs: readonly Job[], file: string, folder: string): void {
  const outputs = new Set<string>();
  for (const { output } of jobs) {
    if (output === undefined) continue;
    const path = resolve(folder, output);
    if (outputs.has(path)) throw new FileError(`${file}: two jobs write ${quoted(output)}`);
    outputs.add(path);
  }
  for (const { files } of jobs)
    for (const path of files)
      if (outputs.has(resolve(folder, path)))
        throw new FileError(`${file}: one job writes ${quoted(path)} and another one reads it; use two recipes`);
}

function read(file: string): Record<string, unknown> {
  let recipe: unknown;
  try {
    const data = readFileSync(file);
    if (data.length > LARGEST) throw new Error(`it has over ${LARGEST / 2 ** 20} MB`);
    recipe = JSON.parse(data.toString("utf8"));
  } catch (error) {
    throw new FileError(`cannot read the recipe ${file}: ${reason(error)}`);
  }
  if (!isRecord(recipe)) throw new FileError(`${file}: a recipe is an object with "each", "pairs" or "jobs"`);
  const unknown = Object.keys(recipe).find((key) => !["each", "pairs", "jobs"].includes(key));
  if (unknown !== undefined)
    throw new FileError(`${file}: ${quoted(unknown)} is unknown; a recipe has "each", "pairs" and "jobs"`);
  return recipe;
}

function list(recipe: Record<string, unknown>, key: string, file: string): unknown[] {
  const value = recipe[key] ?? [];
  if (!Array.isArray(value)) throw new FileError(`${file}: ${quoted(key)} is a list`);
  return value;
}

interface Template {
  files: string[];
  run: string[];
  where: string;
}

function template(entry: unknown, where: string, file: string, folder: string): Template {
  if (!isRecord(entry)) throw new FileError(`${file}: ${where} is { "files", "run" }`);
  const given = typeof entry.files === "string" ? [entry.files] : words(entry.files, `${where}.files`, file);
  const here = process.cwd();
  try {
    // Patterns are expanded in the folder of the recipe.
    process.chdir(folder);
    return { files: expanded(given), run: words(entry.run, `${where}.run`, file), where };
  } finally {
    process.chdir(here);
  }
}

function words(value: unknown, where: string, file: string): string[] {
  if (!Array.isArray(value) || !value.every((word) => typeof word === "string"))
    throw new FileError(`${file}: ${where} is a list of texts`);
  return value;
}

function filled(run: string[], values: Record<string, string>, where: string, file: string): string[] {
  return run.map((word) =>
    word.replace(/\{([^{}]*)\}/g, (_, name: string) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value !== undefined) return value;
      const known = Object.keys(values).map((name) => `{${name}}`);
      throw new FileError(`${file}: ${where} has no {${name}}; there are ${known.join(", ")}`);
    }),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
