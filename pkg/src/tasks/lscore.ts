/** Scores of cuts: `lscore`, `bestSeam`, `seamMap` and `lscorePath`. One scanner per pair of clips. */
import { SeamScanner } from "../../wasm/kinestitch.js";
import { KinestitchClip } from "../core/clip.js";
import { callWasm, release, throwIfAborted } from "../core/error.js";
import { mainInstance } from "../core/restart.js";
import { nextTask, SLICE_MS } from "../core/next-task.js";
import { frames, seconds, formatValue, trims, wrongOption } from "../core/options.js";
import { task } from "../core/task.js";
import type {
  BestSeamOptions,
  Clip,
  Cut,
  LscoreOptions,
  PathCut,
  PathOptions,
  ScoredCut,
  SeamMap,
  SeamMapOptions,
  SeamOptions,
  TaskOptions,
  FrameRange,
} from "../core/types.js";

/** A clip of any entry. */
type AnyClip = Clip;

/** Scanner of the last pair of clips: if only a trim changes, its map is updated instead of computed again. */
let lastScan: { key: string; scanner: SeamScanner } | undefined;

/** Number of restarts of the module, which lose all scanners; `undefined`: not counted yet. */
let restartCount: number | undefined;

/** Returns the number of restarts since the first call of this function. */
function countRestarts(): number {
  if (restartCount === undefined) {
    restartCount = 0;
    mainInstance.onRestart(() => {
      restartCount = countRestarts() + 1;
      lastScan = undefined;
    });
  }
  return restartCount;
}

const scoreOptions = { window: frames, minInject: frames, maxInject: frames };
const cutOptions = { ...scoreOptions, trim: /* @__PURE__ */ trims<NonNullable<SeamOptions["trim"]>>() };
const listOptions = { ...cutOptions, count: frames, apart: frames, maxCut: seconds };

/**
 * Scores the cut from a frame of `a` to a frame of `b` by the elastic L-score: the work needed to join them.
 *
 * @param a The first clip.
 * @param b The second clip.
 * @param options `takeoff` and `landing`, by default the end of `a` and the start of `b`; parameters of the score.
 * @returns The cut with the best number of injected frames, and the score of each number.
 * @throws {KinestitchError} `option`, `too-short` for a clip shorter than a window, `rig`.
 * @function
 * @example
 * ```js
 * const cut = await lscore(walk, run, { takeoff: 98, landing: 12 });
 * console.log(cut.inject, cut.score);
 * ```
 */
export const lscore = /* @__PURE__ */ task<(a: AnyClip, b: AnyClip, options?: LscoreOptions) => Promise<ScoredCut>>({
  name: "lscore",
  resultKind: "value",
  argumentCount: 2,
  options: { ...cutOptions, takeoff: frames, landing: frames },
  run: (_, options, a, b) =>
    withScanner(a, b, options, (scanner) => {
      const [first, second] = usedFrames(a, b, options);
      const { takeoff = first.to - 1, landing = second.from } = options;
      const cut = callWasm(() => scanner.cut(takeoff, landing)) as Cut;
      return { ...cut, takeoff, landing, curve: callWasm(() => scanner.curve(takeoff, landing)) };
    }),
});

/**
 * Returns the cuts from `a` to `b` with the lowest scores, lowest first.
 *
 * @param a The first clip.
 * @param b The second clip.
 * @param options Number of cuts, distance between them, and the maximum duration that may be cut off each clip.
 * @throws {KinestitchError} `option`, `too-short`, `rig`, `limit` for too many cuts, `aborted`.
 * @function
 * @example
 * ```js
 * const [best] = await bestSeam(walk, run, { maxCut: 0.5 });
 * console.log(best.takeoff, best.landing);
 * ```
 */
export const bestSeam = /* @__PURE__ */ task<(a: AnyClip, b: AnyClip, options?: BestSeamOptions) => Promise<Cut[]>>({
  name: "bestSeam",
  resultKind: "value",
  argumentCount: 2,
  options: listOptions,
  run: (_, options, a, b) =>
    withScanner(a, b, options, async (scanner) => {
      await scan(scanner, usedFrames(a, b, options), options.maxCut, options);
      return bestCuts(scanner, options);
    }),
});

/**
 * Scores every cut from `a` to `b`. A repeated call with another trim scores only new cuts.
 *
 * @param a The first clip: one row per frame.
 * @param b The second clip: one column per frame.
 * @param options As in {@link bestSeam}; without `maxCut`, every pair of frames is scored.
 * @throws {KinestitchError} The same errors as {@link bestSeam}.
 * @function
 * @example
 * ```js
 * const map = await seamMap(walk, run);
 * console.log(map.best[0], map.scores.length);
 * ```
 */
export const seamMap = /* @__PURE__ */ task<(a: AnyClip, b: AnyClip, options?: SeamMapOptions) => Promise<SeamMap>>({
  name: "seamMap",
  resultKind: "value",
  argumentCount: 2,
  options: listOptions,
  run: (_, options, a, b) =>
    withScanner(a, b, options, async (scanner) => {
      await scan(scanner, usedFrames(a, b, options), options.maxCut ?? Infinity, options);
      return { ...(callWasm(() => scanner.map()) as Omit<SeamMap, "best">), best: bestCuts(scanner, options) };
    }),
});

