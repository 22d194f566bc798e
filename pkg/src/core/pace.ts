/** Long work on a thread that others need too: it pauses every few milliseconds, and hears there that nobody wants it any more. */
import { throwIfAborted } from "./error.js";
import { nextTask, TURN } from "./next-task.js";

export class Pace {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether it is time to pause; to be asked often. */
  get due(): boolean {
    return performance.now() - this.#since > TURN;
  }

  /** Lets events be handled. Rejects where the signal is aborted. */
  async pause(): Promise<void> {
    await nextTask();
    throwIfAborted(this.#signal);
    this.#since = performance.now();
  }
}
