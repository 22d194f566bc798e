/** Where to cut: `lscore`, `bestSeam` and `seamMap`, over one scanner for each pair of clips. */
import { SeamScanner } from "../wasm/kinestitch.js";
import { KinestitchClip } from "./clip.js";
import { guarded, KinestitchError } from "./error.js";
import { reporting } from "./progress.js";
import type { BestSeamOptions, Clip, Cut, LscoreOptions, PathCut, PathOptions, ScoredCut, SeamMap, SeamMapOptions, SeamOptions } from "./types.js";

/** Numbers of a cut in wasm. */
export const CUT_WIDTH = 5;

/** The last pair scanned: with one trim changed, its map is brought up to date instead of scanned anew. */
let last: { a: WeakRef<Clip>; b: WeakRef<Clip>; key: string; scanner: SeamScanner } | undefined;

/** Scores the cut at two frames: the ends that meet, where none are given. */
export function scoreCut(a: Clip, b: Clip, options: LscoreOptions): ScoredCut {
  const scanner = scannerOf(a, b, options);
  const [first, second] = trims(a, b, options);
  const takeoff = count("takeoff", options.takeoff ?? first.to - 1);
  const landing = count("landing", options.landing ?? second.from);
  const [cut] = cuts(guarded(() => scanner.cut(takeoff, landing)));
  return { ...(cut as Cut), takeoff, landing, curve: guarded(() => scanner.curve(takeoff, landing)) };
}

/** The best cuts, cheapest first. */
export function bestCuts(a: Clip, b: Clip, options: BestSeamOptions): Cut[] {
  return best(scanned(a, b, { maxCut: 0.5, ...options }), options);
}

/** The whole map. */
export function mapCuts(a: Clip, b: Clip, options: SeamMapOptions): SeamMap {
  const scanner = scanned(a, b, options);
  const [a0 = 0, a1 = 0, b0 = 0, b1 = 0] = scanner.ranges();
  return {
    takeoffs: { from: a0, to: a1 },
    landings: Array.from({ length: b1 - b0 }, (_, column) => Math.round((b0 + column) * scanner.step)),
    scores: scanner.scores(),
    injects: scanner.injects(),
    best: best(scanner, options),
  };
}

/** Scores a cut between two paths of bare points, [frames × points × 3]. */
export function scorePath(a: Float32Array, b: Float32Array, options: PathOptions): PathCut {
  const points = count("points", options.points ?? 1);
  const window = count("window", options.window ?? 5);
  const [min, max] = [count("minInject", options.minInject ?? 0), count("maxInject", options.maxInject ?? 15)];
  if (points === 0 || a.length % (points * 3) || b.length % (points * 3)) {
    throw new KinestitchError("option", `paths of ${points} points hold a multiple of ${points * 3} numbers`);
  }
  const scanner = guarded(() => SeamScanner.ofPoints(a, b, points, window, min, max));
  try {
    const [first, second] = [a.length / points / 3, b.length / points / 3];
    const takeoff = count("takeoff", options.takeoff ?? first - 1);
    let landing = options.landing;
    if (landing === undefined) {
      // The one take-off, every landing.
      const from = takeoff + 1 - window;
      reporting(options, (report) => scanner.scan(from, takeoff + 1, 0, second, 1, report));
      landing = cuts(scanner.best(1, 1))[0]?.landing ?? 0;
    }
    const [cut] = cuts(guarded(() => scanner.cut(takeoff, count("landing", landing))));
    const { inject } = cut as Cut;
    return {
      ...(cut as Cut),
      curve: guarded(() => scanner.curve(takeoff, landing)),
      path: guarded(() => scanner.path(takeoff, landing, inject)),
    };
  } finally {
    scanner.free();
  }
}

function scanned(a: Clip, b: Clip, options: SeamMapOptions): SeamScanner {
  const { maxCut = 1 } = options;
  const scanner = scannerOf(a, b, options);
  const [first, second] = trims(a, b, options);
  reporting(options, (report) => scanner.scan(first.from, first.to, second.from, second.to, maxCut, report));
  return scanner;
}

function scannerOf(a: Clip, b: Clip, options: SeamOptions): SeamScanner {
  const window = count("window", options.window ?? 5);
  const min = count("minInject", options.minInject ?? 0);
  const max = count("maxInject", options.maxInject ?? 15);
  const key = [window, min, max].join();
  if (last && last.a.deref() === a && last.b.deref() === b && last.key === key) return last.scanner;
  const [first, second] = [KinestitchClip.handleOf(a, "the first clip"), KinestitchClip.handleOf(b, "the second clip")];
  const scanner = guarded(() => new SeamScanner(first, second, window, min, max));
  last?.scanner.free();
  last = { a: new WeakRef(a), b: new WeakRef(b), key, scanner };
  return scanner;
}

function trims(a: Clip, b: Clip, { trim = [] }: SeamOptions) {
  return [trim[0] ?? { from: 0, to: a.frames }, trim[1] ?? { from: 0, to: b.frames }].map(({ from, to }) => ({
    from: count("trim", from),
    to: count("trim", to),
  })) as [{ from: number; to: number }, { from: number; to: number }];
}

function best(scanner: SeamScanner, { count: wanted = 5, apart = 10 }: BestSeamOptions): Cut[] {
  return cuts(scanner.best(count("count", wanted), count("apart", apart)));
}

/** Numbers out of wasm as cuts. */
export function cuts(numbers: ArrayLike<number>): Cut[] {
  return Array.from({ length: numbers.length / CUT_WIDTH }, (_, index) => {
    const [takeoff = 0, landing = 0, inject = 0, score = 0, euclidean = 0] = Array.from(numbers).slice(index * CUT_WIDTH);
    return { takeoff, landing, inject, score, euclidean };
  });
}

function count(option: string, value: number): number {
  if (Number.isInteger(value) && value >= 0 && value < 2 ** 32) return value;
  throw new KinestitchError("option", `${option} must be a whole number of frames, not ${value}`);
}