/**
 * Scores the cut between two paths of points, [frames × points × 3]. Without `landing`, finds the landing with the
 * lowest score.
 *
 * @param a The first path.
 * @param b The second path, at the same rate and in the same unit.
 * @param options Number of points per frame, `takeoff` and `landing`, parameters of the score.
 * @returns The cut, and the smoothed path through it.
 * @throws {KinestitchError} `option`, `too-short`, `clip` for a number that is not finite, `aborted`.
 * @function
 * @example
 * ```js
 * const cut = await lscorePath(first, second, { points: 1 });
 * console.log(cut.landing, cut.path);
 * ```
 */
export const lscorePath = /* @__PURE__ */ task<
  (a: Float32Array, b: Float32Array, options?: PathOptions) => Promise<PathCut>
>({
  name: "lscorePath",
  resultKind: "value",
  argumentCount: 2,
  options: { ...scoreOptions, points: frames, takeoff: frames, landing: frames },
  async run(_, options, a, b) {
    const { points = 1 } = options;
    if (points === 0) throw wrongOption("points", "points must be a whole number from 1, not 0");
    const fits = (path: unknown): path is Float32Array =>
      path instanceof Float32Array && path.length % (points * 3) === 0;
    if (!fits(a) || !fits(b))
      throw wrongOption("points", `paths of ${points} points are Float32Arrays of a multiple of ${points * 3} numbers`);
    throwIfAborted(options.signal);
    const scanner = callWasm(() => SeamScanner.ofPoints(a, b, points, scoreParameters(options)));
    try {
      const { takeoff = a.length / points / 3 - 1 } = options;
      let { landing } = options;
      if (landing === undefined) {
        // A wrong take-off fails here; the error of `scan` would not name the option.
        callWasm(() => scanner.curve(takeoff, 0));
        // One take-off, all landings.
        await scan(
          scanner,
          [
            { from: Math.max(0, takeoff + 1 - scanner.window), to: takeoff + 1 },
            { from: 0, to: b.length / points / 3 },
          ],
          Infinity,
          options,
        );
        landing = bestCuts(scanner, { count: 1, apart: 1 })[0]?.landing ?? 0;
      }
      const landingFrame = landing;
      const cut = callWasm(() => scanner.cut(takeoff, landingFrame)) as Cut;
      const curve = callWasm(() => scanner.curve(takeoff, landingFrame));
      return { ...cut, curve, path: callWasm(() => scanner.path(takeoff, landingFrame, cut.inject)) };
    } finally {
      release(scanner);
    }
  },
});

/** Calls `use` with the scanner of a pair of clips, and keeps the scanner for the next call. */
async function withScanner<T>(
  a: AnyClip,
  b: AnyClip,
  options: SeamOptions,
  use: (scanner: SeamScanner) => T | Promise<T>,
): Promise<T> {
  const [first, second] = [KinestitchClip.packedOf(a, "the first clip"), KinestitchClip.packedOf(b, "the second clip")];
  throwIfAborted(options.signal);
  throwIfAborted(options.signal);
  const restartsBefore = countRestarts();
  const wasmOptions = scoreParameters(options);
  const key = JSON.stringify([first.id, second.id, wasmOptions]);
  const cachedScanner = lastScan?.key === key ? lastScan.scanner : undefined;
  // A concurrent call must not use the same scanner.
  if (cachedScanner) lastScan = undefined;
  const scanner = cachedScanner ?? callWasm(() => new SeamScanner(first.bytes, second.bytes, wasmOptions));
  try {
    return await use(scanner);
  } finally {
    // After a restart, the scanner is lost.
    if (countRestarts() === restartsBefore) {
      release(lastScan?.scanner);
      lastScan = { key, scanner };
    }
  }
}

/** Returns the options of the score for wasm. */
function scoreParameters({ window, minInject, maxInject }: Pick<SeamOptions, keyof typeof scoreOptions>): object {
  return {
    ...(window !== undefined && { window }),
    ...(minInject !== undefined && { minInject }),
    ...(maxInject !== undefined && { maxInject }),
  };
}

/** Scores the cuts between two ranges of frames, in parts, so that an abort takes effect between two parts. */
async function scan(
  scanner: SeamScanner,
  [a, b]: [FrameRange, FrameRange],
  maxCut: number | undefined,
  { signal, onProgress }: TaskOptions,
): Promise<void> {
  callWasm(() => scanner.begin(a.from, a.to, b.from, b.to, maxCut));
  let sliceStart = performance.now();
  for (let done = 0; done < 1; ) {
    done = callWasm(() => scanner.advance());
    onProgress?.({ stage: "scan", done });
    throwIfAborted(signal);
    if (done < 1 && performance.now() - sliceStart > SLICE_MS) {
      await nextTask();
      throwIfAborted(signal);
      sliceStart = performance.now();
    }
  }
}

/** Returns the ranges of frames that are used of both clips. */
function usedFrames(a: AnyClip, b: AnyClip, { trim = [] }: SeamOptions): [FrameRange, FrameRange] {
  if (trim.length > 2) throw wrongOption("trim", `trim has ${trim.length} entries for 2 clips: ${formatValue(trim)}`);
  return [trim[0] ?? { from: 0, to: a.frames }, trim[1] ?? { from: 0, to: b.frames }];
}

/** Returns the cuts with the lowest scores. */
function bestCuts(scanner: SeamScanner, { count, apart }: BestSeamOptions): Cut[] {
  const wasmOptions = { ...(count !== undefined && { count }), ...(apart !== undefined && { apart }) };
  return callWasm(() => scanner.best(wasmOptions)) as Cut[];
}
