/** Solves the motion on the page's own thread while a key is dragged, without the latency of the worker. */
import type { InbetweenMethod, InbetweenReport, LiveInbetween } from "kinestitch/worker";
import type { Clip } from "../../core/engine";
import { liveInbetween } from "../../core/live-functions";
import { choiceOf, type Document } from "./document";

/** Maximum number of frames of a clip: preparing longer clips would block the page, so the worker solves them. */
const MAX_FRAMES = 6000;
/** Time without edits after which a session is prepared, milliseconds. */
const PREPARE_DELAY_MS = 250;

/** A session with the prepared keys of a document. */
interface PreparedSession {
  /** See `cacheKeyOf`. */
  cacheKey: string;
  session: LiveInbetween;
  /** Number of joints of the motion. */
  joints: number;
}

/** A motion solved during a drag. */
export interface DraggedMotion {
  frames: number;
  /** World positions, [frames × joints × 3], metres. The next call of `solve` may overwrite them. */
  positions: Float32Array;
  report: InbetweenReport;
  /** Computation time. */
  milliseconds: number;
}

/**
 * Returns the cache key of a session: documents with the same cache key can use the same session. Ground poses and gaps
 * are not part of it, because they can be changed in a session.
 */
const cacheKeyOf = (document: Document, method: InbetweenMethod, versions: readonly (number | undefined)[]): string =>
  JSON.stringify([
    document.keys.map(({ source, from, to }, i) => [source, versions[i], from, to]),
    document.footLock,
    choiceOf(document, method),
  ]);

/** Prepares an in-betweening session for a document, and solves the motion in it. */
export class DragSolver {
  #prepared: PreparedSession | undefined;
  /** Cache key and training set of the session that was requested last. */
  #wanted = "";
  #timer = 0;
  #positions = new Float32Array();

  /**
   * Prepares a session after a delay. Ignores errors, because the worker reports them. `versions` and `clips`: version
   * and clip of the source of each key, see `Source.version`. `joints`: number of joints of the motion. `trainingSet`:
   * if the method is a network, its training data ("open" or "research").
   */
  prepare(
    document: Document,
    method: InbetweenMethod,
    versions: readonly (number | undefined)[],
    clips: readonly Clip[],
    joints: number,
    trainingSet: string | undefined,
  ): void {
    const cacheKey = cacheKeyOf(document, method, versions);
    const wanted = JSON.stringify([cacheKey, trainingSet]);
    if (wanted === this.#wanted || clips.some(({ frames }) => frames > MAX_FRAMES)) return;
    this.#wanted = wanted;
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      const keys = document.keys.map(({ from, to, at }, i) => ({ clip: clips[i], from, to, ...(at && { at }) }));
      liveInbetween(
        keys,
        { frames: [...document.gaps], footLock: document.footLock, ...choiceOf(document, method) },
        trainingSet,
      ).then(
        (session) => {
          if (this.#wanted !== wanted) return session.free();
          this.#prepared?.session.free();
          this.#prepared = { cacheKey, session, joints };
        },
        () => {
          // The next call tries again: a file may not have been loaded.
          if (this.#wanted === wanted) this.#wanted = "";
        },
      );
    }, PREPARE_DELAY_MS);
  }

  /**
   * Solves the motion for the current ground poses and gaps. Returns `undefined` if no session is prepared for the
   * document, or if solving fails. `versions`: see `prepare`.
   */
  solve(
    document: Document,
    method: InbetweenMethod,
    versions: readonly (number | undefined)[],
  ): DraggedMotion | undefined {
    const prepared = this.#prepared;
    if (!prepared || prepared.cacheKey !== cacheKeyOf(document, method, versions)) return undefined;
    const { session, joints } = prepared;
    const startTime = performance.now();
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
        milliseconds: performance.now() - startTime,
      };
    } catch {
      // The worker reports the error when it solves the same document.
      return undefined;
    }
  }

  /** Frees the session, and cancels a preparation. */
  free(): void {
    window.clearTimeout(this.#timer);
    this.#wanted = "";
    this.#prepared?.session.free();
    this.#prepared = undefined;
  }
}
