/** Keys while they are dragged: the motion is made on the page's own thread, at once, where the worker would be a moment behind. */
import type { InbetweenMethod, InbetweenReport, LiveInbetween } from "kinestitch/worker";
import type { WorkerClip } from "../../core/engine";
import { liveInbetween } from "../../core/live";
import { toldOf, type Document } from "./document";

/** Clips of more frames are the worker's alone: to make them ready would hold up the page. */
const LONGEST = 6000;
/** Milliseconds of rest before a document is made ready. */
const REST_MS = 250;

/** A document's keys, ready to be dragged. */
interface Ready {
  of: string;
  session: LiveInbetween;
  joints: number;
}

export interface Followed {
  frames: number;
  positions: Float32Array;
  report: InbetweenReport;
  milliseconds: number;
}

/** What a session is made of; places and gaps it takes as they come. */
const essence = (document: Document, method: InbetweenMethod, versions: readonly (number | undefined)[]): string =>
  JSON.stringify([
    document.keys.map(({ source, from, to }, i) => [source, versions[i], from, to]),
    document.footLock,
    method,
    toldOf(document, method),
  ]);

export class Follower {
  #ready: Ready | undefined;
  #wanted = "";
  #timer = 0;
  #positions = new Float32Array();

  /** Makes a document ready, after a moment; one that cannot be is left to the worker. */
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
        { frames: [...document.gaps], method, footLock: document.footLock, ...toldOf(document, method) },
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

  /** The motion through the keys as they stand now; `undefined` where they are not ready. */
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
      // The worker says what is wrong.
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
