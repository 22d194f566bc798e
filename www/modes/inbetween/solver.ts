/** Keeps the motion through the keys up to date with the document. The newest wish wins; while one is computed, others wait. */
import type { InbetweenMethod } from "kinestitch/worker";
import { begin, type Busy } from "../../core/busy";
import { inbetween, motionOf, problemOf, type Motion, type Problem, type WorkerInbetween } from "../../core/engine";
import type { Library } from "../../core/library";
import type { Document } from "./document";

/** One finished motion. */
export interface Made {
  key: string;
  document: Document;
  method: InbetweenMethod;
  motion: Motion;
  clip: WorkerInbetween;
}

export class Solver {
  made: Made | undefined;
  problem: Problem | undefined;
  busy: Busy | undefined;
  #wanted: { key: string; document: Document; method: InbetweenMethod } | undefined;
  #running: AbortController | undefined;
  #library: Library;
  #changed: () => void;

  constructor(library: Library, changed: () => void) {
    this.#library = library;
    this.#changed = changed;
  }

  /** Call after every edit; does nothing where the motion is there already. */
  update(document: Document, method: InbetweenMethod): void {
    const keys = document.keys.map(({ source, from, to, at }) => [source, this.#library.sources.get(source)?.version, from, to, at]);
    const ready = document.keys.length > 1 && document.keys.every(({ source }) => this.#library.sources.get(source)?.state === "ready");
    const key = ready ? JSON.stringify([keys, document.gaps, document.footLock, method]) : "";
    if (key === (this.#wanted?.key ?? "")) return;
    this.#wanted = ready ? { key, document, method } : undefined;
    if (!ready) {
      this.made = this.problem = this.busy = undefined;
      return;
    }
    this.busy = begin("blend", this.#changed, this.busy?.since);
    if (!this.#running) void this.#run();
  }

  cancel(): void {
    this.#running?.abort();
    if (this.busy) this.problem = { code: "aborted", message: "this was cancelled" };
    this.busy = undefined;
    this.#changed();
  }

  /** Computes again, at the next update. */
  retry(): void {
    this.#wanted = undefined;
    this.#changed();
  }

  async #run(): Promise<void> {
    let done: string | undefined;
    while (this.#wanted && this.#wanted.key !== done) {
      const { key, document, method } = this.#wanted;
      done = key;
      const abort = (this.#running = new AbortController());
      try {
        const made = await this.#compute(key, document, method, abort.signal);
        if (abort.signal.aborted) continue;
        this.made = made;
        this.problem = undefined;
      } catch (error) {
        if (!abort.signal.aborted) this.problem = problemOf(error);
      }
      if (this.#wanted?.key === key) this.busy = undefined;
      this.#changed();
    }
    this.#running = undefined;
  }

  async #compute(key: string, document: Document, method: InbetweenMethod, signal: AbortSignal): Promise<Made> {
    const keys = [];
    for (const { source, from, to, at } of document.keys) {
      const { clip } = await this.#library.clip(source, undefined);
      keys.push({ clip, from, to, ...(at && { at }) });
    }
    const clip = await inbetween(keys, {
      frames: [...document.gaps],
      method,
      footLock: document.footLock,
      signal,
      onProgress: (progress) => {
        if (!this.busy || this.#wanted?.key !== key) return;
        this.busy.progress = progress;
        this.#changed();
      },
    });
    return { key, document, method, motion: await motionOf(clip), clip };
  }
}
