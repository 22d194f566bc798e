/**
 * A computation that several callers share: each caller receives its progress and may stop waiting. The computation is
 * aborted when no caller waits any more.
 */
import { aborted, throwIfAborted } from "./error.js";
import type { Progress, TaskOptions } from "./types.js";

export class SharedWork<T> {
  readonly #abortController = new AbortController();
  readonly #listeners = new Set<(progress: Progress) => void>();
  readonly #result: Promise<T>;
  #waiting = 0;
  #hasSucceeded = false;

  constructor(work: (task: Required<TaskOptions>) => Promise<T>) {
    const onProgress = (progress: Progress): void => this.#listeners.forEach((listen) => listen(progress));
    this.#result = work({ signal: this.#abortController.signal, onProgress });
    this.#result.then(
      () => (this.#hasSucceeded = true),
      // If one part of the computation fails, its other parts are aborted.
      () => this.#abortController.abort(),
    );
  }

  /** Whether the computation was aborted or has failed, so that new callers cannot join it. */
  get isStopped(): boolean {
    return this.#abortController.signal.aborted;
  }

  /** Joins the computation. An exception of this caller's `onProgress` ends only its own wait. */
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
        if (this.#listeners.delete(listen) && --this.#waiting === 0 && !this.#hasSucceeded)
          this.#abortController.abort();
      };
      this.#waiting++;
      this.#listeners.add(listen);
      signal?.addEventListener("abort", abort);
      this.#result.then(resolve, reject);
      this.#result.then(leave, leave);
    });
  }
}
