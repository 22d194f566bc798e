/**
 * Stores the completed jobs of a batch, one line per job, in a file next to the recipe, so that a stopped batch can be
 * continued.
 */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Job } from "./job.js";

/** Result of a job in the report. */
export interface JobResult {
  /** Arguments of the command. */
  run: string[];
  ok: boolean;
  seconds: number;
  error?: string;
}

/** Returns the path of the file that stores the completed jobs of a recipe. */
export const progressPath = (recipe: string): string => `${recipe}.progress`;

/** Completed jobs of a recipe; the next run skips them. */
export class Progress {
  readonly #file: string;
  readonly #folder: string;
  readonly #keys: Set<string>;
  /**
   * Keys of the jobs with the input files that they had before they ran: if a file changes while its job runs, the job
   * runs again in the next batch.
   */
  readonly #keyByJob = new Map<Job, string>();
  /** Ends a line that is incomplete because the process was killed; else empty. */
  #lineEnd: string;

  /** Reads the completed jobs of a recipe file from RECIPE.json.progress. */
  constructor(recipe: string) {
    this.#file = progressPath(recipe);
    this.#folder = dirname(resolve(recipe));
    const text = existsSync(this.#file) ? readFileSync(this.#file, "utf8") : "";
    // An incomplete line matches no job, so its job runs again.
    this.#keys = new Set(text.split("\n"));
    this.#lineEnd = text === "" || text.endsWith("\n") ? "" : "\n";
  }

  /**
   * Whether a job was completed with its present input files, and its outputs still exist. Call it for each job before
   * the job runs.
   */
  isDone(job: Job): boolean {
    const key = this.#key(job);
    this.#keyByJob.set(job, key);
    return job.outputs.every((output) => existsSync(resolve(this.#folder, output))) && this.#keys.has(key);
  }

  /** Records a completed job. */
  add(job: Job): void {
    appendFileSync(this.#file, `${this.#lineEnd}${this.#keyByJob.get(job) ?? this.#key(job)}\n`);
    this.#lineEnd = "";
  }

  /** Hashes the arguments of a job with the size and modification time of its input files. */
  #key({ run, files }: Job): string {
    const states = files.map((file) => {
      const { size, mtimeMs } = statSync(resolve(this.#folder, file), { throwIfNoEntry: false }) ?? {
        size: 0,
        mtimeMs: 0,
      };
      return [file, size, mtimeMs];
    });
    return createHash("sha256")
      .update(JSON.stringify([run, states]))
      .digest("hex");
  }
}
