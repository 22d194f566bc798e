/** Sums up the progress of several downloads. */
import type { Progress, TaskOptions } from "../core/types.js";

export class Download {
  readonly #task: Required<TaskOptions>;
  readonly #received: number[];
  readonly #total: number;

  constructor(task: Required<TaskOptions>, ...sizes: number[]) {
    this.#task = task;
    this.#received = sizes.map(() => 0);
    this.#total = sizes.reduce((sum, size) => sum + size, 0);
    this.#report(0, 0);
  }

  /** Returns the signal and the progress callback for the download of a file. */
  fileTask(index: number): Required<TaskOptions> {
    const onProgress = ({ bytes = 0 }: Progress): void => {
      this.#received[index] = bytes;
      const receivedBytes = this.#received.reduce((sum, bytes) => sum + bytes, 0);
      // Cached files are not downloaded, and loading takes time after the download, so the fraction stays below 1.
      this.#report(Math.min(receivedBytes, this.#total), 0.99);
    };
    return { signal: this.#task.signal, onProgress };
  }

  /** Reports that all files are loaded. */
  end(): void {
    this.#report(this.#total, 1);
  }

  #report(bytes: number, maxFraction: number): void {
    const done = Math.min(this.#total > 0 ? bytes / this.#total : 1, maxFraction);
    this.#task.onProgress({ stage: "network", done, bytes, totalBytes: this.#total });
  }
}
