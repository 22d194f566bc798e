/** Solves the motion on the page's own thread while a key is dragged, without the latency of the worker. */
import type { InbetweenMethod, InbetweenReport, LiveInbetween } from "kinestitch/worker";
import type { WorkerClip } from "../../core/engine";
import { liveInbetween } from "../../core/live-functions";
import { choiceOf, type Document } from "./document";

/** Maximum number of frames of a clip: preparing longer clips would block the page, so the worker solves them. */
const MAX_FRAMES = 6000;
/** Time without edits after which a document is prepared, milliseconds. */
const PREPARE_DELAY_MS = 250;

/** A session with the prepared keys of a document. `key`: see `sessionKey`. */
interface PreparedSession {
  key: string;
  session: LiveInbetween;
  joints: number;
}

/** A motion solved during a drag. `positions`: [frames × joints × 3], metres. */
export interface DraggedMotion {
  frames: number;
  positions: Float32Array;
  report: InbetweenReport;
  milliseconds: number;
}

/** Returns a key that changes with all that requires a new session. Ground poses and gaps can be changed in a session. */
const sessionKey = (document: Document, method: InbetweenMethod, versions: readonly (number | undefined)[]): string =>
  JSON.stringify([
    document.keys.map(({ source, from, to }, i) => [source, versions[i], from, to]),
    document.footLock,
    choiceOf(document, method),
  ]);

/** Prepares a session for a document, and solves the motion in it. */
export class DragSolver {
  #prepared: PreparedSession | undefined;
  #wantedKey = "";
  #timer = 0;
  #positions = new Float32Array();

  /**
   * Prepares a session after a delay. Ignores errors, which the worker reports too. `versions`: of the sources of the
   * keys; `trainingSet`: training data of the network, if the method is one.
   */
  prepare(
    document: Document,
    method: InbetweenMethod,
    versions: readonly (number | undefined)[],
    clips: readonly WorkerClip[],
    joints: number,
    trainingSet: string | undefined,
  ): void {
    const wantedKey = sessionKey(document, method, versions);
    if (wantedKey === this.#wantedKey || clips.some(({ frames }) => frames > MAX_FRAMES)) return;
    this.#wantedKey = wantedKey;
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      const keys = document.keys.map(({ from, to, at }, i) => ({ clip: clips[i], from, to, ...(at && { at }) }));
      liveInbetween(
        keys,
        { frames: [...document.gaps], footLock: document.footLock, ...choiceOf(document, method) },
        trainingSet,
      ).then(
        (session) => {
          if (this.#wantedKey !== wantedKey) return session.free();
          this.#prepared?.session.free();
          this.#prepared = { key: wantedKey, session, joints };
        },
        () => undefined,
      );
    }, PREPARE_DELAY_MS);
  }

  /** Solves the motion for the current ground poses and gaps; `undefined` if there is no session for the document. */
  solve(
    document: Document,
    method: InbetweenMethod,
    versions: readonly (number | undefined)[],
  ): DraggedMotion | undefined {
    const prepared = this.#prepared;
    if (!prepared || prepared.key !== sessionKey(document, method, versions)) return undefined;
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

  free(): void {
    window.clearTimeout(this.#timer);
    this.#wantedKey = "";
    this.#prepared?.session.free();
    this.#prepared = undefined;
  }
}
