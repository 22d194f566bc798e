/** Reads recipes of `kinestitch batch`: JSON files that describe jobs. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, parse, resolve } from "node:path";
import { reason } from "../core/node-read.js";
import { quote } from "../core/quote.js";
import { createPathResolver } from "./canonical-path.js";
import { jobCommands, joinNames } from "./command-names.js";
import { FileError } from "./file-error.js";
import { expandPatterns } from "./glob.js";

/** One command of a batch. */
export interface Job {
  /** Arguments of the command, without "kinestitch". */
  run: string[];
  /** Output files: the arguments after -o or --output, and after the flag of a second output. */
  outputs: string[];
  /** Other arguments that name existing files: the job runs again if one of them changes. */
  files: string[];
}

const MAX_BYTES = 16 * 2 ** 20;
const MAX_JOBS = 1_000_000;

/** Reads a recipe. Paths in the recipe and in the arguments of its jobs are relative to the recipe's folder. */
export function readRecipe(file: string): Job[] {
  const folder = dirname(resolve(file));
  const recipe = parseFile(file);
  const jobs: Job[] = [];
  const add = (run: string[], label: string): void => {
    const [command] = run;
    if (command === undefined || !(jobCommands as readonly string[]).includes(command))
      throw new FileError(
        `${file}: ${label} runs ${quote(command ?? "")}; a job runs one of ${joinNames(jobCommands)}`,
      );
    if (jobs.length >= MAX_JOBS) throw new FileError(`${file}: more than ${MAX_JOBS} jobs`);
    const job = createJob(run, folder);
    if (job.outputs.includes("-"))
      throw new FileError(`${file}: ${label} writes to standard output, which jobs do not have; name a file`);
    jobs.push(job);
  };
  parseList(recipe, "each", file).forEach((entry, index) => {
    const { files, run, label } = parseTemplate(entry, `each[${index}]`, file, folder);
    for (const path of files) add(fillTemplate(run, { file: path, name: parse(path).name }, label, file), label);
  });
  parseList(recipe, "pairs", file).forEach((entry, index) => {
    const { files, run, label } = parseTemplate(entry, `pairs[${index}]`, file, folder);
    files.slice(1).forEach((b, previous) => {
      const a = files[previous] ?? "";
      add(fillTemplate(run, { a, b, "a.name": parse(a).name, "b.name": parse(b).name }, label, file), label);
    });
  });
  parseList(recipe, "jobs", file).forEach((entry, index) =>
    add(parseStrings(entry, `jobs[${index}]`, file), `jobs[${index}]`),
  );
  checkFiles(jobs, file, folder);
  if (jobs.length === 0) throw new FileError(`${file}: no job; a recipe has "each", "pairs" or "jobs"`);
  return jobs;
}

/** Flags of second outputs by command. */
const SECOND_OUTPUTS = new Map([
  ["lscore", "--map"],
  ["phases", "--svg"],
  ["root", "--path"],
]);

/** Creates a job: finds the outputs and the existing files among its arguments. */
function createJob(run: string[], folder: string): Job {
  const { outputs, others } = splitArguments(run);
  return { run, files: others.filter((word) => existsSync(resolve(folder, word))), outputs };
}

/** Returns the outputs of a job and its other arguments without flags: its input files, and values of flags. */
function splitArguments([command = "", ...args]: readonly string[]): { outputs: string[]; others: string[] } {
  const words = args.flatMap(splitValue);
  // As in the command itself, the last of several outputs counts.
  const outputFlag = Math.max(words.lastIndexOf("-o"), words.lastIndexOf("--output"));
  const second = SECOND_OUTPUTS.get(command);
  const secondFlag = second === undefined ? -1 : words.lastIndexOf(second);
  const outputFlags = new Set([outputFlag, secondFlag].filter((index) => index >= 0));
  const outputs = [...outputFlags].flatMap((index) => words[index + 1] ?? []);
  const others = words.filter((word, index) => !word.startsWith("-") && !outputFlags.has(index - 1));
  // Keys of `inbetween` are FILE@FRAME.
  return { outputs, others: others.map((word) => word.replace(/@\d+$/, "")) };
}

/** Splits `--name=value` and `-oFILE` into option and value. */
function splitValue(word: string): string[] {
  const [, option, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? /^(-o)(.+)$/s.exec(word) ?? [];
  return option === undefined || value === undefined ? [word] : [option, value];
}

/**
 * Checks that no job writes a file that another one reads or writes, because jobs run in parallel and in any order. The
 * file need not exist yet; symbolic links are resolved. A command itself refuses to overwrite its input.
 */
function checkFiles(jobs: readonly Job[], file: string, folder: string): void {
  const resolvePath = createPathResolver();
  const canonical = (path: string): string => resolvePath(resolve(folder, path));
  const allOutputs = new Set<string>();
  for (const { outputs } of jobs) {
    const conflict = outputs.find((output) => allOutputs.has(canonical(output)));
    if (conflict !== undefined) throw new FileError(`${file}: two jobs write ${quote(conflict)}`);
    for (const output of outputs) allOutputs.add(canonical(output));
  }
  for (const { run } of jobs) {
    const { outputs, others } = splitArguments(run);
    const ownOutputs = new Set(outputs.map(canonical));
    const path = others.find((word) => {
      const absolute = canonical(word);
      return allOutputs.has(absolute) && !ownOutputs.has(absolute);
    });
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

function parseTemplate(entry: unknown, label: string, file: string, folder: string): ParsedTemplate {
  if (!isRecord(entry)) throw new FileError(`${file}: ${label} must be an object with "files" and "run"`);
  const patterns = typeof entry.files === "string" ? [entry.files] : parseStrings(entry.files, `${label}.files`, file);
  const previousFolder = process.cwd();
  try {
    // Patterns are expanded in the folder of the recipe.
    process.chdir(folder);
    return { files: expandPatterns(patterns), run: parseStrings(entry.run, `${label}.run`, file), label };
  } finally {
    process.chdir(previousFolder);
  }
}

function parseStrings(value: unknown, label: string, file: string): string[] {
  if (!Array.isArray(value) || !value.every((word) => typeof word === "string"))
    throw new FileError(`${file}: ${label} must be a list of texts`);
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
