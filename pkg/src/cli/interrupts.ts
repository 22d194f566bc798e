/** Delays signals that end the process while a temporary file exists. */
import { setImmediate } from "node:timers/promises";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Error thrown after a delayed signal. */
export class Interrupted extends Error {}

/** Catches signals that end the process until `release` is called. */
export class Interrupts {
  #caught: NodeJS.Signals | undefined;
  readonly #catch = (signal: NodeJS.Signals): void => void (this.#caught ??= signal);

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#catch);
  }

  /** Throws {@link Interrupted} if a signal has arrived. */
  async throwIfInterrupted(): Promise<void> {
    await setImmediate();
    if (this.#caught) throw new Interrupted(`interrupted by ${this.#caught}`);
  }

  /** Stops catching signals, and sends a delayed signal again, which now has its default effect. */
  async release(): Promise<void> {
    await setImmediate();
    for (const signal of SIGNALS) process.off(signal, this.#catch);
    if (this.#caught) process.kill(process.pid, this.#caught);
  }
}
