/** Adds up the progress of several downloads. */
import type { Progress, TaskOptions } from "../core/types.js";

export class Download {
  readonly #task: Required<TaskOptions>;
  readonly #come: number[];
  readonly #total: number;

  constructor(task: Required<TaskOptions>, ...sizes: number[]) {
    this.#task = task;
    this.#come = sizes.map(() => 0);
    this.#total = sizes.reduce((sum, size) => sum + size, 0);
    this.#report(0, 0);
  }

  /** The task of one of the files. */
  part(index: number): Required<TaskOptions> {
    const onProgress = ({ bytes = 0 }: Progress): void => {
      this.#come[index] = bytes;
      const come = this.#come.reduce((sum, part) => sum + part, 0);
      // Files already given or cached are not downloaded, and loading takes a moment, so the fraction stays below 1.
      this.#report(Math.min(come, this.#total), 0.99);
    };
    return { signal: this.#task.signal, onProgress };
  }

  end(): void {
    this.#report(this.#total, 1);
  }

  #report(bytes: number, most: number): void {
    const done = Math.min(this.#total > 0 ? bytes / this.#total : 1, most);
    this.#task.onProgress({ stage: "network", done, bytes, totalBytes: this.#total });
  }
}
