/** Signals that end the process, delayed while a temporary file exists. */
import { setImmediate } from "node:timers/promises";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Thrown after a signal. */
export class Interrupted extends Error {}

/** Catches signals that end the process, until a command has removed its temporary file. */
export class Interrupts {
  #caught: NodeJS.Signals | undefined;
  readonly #catch = (signal: NodeJS.Signals): void => void (this.#caught ??= signal);

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#catch);
  }

  /** Handles delayed signals, and throws if there was one. */
  async heard(): Promise<void> {
    await setImmediate();
    if (this.#caught) throw new Interrupted(`interrupted by ${this.#caught}`);
  }

  /** Stops delaying signals; a delayed signal now has its usual effect. */
  async end(): Promise<void> {
    await setImmediate();
    for (const signal of SIGNALS) process.off(signal, this.#catch);
    if (this.#caught) process.kill(process.pid, this.#caught);
  }
}
