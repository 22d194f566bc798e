/**
 * A computation shared by several callers: each receives its progress and may leave. It is aborted when the last one
 * has left.
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
      // If one part of the work fails, the others are aborted.
      () => this.#stop.abort(),
    );
  }

  /** Whether it was aborted or has failed, so that new callers cannot join. */
  get stopped(): boolean {
    return this.#stop.signal.aborted;
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
