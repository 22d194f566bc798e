/** Solves keys during a drag on the page's own thread, without the latency of the worker. */
import type { InbetweenMethod, InbetweenReport, LiveInbetween } from "kinestitch/worker";
import type { WorkerClip } from "../../core/engine";
import { liveInbetween } from "../../core/live-functions";
import { choiceOf, type Document } from "./document";

/** Longest clip, frames; longer ones are left to the worker, because preparing them would block the page. */
const LONGEST = 6000;
/** Idle time before a document is prepared, milliseconds. */
const REST_MS = 250;

/** Prepared keys of a document. */
interface Ready {
  of: string;
  session: LiveInbetween;
  joints: number;
}

/** A motion solved during a drag. `positions`: [frames × joints × 3], metres. */
export interface Followed {
  frames: number;
  positions: Float32Array;
  report: InbetweenReport;
  milliseconds: number;
}

/** Properties that require a new session; ground poses and gaps can be changed in one. */
const essence = (document: Document, method: InbetweenMethod, versions: readonly (number | undefined)[]): string =>
  JSON.stringify([
    document.keys.map(({ source, from, to }, i) => [source, versions[i], from, to]),
    document.footLock,
    choiceOf(document, method),
  ]);

/** Solves the motion on the page's thread while a key is dragged. */
export class Follower {
  #ready: Ready | undefined;
  #wanted = "";
  #timer = 0;
  #positions = new Float32Array();

  /** Prepares a document after a delay; failures are left to the worker. */
  prepare(
    document: Document,
    method: InbetweenMethod,
    versions: readonly (number | undefined)[],
    clips: readonly WorkerClip[],
    joints: number,
    set: string | undefined,
  ): void {
    const of = essence(document, method, versions);
    if (of === this.#wanted || clips.some(({ frames }) => frames > LONGEST)) return;
    this.#wanted = of;
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      const keys = document.keys.map(({ from, to, at }, i) => ({ clip: clips[i], from, to, ...(at && { at }) }));
      liveInbetween(
        keys,
        { frames: [...document.gaps], footLock: document.footLock, ...choiceOf(document, method) },
        set,
      ).then(
        (session) => {
          if (this.#wanted !== of) return session.free();
          this.#ready?.session.free();
          this.#ready = { of, session, joints };
        },
        () => undefined,
      );
    }, REST_MS);
  }

  /** The motion through the keys in their present state; `undefined` if they are not prepared. */
  follow(document: Document, method: InbetweenMethod, versions: readonly (number | undefined)[]): Followed | undefined {
    const ready = this.#ready;
    if (!ready || ready.of !== essence(document, method, versions)) return undefined;
    const { session, joints } = ready;
    const started = performance.now();
    try {
      document.keys.forEach(({ at }, key) => session.place(key, at));
      document.gaps.forEach((frames, gap) => session.setFrames(gap, frames));
      const frames = session.solve();
      if (this.#positions.length !== frames * joints * 3) this.#positions = new Float32Array(frames * joints * 3);
      session.positions(this.#positions);
      return {
        frames,
        positions: this.#positions,
        report: session.report(),
        milliseconds: performance.now() - started,
      };
    } catch {
      // The worker will report the error.
      return undefined;
    }
  }

  free(): void {
    window.clearTimeout(this.#timer);
    this.#wanted = "";
    this.#ready?.session.free();
    this.#ready = undefined;
  }
}
