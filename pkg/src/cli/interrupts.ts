/** Signals that end the process, held back while a temporary file exists. */
import { setImmediate } from "node:timers/promises";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Thrown where a signal came. */
export class Interrupted extends Error {}

export class Interrupts {
  #caught: NodeJS.Signals | undefined;
  readonly #catch = (signal: NodeJS.Signals): void => void (this.#caught ??= signal);

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#catch);
  }

  /** Hears signals that came meanwhile, and throws where one did. */
  async heard(): Promise<void> {
    await setImmediate();
    if (this.#caught) throw new Interrupted(`interrupted by ${this.#caught}`);
  }

  /** Lets signals through again: one that was held back now does what it would have done. */
  async end(): Promise<void> {
    await setImmediate();
    for (const signal of SIGNALS) process.off(signal, this.#catch);
    if (this.#caught) process.kill(process.pid, this.#caught);
  }
}
