/**
 * Restarts a wasm module after a call that crashed: by a panic, which is a bug of this package, or because there was no
 * memory. The state of such an instance is invalid, and its memory is not released. Clips are stored outside the module
 * and stay usable; objects inside the module (controllers, live sessions, loaded networks) are lost, and their next use
 * throws.
 */
export class RestartableModule {
  #reset: (() => void) | undefined;
  #listeners: (() => void)[] = [];
  /** Number of running calls: a call may run a callback of the user, which may call the module again. */
  #calls = 0;
  #hasCrashed = false;

  /** Sets the function that replaces the instance by a new one; called when the module has started. */
  setReset(reset: (() => void) | undefined): void {
    this.#reset = reset;
  }

  /** Registers a function that is called after each restart, to drop references to objects of the old instance. */
  onRestart(listen: () => void): void {
    this.#listeners.push(listen);
  }

  /**
   * Runs a call into the module. If a call crashes, the module is restarted as soon as no call is running.
   * `explain` converts a thrown error while the instance still exists.
   */
  run<T>(call: () => T, explain: (error: unknown) => unknown): T {
    this.#calls++;
    try {
      return call();
    } catch (error) {
      this.#hasCrashed ||= isCrash(error);
      throw explain(error);
    } finally {
      this.#calls--;
      if (this.#hasCrashed && this.#calls === 0) this.#restart();
    }
  }

  #restart(): void {
    try {
      this.#reset?.();
    } catch {
      // There is no memory for a new instance. The next call fails too, and the restart is tried again after it.
      return;
    }
    this.#hasCrashed = false;
    for (const listen of this.#listeners) listen();
  }
}

/**
 * Returns whether a call crashed: by a trap, by a result too large for memory, or by a panic (code "wasm" of
 * wasm/src/error.rs).
 */
function isCrash(error: unknown): boolean {
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) return true;
  return error instanceof Error && error.name === "Error" && (error as { code?: unknown }).code === "wasm";
}

/** The main module, or the module of `kinestitch/small` in its worker. */
export const mainInstance = /* @__PURE__ */ new RestartableModule();

/**
 * Returns whether an object belongs to an instance that was replaced; the message is one of wasm-bindgen's glue code.
 */
export const isStaleObject = (error: unknown): boolean =>
  error instanceof Error && error.message === "Invalid stale object from previous Wasm instance";
