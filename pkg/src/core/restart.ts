/**
 * Starting a wasm module anew after a call stopped half-way: a panic, which is a fault of ours, or memory that could
 * not be had. Such an instance is not to be trusted again, and does not give its memory back. Clips hold their own
 * bytes and go on; objects inside the module (a controller, a live session, a loaded network) are lost, and say so.
 */
export class RestartableModule {
  #reset: (() => void) | undefined;
  #listeners: (() => void)[] = [];
  /** Calls under way: one may call back, and what it calls back may call again. */
  #calls = 0;
  #isStopped = false;

  /** The module is there; `reset` puts a fresh instance in its place. */
  started(reset: (() => void) | undefined): void {
    this.#reset = reset;
  }

  /** `listen` is called after each restart: whoever keeps objects of the module lets go of them. */
  onRestart(listen: () => void): void {
    this.#listeners.push(listen);
  }

  /**
   * Runs a call into the module. If a call stops half-way, the module is restarted as soon as no call is running.
   * `explain` converts a thrown error while the instance still exists.
   */
  run<T>(call: () => T, explain: (error: unknown) => unknown): T {
    this.#calls++;
    try {
      return call();
    } catch (error) {
      this.#isStopped ||= stoppedHalfWay(error);
      throw explain(error);
    } finally {
      this.#calls--;
      if (this.#isStopped && this.#calls === 0) this.#restart();
    }
  }

  #restart(): void {
    try {
      this.#reset?.();
    } catch {
      // No memory for an instance: tried again after the next call, which fails and says so.
      return;
    }
    this.#isStopped = false;
    for (const listen of this.#listeners) listen();
  }
}

/** A trap, a result that found no room on its way out, or a panic, which src/wasm.rs throws with the code "wasm". */
function stoppedHalfWay(error: unknown): boolean {
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) return true;
  return error instanceof Error && error.name === "Error" && (error as { code?: unknown }).code === "wasm";
}

/** The module of clips and stitching. */
export const lightModule = /* @__PURE__ */ new RestartableModule();
/** The module of in-betweening and of networks on the CPU. */
export const liveModule = /* @__PURE__ */ new RestartableModule();

/** An object of an instance that is gone, in the words of wasm-bindgen's glue. */
export const isLost = (error: unknown): boolean =>
  error instanceof Error && error.message === "Invalid stale object from previous Wasm instance";
