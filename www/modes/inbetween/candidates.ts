/**
 * Candidates: several motions between two keys, by every available method, the most natural first. The path method, a
 * network with a gallery of paths, adds motions on different paths. It generates all candidates if a style or a path is
 * requested, or if the judge that compares methods is not available.
 */
import type { InbetweenChoice, InbetweenKey, InbetweenOptions, InbetweenSpeed } from "kinestitch/worker";
import { beginOperation, type Operation } from "../../core/operation";
import {
  inbetween,
  posesOf,
  problemOf,
  styles,
  type Problem,
  type Clip,
  type WorkerInbetween,
} from "../../core/engine";
import type { GroundPose } from "../../viewer/handles";
import type { Poses } from "../../viewer/poses";
import type { Document, Key } from "./document";
import type { Inbetween } from "./inbetween";
import { hasAutomatic, hasOption, pathMethod } from "./methods";
import { loadNetwork } from "./network";

/** Number of candidates of a request. */
const COUNT = 7;

/** Points of a path on the ground: x and z, metres. */
export type GroundPath = readonly (readonly [x: number, z: number])[];

/** A candidate motion. */
export interface CandidateMotion {
  poses: Poses;
  frames: number;
  path: GroundPath;
  /** Style in which it was generated; the current request may have another. */
  style: string | undefined;
  speed: InbetweenSpeed | undefined;
  peakJerk: number;
  footSkate: number;
  /** The method that generated it, with the options of that method. */
  method: InbetweenChoice;
  /** Ground pose of each key. */
  groundPoses: readonly GroundPose[];
}

/** Request for candidates. */
export interface CandidateRequest {
  style?: string | undefined;
  speed?: InbetweenSpeed | undefined;
  /** Whether the gap keeps its number of frames. */
  keepFrames: boolean;
}

/** Returns a text that changes with the keys and the foot lock of a document: candidates are then outdated. */
const cacheKeyOf = ({ keys, footLock }: Document): string =>
  JSON.stringify([keys.map(({ source, from, to, at }) => [source, from, to, at]), footLock]);

/** The candidates for the current keys. */
export class Candidates {
  request: CandidateRequest = { keepFrames: false };
  /** Names of the styles; empty until the network is loaded. */
  styles: readonly string[] = [];
  /** Points that the user has drawn on the ground; if there are any, candidates follow a path through them. */
  drawnPath: GroundPath = [];
  /** Whether a press on the ground adds a point. */
  isDrawing = false;
  motions: readonly CandidateMotion[] = [];
  /** Whether the motions are by all methods, the most natural first. */
  isRanked = false;
  /** Index of the previewed candidate. */
  previewed: number | undefined;
  busy: Operation | undefined;
  problem: Problem | undefined;
  #mode: Inbetween;
  /** Cache keys of the documents that the motions belong to; empty if there are none. */
  #cacheKeys: readonly string[] = [];
  #seed = 0;
  #abort: AbortController | undefined;

  constructor(mode: Inbetween) {
    this.#mode = mode;
  }

  /** Whether the document allows candidates: it has exactly two keys. */
  get isPossible(): boolean {
    return this.#mode.document.keys.length === 2;
  }

