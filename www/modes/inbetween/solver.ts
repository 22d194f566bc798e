/** Updates the motion from the document. While one request is computed, only the newest of the others waits. */
import type { InbetweenMethod, InbetweenReport } from "kinestitch/worker";
import { beginOperation, type Operation } from "../../core/operation";
import {
  inbetween,
  motionOf,
  problemOf,
  type Motion,
  type Problem,
  type Clip,
  type WorkerInbetween,
} from "../../core/engine";
import type { Library } from "../../core/library";
import { choiceOf, type Document } from "./document";
import { DragSolver } from "./drag-solver";
import { PLAIN_METHOD, type Method } from "./methods";

/** A motion between keys. During a drag, `motion` keeps the curves of the previous motion. */
export interface SolvedMotion {
  /** Text of everything that the motion depends on: motions with the same text are equal. */
  key: string;
  document: Document;
  method: Method;
  motion: Motion;
  /** The clip from the worker, with its report; during a drag only the report. */
  clip: InbetweenReport & { readonly milliseconds: number };
}

/** A requested motion. */
interface Request {
  key: string;
  document: Document;
  method: Method;
  isCancelled?: boolean;
}

/** Returns the method for a drag, which has no time for "auto": instead of it, the method of most gaps. */
function chooseDragMethod({ method, clip: { gaps } }: SolvedMotion): InbetweenMethod {
  if (method !== "auto") return method;
  const names = gaps.map((gap) => gap.method);
  const count = (name: InbetweenMethod): number => names.filter((other) => other === name).length;
  return names.reduce((best, name) => (count(name) > count(best) ? name : best), names[0] ?? PLAIN_METHOD);
}

/** Keeps a motion up to date with the document. */
export class Solver {
  /** The current motion. */
  solved: SolvedMotion | undefined;
  /** The clip of the last motion that the worker has solved, for export. */
  clip: WorkerInbetween | undefined;
  /** Whether the mode is shown, so that keys may be dragged. */
  isShown = false;
  /** Returns the set of weights, such as "open", of the loaded network of a method, if it has one. */
  trainingSetOf: (method: InbetweenMethod) => string | undefined = () => undefined;
  problem: Problem | undefined;
  busy: Operation | undefined;
  /** The newest request. */
  #wanted: Request | undefined;
  #running: AbortController | undefined;
  #dragSolver = new DragSolver();
  /** Method of the next drag. */
  #dragMethod: InbetweenMethod = PLAIN_METHOD;
  #library: Library;
  #onChange: () => void;

  constructor(library: Library, onChange: () => void) {
    this.#library = library;
    this.#onChange = onChange;
  }

  /**
   * Call after every edit; no effect if the motion is current. During a drag it is solved immediately. `version`
   * changes whenever "auto" may choose another method.
   */
  update(document: Document, method: Method, dragging = false, version = ""): void {
    const keys = document.keys.map(({ source, from, to, at }) => [
      source,
      this.#library.sources.get(source)?.version,
      from,
      to,
      at,
    ]);
    const ready =
      document.keys.length > 1 &&
      document.keys.every(({ source }) => this.#library.sources.get(source)?.state === "ready");
    if (!ready) {
      this.#wanted = this.solved = this.clip = this.problem = this.busy = undefined;
      this.#dragSolver.free();
      return;
    }
    const key = JSON.stringify([keys, document.gaps, document.footLock, choiceOf(document, method), version]);
    if (dragging && this.solved && (key === this.solved.key || this.#solveDragged(this.solved, key, document, method)))
      return;
    if (key === this.#wanted?.key) return;
    this.#wanted = { key, document, method };
    this.busy = beginOperation("blend", this.#onChange, this.busy?.startTime);
    if (!this.#running) void this.#run();
  }

  /** Called when the mode is shown or hidden. */
  setShown(isShown: boolean): void {
    this.isShown = isShown;
    if (!isShown) this.#dragSolver.free();
    else if (this.solved) void this.#prepare(this.solved);
  }

  /** Solves the motion on this thread. Returns whether that was possible. */
  #solveDragged(previous: SolvedMotion, key: string, document: Document, method: Method): boolean {
    const dragged = this.#dragSolver.solve(
      document,
      method === "auto" ? this.#dragMethod : method,
      this.#versions(document),
    );
    if (!dragged) return false;
    const { frames, positions, report, milliseconds } = dragged;
    this.solved = {
      key,
      document,
      method,
      motion: { ...previous.motion, frames, positions },
      clip: { ...report, milliseconds },
    };
    // The worker solves it again after the drag.
    this.#wanted = this.busy = this.problem = undefined;
    return true;
  }

  #versions({ keys }: Document): (number | undefined)[] {
    return keys.map(({ source }) => this.#library.sources.get(source)?.version);
  }

  async #clips({ keys }: Document): Promise<Clip[]> {
    const clips = [];
    for (const { source } of keys) clips.push((await this.#library.clip(source, undefined)).clip);
    return clips;
  }

  /** Prepares a session for the next drag. */
  async #prepare(solved: SolvedMotion): Promise<void> {
    const { document, motion } = solved;
    const method = (this.#dragMethod = chooseDragMethod(solved));
    const clips = await this.#clips(document).catch(() => undefined);
    if (clips && this.isShown)
      this.#dragSolver.prepare(
        document,
        method,
        this.#versions(document),
        clips,
        motion.joints.length,
        this.trainingSetOf(method),
      );
  }

  cancel(): void {
    this.#running?.abort();
    // A waiting request must not start when the running one has ended.
    if (this.#wanted) this.#wanted.isCancelled = true;
    if (this.busy) this.problem = { code: "aborted", message: "solving was cancelled" };
    this.busy = undefined;
    this.#onChange();
  }

  /** Solves again at the next update. */
  retry(): void {
    this.#wanted = undefined;
    this.#onChange();
  }

  async #run(): Promise<void> {
    // Requests are compared by identity: one that is made again after a cancel has the same key.
    let last: Request | undefined;
    while (this.#wanted && this.#wanted !== last && !this.#wanted.isCancelled) {
      last = this.#wanted;
      const { key, document, method } = last;
      const abort = (this.#running = new AbortController());
      try {
        const result = await this.#compute(key, document, method, abort.signal);
        // The user may have started a drag, which is newer.
        if (abort.signal.aborted || !this.#wanted) continue;
        ({ solved: this.solved, clip: this.clip } = result);
        this.problem = undefined;
        // A drag that has returned to its start requests the same motion again.
        if (this.#wanted.key === key) last = this.#wanted;
        if (this.isShown) void this.#prepare(this.solved);
      } catch (error) {
        // The error of an outdated request says nothing about the current document.
        if (!abort.signal.aborted && this.#wanted === last) this.problem = problemOf(error);
      }
      if (this.#wanted === last) this.busy = undefined;
      this.#onChange();
    }
    this.#running = undefined;
  }

  async #compute(
    key: string,
    document: Document,
    method: Method,
    signal: AbortSignal,
  ): Promise<{ solved: SolvedMotion; clip: WorkerInbetween }> {
    const clips = await this.#clips(document);
    const keys = document.keys.map(({ from, to, at }, i) => ({ clip: clips[i], from, to, ...(at && { at }) }));
    const clip = await inbetween(keys, {
      frames: [...document.gaps],
      ...choiceOf(document, method),
      footLock: document.footLock,
      signal,
      onProgress: (progress) => {
        if (!this.busy || this.#wanted?.key !== key) return;
        this.busy.progress = progress;
        this.#onChange();
      },
    });
    return { solved: { key, document, method, motion: await motionOf(clip), clip }, clip };
  }
}
