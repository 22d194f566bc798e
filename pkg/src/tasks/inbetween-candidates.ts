/**
 * Candidates of `inbetween` between two keys: searches paths, makes a motion along each, and ranks motions with "auto".
 */
import type { InbetweenSession } from "../../wasm/kinestitch.js";
import { pack } from "../core/clip-methods.js";
import { aborted, callWasm, freeAfterAsync, KinestitchError, release } from "../core/error.js";
import { inbetweenMethods, defaultFrames, defaultMethod, maxGapSeconds } from "../generated/methods.js";
import { AUTO, methodsWith, methodName, methodOptions } from "../core/method.js";
import { nextTask } from "../core/next-task.js";
import { groundPath, wrongOption } from "../core/options.js";
import { runWithProgressAsync } from "../core/progress.js";
import type {
  InbetweenChoice,
  InbetweenClip,
  InbetweenKey,
  InbetweenMethod,
  InbetweenOptions,
  InbetweenReport,
  InbetweenSpeed,
  InbetweenCandidate,
} from "../core/types.js";
import { type PreparedKeys, wasmOptions } from "./inbetween-keys.js";
import { makeResult } from "./inbetween-result.js";

/** Rate of the points of a path with timing, points per second. */
const PATH_RATE = 30;
/** Maximum number of frames of a gap. */
const MAX_FRAMES = 480;
/** Largest number of results. */
export const MAX_CANDIDATES = 64;
/** Number of motions with different seeds that "auto" requests from a method that has a seed. */
const SEEDS = 3;

/** A path from the gallery. */
interface GalleryPath {
  /** Points on the ground, [x, z], metres. */
  path: [number, number][];
  /** Number of frames of the gap. */
  frames: number;
  speed: InbetweenSpeed;
}

/** Method and duration of one candidate. */
interface Plan {
  method: InbetweenChoice;
  frames: number;
  /** Properties of the result. */
  candidate: InbetweenCandidate;
}

/** Returns the options `path` and `style` of a method, if it has them. */
export function pathAndStyle(method: InbetweenOptions["method"]): InbetweenCandidate {
  const { path, style } = methodOptions(method) as { path?: readonly (readonly [number, number])[]; style?: string };
  return { ...(path && { path: path.map(([x, z]): [number, number] => [x, z]) }), ...(style != null && { style }) };
}

/** Returns whether options need a search for paths, or a duration for a path without timing. */
export const needsCandidates = ({ candidates, speed, similarTo, timedPath, method }: InbetweenOptions): boolean =>
  candidates !== undefined ||
  speed !== undefined ||
  similarTo !== undefined ||
  (methodOptions(method).path != null && timedPath !== true);

/** Sets `frames` to the duration of a path with timing (30 points per second), unless `frames` is given. */
export function withPathDuration(options: InbetweenOptions, keys: readonly InbetweenKey[]): InbetweenOptions {
  const { timedPath, method, frames } = options;
  const { path } = methodOptions(method);
  const { fps = Array.isArray(keys) ? (keys[0] as InbetweenKey | undefined)?.clip?.fps : undefined } = options;
  if (timedPath !== true || !Array.isArray(path) || frames !== undefined || !(typeof fps === "number" && fps > 0))
    return options;
  const duration = Math.round(((path.length - 1) * fps) / PATH_RATE) - 1;
  return { ...options, frames: Math.min(MAX_FRAMES, Math.max(1, duration)) };
}

/** Throws if a seed is given although no paths are searched. */
export function checkSeed(options: InbetweenOptions): void {
  if (options.seed === undefined || needsCandidates(options)) return;
  const name = methodsWith("seed").join('" or "');
  throw wrongOption("seed", `seed selects among paths: set candidates, or method: { name: "${name}", seed }`);
}

/**
 * Searches paths, and makes a motion along each path. Each motion is a separate call of wasm, so that an abort takes
 * effect between two motions.
 */
export function makeCandidates(
  prepared: PreparedKeys,
  options: InbetweenOptions,
): Promise<InbetweenClip | InbetweenClip[]> {
  const { wasmKeys, method, warnings } = prepared;
  return freeAfterAsync(wasmKeys, () => {
    checkCandidateOptions(options, method);
    const { candidates, frames } = options;
    return runWithProgressAsync(options, async (report) => {
      // The time of the first motion includes the search for paths.
      let started = performance.now();
      const start = method === AUTO ? defaultMethod : withoutOption(method, "path");
      const session = wasmKeys.session(wasmOptions({ ...options, frames: frames ?? defaultFrames }, start));
      try {
        const keyCount = session.groundPoses().length / 3;
        const option = searchOption(options);
        if (keyCount !== 2) throw wrongOption(option, `${option} needs exactly two keys, not ${keyCount}`);
        const plans =
          method === AUTO ? plansOfAllMethods(prepared, session, options) : plansAlongPaths(session, options, method);
        const motions: InbetweenClip[] = [];
        for (const { method: plannedMethod, frames, candidate } of plans) {
          if (!report("blend", motions.length / plans.length)) throw aborted();
          session.setFrames(0, frames);
          session.setMethod(plannedMethod);
          session.solve();
          const properties = {
            ...candidate,
            ...(method === AUTO && { method: plannedMethod, score: session.score() }),
          };
          const summary = session.report() as InbetweenReport;
          summary.warnings.push(...warnings);
          motions.push(makeResult(pack(session.clip()), summary, performance.now() - started, properties));
          await nextTask();
          started = performance.now();
        }
        if (!report("blend", 1)) throw aborted();
        const best = method === AUTO ? rankByScore(motions) : motions;
        return candidates === undefined ? (best[0] as InbetweenClip) : best.slice(0, candidates);
      } finally {
        release(session);
      }
    });
  });
}

