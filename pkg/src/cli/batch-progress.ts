/** Jobs of a batch that are done: a line each in a file beside the recipe, so that a batch that was stopped goes on. */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Job } from "./recipe.js";

/** How a job went. */
export interface Done {
  run: string[];
  ok: boolean;
  seconds: number;
  error?: string;
}

export class Progress {
  readonly #file: string;
  readonly #folder: string;
  readonly #done: Set<string>;

  /** Of a recipe's file. */
  constructor(recipe: string) {
    this.#file = `${recipe}.progress`;
    this.#folder = dirname(resolve(recipe));
    const text = existsSync(this.#file) ? readFileSync(this.#file, "utf8") : "";
    // A line that was cut off by a kill names no job, which then runs again.
    this.#done = new Set(text.split("\n"));
  }

  /** Whether it was done with these input files, and its output is still there. */
  isDone(job: Job): boolean {
    const there = job.output === undefined || existsSync(resolve(this.#folder, job.output));
    return there && this.#done.has(this.#key(job));
  }

  /** Remembers a job that is done. */
  add(job: Job): void {
    appendFileSync(this.#file, `${this.#key(job)}\n`);
  }

  /** Changes with the words of a job, and with size and time of its input files. */
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
