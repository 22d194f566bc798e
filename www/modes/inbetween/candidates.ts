/**
 * Candidates: several motions from one key to the next, by every available method, the most natural first. A network
 * with a gallery adds motions on different paths. It makes all motions in a style or along a drawn path.
 */
import type { InbetweenChoice, InbetweenOptions, InbetweenSpeed } from "kinestitch/worker";
import { beginOperation, type Operation } from "../../core/operation";
import { inbetween, posesOf, problemOf, styles, type Problem, type WorkerClip } from "../../core/engine";
import type { Poses } from "../../viewer/poses";
import type { Document } from "./document";
import type { Inbetween } from "./inbetween";
import { hasAutomatic, hasOption, pathMethod } from "./methods";
import { loadNetwork } from "./network";

/** Number of candidates shown at once. */
const COUNT = 7;

/** Points on the ground: x and z, metres. */
export type Line = readonly (readonly [x: number, z: number])[];

/** A candidate motion. */
export interface CandidateMotion {
  poses: Poses;
  frames: number;
  path: Line;
  speed: InbetweenSpeed | undefined;
  peakJerk: number;
  footSkate: number;
  /** The method that made it, with its own options. */
  method: InbetweenChoice;
}

/** Request for candidates. */
export interface CandidateRequest {
  style?: string | undefined;
  speed?: InbetweenSpeed | undefined;
  /** Whether they have the gap's present number of frames. */
  keepFrames: boolean;
}

/** Properties of the document that candidates depend on; they are discarded when these change. */
const essence = ({ keys, footLock }: Document): string =>
  JSON.stringify([keys.map(({ source, from, to, at }) => [source, from, to, at]), footLock]);

/** The candidates for the present keys. */
export class Candidates {
  request: CandidateRequest = { keepFrames: false };
  /** Names of the styles, once the network is loaded. */
  styles: readonly string[] = [];
  /** Points of a line drawn on the ground; if there are any, candidates follow it. */
  line: Line = [];
  /** Whether a press on the ground adds a point. */
  drawing = false;
  found: readonly CandidateMotion[] = [];
  /** Whether they are of all methods, the most natural first. */
  isRanked = false;
  /** Index of the previewed candidate. */
  seen: number | undefined;
  busy: Operation | undefined;
  problem: Problem | undefined;
  #mode: Inbetween;
  #of = "";
  #seed = 0;
  #abort: AbortController | undefined;

  constructor(mode: Inbetween) {
    this.#mode = mode;
  }

  /** Whether the keys allow candidates: exactly two. */
  get possible(): boolean {
    return this.#mode.document.keys.length === 2;
  }

  /** Discards candidates of other keys. */
  update(): void {
    if (this.#of && this.#of !== essence(this.#mode.document)) this.clear();
  }

  clear(): void {
    this.#abort?.abort();
    this.#of = "";
    this.found = [];
    this.seen = this.busy = this.problem = undefined;
  }

  /** Finds new candidates; `like`: near this path. */
  async find(similarTo?: Line): Promise<void> {
    const mode = this.#mode;
    if (!this.possible || !(await this.#prepared())) return;
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    const { document } = mode;
    const requestUpdate = (): void => mode.app.requestUpdate();
    this.#of = essence(document);
    this.busy = beginOperation("blend", requestUpdate);
    this.problem = undefined;
    requestUpdate();
    try {
      if (pathMethod && mode.networks[pathMethod].info) this.styles = await styles();
      const clips: WorkerClip[] = [];
      for (const { source } of document.keys) clips.push((await mode.app.library.clip(source, undefined)).clip);
      const spots = document.keys.map(({ id, at }, i) => at ?? (i > 0 ? mode.spotOf(id) : undefined));
      const keys = document.keys.map(({ from, to }, i) => ({
        clip: clips[i],
        from,
        to,
        ...(spots[i] && { at: spots[i] }),
      }));
      const { style, speed, keepFrames } = this.request;
      const path = !similarTo && this.line.length > 0 ? this.whole(spots) : undefined;
      // Styles and lines are options of one method. Without the judge there is no order.
      const isOwn = style !== undefined || path !== undefined || !mode.app.auto.isReady;
      const own = { name: pathMethod, ...(style !== undefined && { style }), ...(path && { path }) };
      const results = await inbetween(keys, {
        method: isOwn ? (own as InbetweenOptions["method"]) : "auto",
        candidates: COUNT,
        seed: this.#seed++,
        footLock: document.footLock,
        ...(keepFrames ? { frames: document.gaps[0] } : speed && { speed }),
        ...(similarTo && { similarTo }),
        signal: abort.signal,
        onProgress: (progress) => {
          if (!this.busy || abort.signal.aborted) return;
          this.busy.progress = progress;
          requestUpdate();
        },
      });
      const candidates = await Promise.all(
        results.map(
          async (clip): Promise<CandidateMotion> => ({
            poses: await posesOf(clip),
            frames: clip.gaps[0].range.to - clip.gaps[0].range.from,
            path: clip.path ?? [],
            speed: clip.speed,
            peakJerk: clip.gaps[0].peakJerk,
            footSkate: clip.gaps[0].footSkate,
            method: clip.method ?? clip.gaps[0].method,
          }),
        ),
      );
      if (abort.signal.aborted) return;
      this.found = candidates;
      this.isRanked = !isOwn;
      this.seen = undefined;
    } catch (error) {
      if (abort.signal.aborted) return;
      this.problem = problemOf(error);
    }
    this.busy = undefined;
    requestUpdate();
  }

  /** Loads the network that finds paths, and the judge that ranks; resolves to whether motions can be found. */
  async #prepared(): Promise<boolean> {
    const { app } = this.#mode;
    const isJudged = hasAutomatic && (await app.auto.load());
    if (!pathMethod) return isJudged;
    return (await loadNetwork(this.#mode, pathMethod)) || isJudged;
  }

  /** The line from the first key through the drawn points to the second key. */
  whole(spots: readonly ({ x: number; z: number } | undefined)[]): Line {
    const mode = this.#mode;
    const ends = mode.document.keys.map(({ id }, i) => spots[i] ?? mode.spotOf(id));
    const point = (spot: { x: number; z: number } | undefined): Line => (spot ? [[spot.x, spot.z]] : []);
    return [...point(ends[0]), ...this.line, ...point(ends[1])];
  }

  /** Accepts a candidate as the motion, as an undoable step. */
  take(index: number): void {
    const candidate = this.found[index];
    if (!candidate) return;
    const { style } = this.request;
    const method = typeof candidate.method === "string" ? candidate.method : candidate.method.name;
    const { seed = 0 } = typeof candidate.method === "string" ? {} : (candidate.method as { seed?: number | null });
    this.#mode.edit("take a motion", ({ trail: _, ...document }) => ({
      ...document,
      method,
      gaps: [candidate.frames],
      ...(candidate.path.length > 1 && { trail: { path: candidate.path, ...(style !== undefined && { style }) } }),
      ...(hasOption(method, "seed") && { ways: seed ?? 0, way: 0 }),
    }));
    this.look(undefined);
  }

  look(index: number | undefined): void {
    if (this.seen === index) return;
    this.seen = index;
    const mode = this.#mode;
    if (index !== undefined && !mode.clock.playing) mode.clock.play(true);
    mode.app.requestUpdate();
  }

  ask(change: Partial<CandidateRequest>): void {
    this.request = { ...this.request, ...change };
    if (this.found.length > 0) void this.find();
    else this.#mode.app.requestUpdate();
  }

  draw(line: Line): void {
    this.line = line;
    this.#mode.app.requestUpdate();
  }
}