/** Returns the name of the option that needs a search for paths. */
const searchOption = (options: InbetweenOptions): string =>
  (["candidates", "speed", "similarTo"] as const).find((name) => options[name] !== undefined) ?? "path";

function checkCandidateOptions({ frames, ...options }: InbetweenOptions, method: PreparedKeys["method"]): void {
  const option = searchOption(options);
  if (method !== AUTO && !methodsWith("path").includes(methodName(method)))
    throw wrongOption(option, `${option} is for "auto" and methods with a path: "${methodsWith("path").join('", "')}"`);
  if (typeof frames === "object")
    throw wrongOption("frames", "a path leads from one key to another: frames must be one number");
  if (options.candidates !== undefined && options.candidates > MAX_CANDIDATES)
    throw wrongOption("candidates", `candidates must be from 1 to ${MAX_CANDIDATES}, not ${options.candidates}`);
  const { path } = methodOptions(method);
  if (path != null && !groundPath.is(path)) throw wrongOption("path", `path must be ${groundPath.description}`);
  if (path != null && options.timedPath === true && options.speed !== undefined)
    throw wrongOption("speed", "a path with timing already determines the duration: omit speed or timedPath");
}

/** Returns a method without one of its options. */
function withoutOption(method: InbetweenChoice, option: string): InbetweenChoice {
  const { [option]: _, ...remainingOptions } = methodOptions(method);
  return { name: methodName(method), ...remainingOptions } as InbetweenChoice;
}

/** Returns one plan for each path that a method can follow. */
function plansAlongPaths(session: InbetweenSession, options: InbetweenOptions, method: InbetweenChoice): Plan[] {
  const { candidates = 1, speed, similarTo, frames, seed } = options;
  const { path: requestedPath } = methodOptions(method);
  const { style } = pathAndStyle(method);
  const requested = { candidates, speed, similarTo, path: requestedPath, frames, style, seed };
  const definedOptions = Object.fromEntries(Object.entries(requested).filter(([, value]) => value != null));
  const withoutPath = withoutOption(method, "path");
  const methodObject = typeof withoutPath === "string" ? { name: withoutPath } : withoutPath;
  return (session.candidates(definedOptions) as GalleryPath[]).map(({ path, frames, speed }) => ({
    method: { ...methodObject, path } as InbetweenChoice,
    frames,
    candidate: { path, speed, ...(style !== undefined && { style }) },
  }));
}

/** Like {@link plansAlongPaths}; empty if the method has no gallery, or no path of the gallery leads from key to key. */
function plansAlongGallery(session: InbetweenSession, options: InbetweenOptions, method: InbetweenMethod): Plan[] {
  try {
    return callWasm(() => plansAlongPaths(session, options, method));
  } catch (error) {
    const option = error instanceof KinestitchError ? error.option : undefined;
    if (option === "candidates" || option === "keys") return [];
    throw error;
  }
}

/**
 * Returns plans for all methods that are loaded. Motions without a path of the gallery fill `options.frames` frames, or
 * the median duration of the paths. Networks are tried for bipeds only, and only in gaps that are not too long for them.
 */
function plansOfAllMethods(
  { wasmKeys, bipeds, fps }: PreparedKeys,
  session: InbetweenSession,
  options: InbetweenOptions,
): Plan[] {
  const maxSeconds: { readonly [Name in InbetweenMethod]?: number } = maxGapSeconds;
  const canFill = (name: InbetweenMethod, gapFrames: number): boolean => {
    const max = maxSeconds[name];
    return max === undefined || (bipeds && (gapFrames + 1) / fps <= max);
  };
  const loaded = new Set(wasmKeys.methods());
  const loadedMethods = inbetweenMethods.filter((name) => loaded.has(name));
  const withPath = loadedMethods.filter((name) => methodsWith("path").includes(name));
  const { speed, similarTo, seed = 0 } = options;
  const requestedFrames = options.frames as number | undefined;
  const needsPath = speed !== undefined || similarTo !== undefined;
  if (withPath.length === 0 && needsPath) {
    const option = speed !== undefined ? "speed" : "similarTo";
    const names = methodsWith("path").join('", "');
    throw wrongOption(option, `${option} is for methods with a path: load the network "${names}" first`);
  }
  if (needsPath) return withPath.flatMap((name) => plansAlongPaths(session, options, name));
  const pathPlans = withPath
    .filter((name) => canFill(name, requestedFrames ?? 0))
    .flatMap((name) => plansAlongGallery(session, options, name));
  const planned = new Set(pathPlans.map(({ method }) => methodName(method)));
  const durations = pathPlans.map(({ frames }) => frames).sort((a, b) => a - b);
  const frames = requestedFrames ?? durations[durations.length >> 1] ?? defaultFrames;
  const otherPlans = loadedMethods
    .filter((name) => !planned.has(name) && canFill(name, frames))
    .flatMap((name) => [
      name,
      ...Array.from({ length: methodsWith("seed").includes(name) ? SEEDS : 0 }, (_, index) => ({
        name,
        // Within the safe integers, also for the largest seed.
        seed: ((seed * SEEDS) % 2 ** 52) + index + 1,
      })),
    ]);
  return [...otherPlans.map((method) => ({ method: method as InbetweenChoice, frames, candidate: {} })), ...pathPlans];
}

/** Sorts motions by their score, the most natural first. Motions with equal scores keep their order. */
const rankByScore = (motions: InbetweenClip[]): InbetweenClip[] =>
  motions.sort((a, b) => (a.score ?? 0) - (b.score ?? 0));
