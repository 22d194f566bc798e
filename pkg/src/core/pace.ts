/** Pauses of a long computation: every few milliseconds the thread handles events, and aborts take effect. */
import { throwIfAborted } from "./error.js";
import { nextTask, SLICE_MS } from "./next-task.js";

/** Clock of a long loop. Usage: `if (pace.due) await pace.pause()`. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  #lastPause = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether a pause is due; fast enough to be read in each iteration. */
  get due(): boolean {
    return performance.now() - this.#lastPause > SLICE_MS;
  }

  /** Lets events be handled. Rejects if the signal is aborted. */
  async pause(): Promise<void> {
    await nextTask();
    throwIfAborted(this.#signal);
    this.#lastPause = performance.now();
  }
}
