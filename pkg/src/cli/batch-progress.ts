/** Completed jobs of a batch: one line each in a file beside the recipe, so that a stopped batch can be continued. */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Job } from "./recipe.js";

/** Result of a job. */
export interface Done {
  run: string[];
  ok: boolean;
  seconds: number;
  error?: string;
}

/** Jobs that an interrupted batch has completed; stored in a file, so that the next run skips them. */
export class Progress {
  readonly #file: string;
  readonly #folder: string;
  readonly #done: Set<string>;

  /** Completed jobs of a recipe file. */
  constructor(recipe: string) {
    this.#file = `${recipe}.progress`;
    this.#folder = dirname(resolve(recipe));
    const text = existsSync(this.#file) ? readFileSync(this.#file, "utf8") : "";
    // A line truncated by a kill names no job, so that job runs again.
    this.#done = new Set(text.split("\n"));
  }

  /** Whether it was completed with these input files, and its output still exists. */
  isDone(job: Job): boolean {
    const there = job.output === undefined || existsSync(resolve(this.#folder, job.output));
    return there && this.#done.has(this.#key(job));
  }

  /** Records a completed job. */
  add(job: Job): void {
    appendFileSync(this.#file, `${this.#key(job)}\n`);
  }

  /** Depends on the words of a job, and on size and time of its input files. */
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