  /** Discards the motions if the document has changed. */
  update(): void {
    if (this.#cacheKeys.length > 0 && !this.#cacheKeys.includes(cacheKeyOf(this.#mode.document))) this.clear();
  }

  clear(): void {
    this.#abort?.abort();
    this.#cacheKeys = [];
    this.motions = [];
    this.isRanked = false;
    this.previewed = this.busy = this.problem = undefined;
  }

  /** Finds new motions. `similarTo`: path that they should be similar to. */
  async find(similarTo?: GroundPath): Promise<void> {
    const mode = this.#mode;
    if (!this.isPossible || !(await this.#loadMethods())) return;
    // The keys may have changed meanwhile.
    if (!this.isPossible) return;
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    const { document } = mode;
    const requestUpdate = (): void => mode.app.requestUpdate();
    this.#cacheKeys = [cacheKeyOf(document)];
    this.busy = beginOperation("blend", requestUpdate);
    this.problem = undefined;
    requestUpdate();
    try {
      if (pathMethod && mode.networks[pathMethod].info) this.styles = await styles();
      const { keys, groundPoses } = await this.#readKeys(document);
      const { style } = this.request;
      const path = !similarTo && this.drawnPath.length > 0 ? this.pathBetween(groundPoses) : undefined;
      // Styles and paths are options of one method. Without the judge, motions of several methods cannot be ranked.
      const usesPathMethod = style !== undefined || path !== undefined || !mode.app.auto.isReady;
      const pathChoice = { name: pathMethod, ...(style !== undefined && { style }), ...(path && { path }) };
      const results = await inbetween(keys, {
        ...this.#options(document, similarTo),
        method: usesPathMethod ? (pathChoice as InbetweenOptions["method"]) : "auto",
        signal: abort.signal,
        onProgress: (progress) => {
          if (!this.busy || abort.signal.aborted) return;
          this.busy.progress = progress;
          requestUpdate();
        },
      });
      const candidates = await Promise.all(results.map(candidateOf));
      if (abort.signal.aborted) return;
      this.motions = candidates;
      this.isRanked = !usesPathMethod;
      this.previewed = undefined;
    } catch (error) {
      if (abort.signal.aborted) return;
      this.problem = problemOf(error);
    }
    this.busy = undefined;
    requestUpdate();
  }

  /**
   * Reads the clips and ground poses of the keys. A key without a ground pose gets its ground pose in the current
   * motion, except the first key, which stays where it is in its clip.
   */
  async #readKeys({ keys }: Document): Promise<{
    keys: InbetweenKey[];
    groundPoses: (GroundPose | undefined)[];
  }> {
    const mode = this.#mode;
    const clips: Clip[] = [];
    for (const { source } of keys) clips.push((await mode.app.library.clip(source, undefined)).clip);
    const groundPoses = keys.map(({ id, at }, i) => at ?? (i > 0 ? mode.groundPoseOf(id) : undefined));
    return {
      keys: keys.map(({ from, to }, i) => ({
        clip: clips[i],
        from,
        to,
        ...(groundPoses[i] && { at: groundPoses[i] }),
      })),
      groundPoses,
    };
  }

  /** Returns the options of the next request, except for the method. Each request has another seed. */
  #options({ gaps, footLock }: Document, similarTo: GroundPath | undefined): InbetweenOptions & { candidates: number } {
    const { speed, keepFrames } = this.request;
    return {
      candidates: COUNT,
      seed: this.#seed++,
      footLock,
      ...(keepFrames ? { frames: gaps[0] } : speed && { speed }),
      ...(similarTo && { similarTo }),
    };
  }

  /** Loads the path method and the judge that ranks. Resolves to whether at least one of them is available. */
  async #loadMethods(): Promise<boolean> {
    const { app } = this.#mode;
    const isJudged = hasAutomatic && (await app.auto.load());
    if (!pathMethod) return isJudged;
    return (await loadNetwork(this.#mode, pathMethod)) || isJudged;
  }

  /** Returns the path from the first key through the drawn points to the second key. */
  pathBetween(groundPoses: readonly ({ x: number; z: number } | undefined)[]): GroundPath {
    const mode = this.#mode;
    const ends = mode.document.keys.map(({ id }, i) => groundPoses[i] ?? mode.groundPoseOf(id));
    const point = (pose: { x: number; z: number } | undefined): GroundPath => (pose ? [[pose.x, pose.z]] : []);
    return [...point(ends[0]), ...this.drawnPath, ...point(ends[1])];
  }

  /** Uses a candidate as the motion, as an undoable step. */
  accept(index: number): void {
    const candidate = this.motions[index];
    if (!candidate) return;
    const { style } = candidate;
    const method = typeof candidate.method === "string" ? candidate.method : candidate.method.name;
    const { seed = 0 } = typeof candidate.method === "string" ? {} : (candidate.method as { seed?: number | null });
    this.#mode.edit("use a motion", ({ accepted: _, ...document }) => ({
      ...document,
      keys: withPlacedKeys(document.keys, candidate.groundPoses),
      method,
      gaps: [candidate.frames],
      ...(candidate.path.length > 1 && { accepted: { path: candidate.path, ...(style !== undefined && { style }) } }),
      ...(hasOption(method, "seed") && { firstSeed: seed ?? 0, variant: 0 }),
    }));
    // The motions also belong to the document with placed keys.
    this.#cacheKeys = [...this.#cacheKeys, cacheKeyOf(this.#mode.document)];
    this.preview(undefined);
  }

  /** Previews a candidate on the stage; `undefined` ends the preview. */
  preview(index: number | undefined): void {
    if (this.previewed === index) return;
    this.previewed = index;
    const mode = this.#mode;
    if (index !== undefined && !mode.clock.playing) mode.clock.play(true);
    mode.app.requestUpdate();
  }

  /** Changes the request, and finds motions again if there are any or if they are being computed. */
  changeRequest(change: Partial<CandidateRequest>): void {
    this.request = { ...this.request, ...change };
    if (this.motions.length > 0 || this.busy) void this.find();
    else this.#mode.app.requestUpdate();
  }

  /** Sets the points that are drawn on the ground. */
  setDrawnPath(path: GroundPath): void {
    this.drawnPath = path;
    this.#mode.app.requestUpdate();
  }
}

/**
 * Sets the ground pose of a key that has none and is of another clip than the first key. Otherwise its ground pose would
 * be extrapolated over the gap, so that a change of the number of frames would move the key.
 */
const withPlacedKeys = (keys: readonly Key[], groundPoses: readonly GroundPose[]): Key[] =>
  keys.map((key, i) => {
    const at = groundPoses[i];
    return key.at || !at || key.source === keys[0]?.source ? key : { ...key, at };
  });

/** Reads the data of a candidate that the page uses. */
async function candidateOf(clip: WorkerInbetween): Promise<CandidateMotion> {
  const [gap] = clip.gaps;
  return {
    poses: await posesOf(clip),
    frames: gap.range.to - gap.range.from,
    path: clip.path ?? [],
    style: clip.style,
    speed: clip.speed,
    peakJerk: gap.peakJerk,
    footSkate: gap.footSkate,
    method: clip.method ?? gap.method,
    groundPoses: clip.groundPoses,
  };
}
