/** Pauses long computations on a shared thread every few milliseconds, and checks for an abort. */
import { throwIfAborted } from "./error.js";
import { nextTask, TURN } from "./next-task.js";

/** Interrupts a long loop regularly, so that aborts take effect and the page stays responsive. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether a pause is due; cheap enough to be called often. */
  get due(): boolean {
    return performance.now() - this.#since > TURN;
  }

  /** Lets events be handled. Rejects if the signal is aborted. */
  async pause(): Promise<void> {
    await nextTask();
    throwIfAborted(this.#signal);
    this.#since = performance.now();
  }
}
