/** Jobs of a batch: the files that they read and write. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { MAX_CANDIDATES } from "../tasks/inbetween-candidates.js";
import { parseConvert } from "./args.js";
import { defaultCsvPath } from "./clip-tools.js";
import { expandPatterns } from "./glob.js";
import { parseInbetween } from "./inbetween-args.js";
import { STANDARD } from "./output.js";
import { candidatePath } from "./output-args.js";

/** One command of a batch. */
export interface Job {
  /** Arguments of the command, without "kinestitch". */
  run: string[];
  /** Files that exist after the job. */
  outputs: string[];
  /** Other arguments that name existing files: the job runs again if one of them changes. */
  files: string[];
}

/** A job with the paths by which it is compared with other jobs. */
export interface ParsedJob {
  job: Job;
  /** Files that the job may write: its outputs, and all candidates of `inbetween`. */
  writes: string[];
  /** Words that are neither flags nor outputs: input files, which need not exist yet, and values of other flags. */
  words: string[];
}

/** Finds the files that a command reads and writes. `folder`: folder of relative paths. */
export function parseJob(run: string[], folder: string): ParsedJob {
  const { outputs, others } = splitArguments(run);
  const writes = writtenFiles(run, outputs, folder);
  const words = others.flatMap((word) => expandWord(word, folder));
  const files = words.filter((word) => existsSync(resolve(folder, word)));
  // There may be fewer candidates than requested, but at least one.
  return { job: { run, outputs: run[0] === "inbetween" ? writes.slice(0, 1) : writes, files }, writes, words };
}

/**
 * Returns the files that a command may write. `outputs`: values of its output flags, which may be a folder. A command
 * with wrong arguments writes nothing; the error is reported when its job runs.
 */
function writtenFiles([command, ...args]: readonly string[], outputs: string[], folder: string): string[] {
  try {
    if (command === "convert") {
      const parsed = parseConvert(args, folder);
      return parsed.do === "convert" ? parsed.files.map(({ output }) => output.path) : [];
    }
    if (command === "inbetween") {
      const parsed = parseInbetween(args);
      if (parsed.do !== "inbetween") return [];
      const { output, options } = parsed;
      if (options.candidates === undefined) return [output.path];
      const length = Math.min(options.candidates, MAX_CANDIDATES);
      return Array.from({ length }, (_, index) => candidatePath(output, index));
    }
  } catch {
    return [];
  }
  const [output] = outputs;
  const hasDefaultCsv = command === "root" && args.includes("--extract") && outputs.length === 1;
  return hasDefaultCsv && output !== undefined && output !== STANDARD ? [output, defaultCsvPath(output)] : outputs;
}

/** Replaces a pattern by the files that match it. Other words stay unchanged, also a pattern that matches no file. */
function expandWord(word: string, folder: string): string[] {
  try {
    return expandPatterns([word], folder);
  } catch {
    return [word];
  }
}

/** Flags of second outputs by command. */
const SECOND_OUTPUTS = new Map([
  ["lscore", "--map"],
  ["phases", "--svg"],
  ["root", "--path"],
]);

/** Returns the values of the output flags of a command, and its other words that are not flags. */
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
  return { outputs, others: command === "inbetween" ? others.map((word) => word.replace(/@\d+$/, "")) : others };
}

/** Splits `--name=value` and `-oFILE` into option and value. */
function splitValue(word: string): string[] {
  const [, option, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? /^(-o)(.+)$/s.exec(word) ?? [];
  return option === undefined || value === undefined ? [word] : [option, value];
}
