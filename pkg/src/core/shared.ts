/**
 * One computation that several callers wait for: each hears its progress and may leave; when the last one has left it is
 * stopped.
 */
import { aborted, throwIfAborted } from "./error.js";
import type { Progress, TaskOptions } from "./types.js";

export class Shared<T> {
  readonly #stop = new AbortController();
  readonly #listeners = new Set<(progress: Progress) => void>();
  readonly #result: Promise<T>;
  #waiting = 0;
  #ended = false;

  constructor(work: (task: Required<TaskOptions>) => Promise<T>) {
    const onProgress = (progress: Progress): void => this.#listeners.forEach((listen) => listen(progress));
    this.#result = work({ signal: this.#stop.signal, onProgress });
    this.#result.then(
      () => (this.#ended = true),
      // Where one part of the work fails, the others need not go on.
      () => this.#stop.abort(),
    );
  }

  /** Nobody waited any more, or it failed: it gives nothing to whoever comes now. */
  get stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Waits with the others. An error of this caller's `onProgress` ends the wait of this caller alone. */
  wait({ signal, onProgress }: TaskOptions): Promise<T> {
    throwIfAborted(signal);
    return new Promise((resolve, reject) => {
      const listen = (progress: Progress): void => {
        try {
          onProgress?.(progress);
        } catch (error) {
          leave();
          reject(error);
        }
      };
      const abort = (): void => {
        leave();
        reject(aborted(signal));
      };
      const leave = (): void => {
        signal?.removeEventListener("abort", abort);
        if (this.#listeners.delete(listen) && --this.#waiting === 0 && !this.#ended) this.#stop.abort();
      };
      this.#waiting++;
      this.#listeners.add(listen);
      signal?.addEventListener("abort", abort);
      this.#result.then(resolve, reject);
      this.#result.then(leave, leave);
    });
  }
}
