/** Ways of `inbetween` from one key to another: found, walked, and with "auto" ranked. */
import type { InbetweenSession, Keys } from "../../wasm/live.js";
import { pack } from "../core/clip.js";
import { aborted, freedAsync, release } from "../core/error.js";
import { inbetweenMethods, usualMethod } from "../core/generated/methods.js";
import { AUTO, methodsWith, nameOf, optionsOf } from "../core/method.js";
import { nextTask } from "../core/next-task.js";
import { groundPath, wrongOption } from "../core/options.js";
import { reportingAsync } from "../core/progress.js";
import { liveModule } from "../core/restart.js";
import type {
  Clip,
  InbetweenChoice,
  InbetweenClip,
  InbetweenKey,
  InbetweenOptions,
  InbetweenReport,
  InbetweenSpeed,
  InbetweenCandidate,
  WorkerClip,
} from "../core/types.js";
import { type Ready, wasmOptions } from "./inbetween-keys.js";
import { KinestitchInbetween } from "./inbetween-result.js";

/** Points per second of a path whose timing is used. */
const PATH_RATE = 30;
/** Maximum number of frames of a gap. */
const MOST_FRAMES = 480;
/** Length of the gap, frames, by which a key without a ground pose is placed ahead of the motion. */
const USUAL_FRAMES = 30;
/** Number of motions that "auto" requests from a method with seeds. */
const SEEDS = 3;

/** A path from the gallery. */
interface Way {
  path: [number, number][];
  frames: number;
  speed: InbetweenSpeed;
}

/** One motion to make. */
interface Plan {
  method: InbetweenChoice;
  frames: number;
  way: InbetweenCandidate;
}

/** Returns the path and the style among the options of a method. */
export function wayOf(method: InbetweenOptions["method"]): InbetweenCandidate {
  const { path, style } = optionsOf(method) as { path?: readonly (readonly [number, number])[]; style?: string };
  return { ...(path && { path: path.map(([x, z]): [number, number] => [x, z]) }), ...(style != null && { style }) };
}

/** Whether paths have to be searched, or a path without timing needs one. */
export const asksForWays = ({ candidates, speed, similarTo, timedPath, method }: InbetweenOptions): boolean =>
  candidates !== undefined ||
  speed !== undefined ||
  similarTo !== undefined ||
  (optionsOf(method).path != null && timedPath !== true);

/**
 * Sets `frames` to the duration of a path with timing, whose points are a thirtieth of a second apart, unless `frames`
 * is given.
 */
export function timed(options: InbetweenOptions, keys: readonly InbetweenKey<Clip | WorkerClip>[]): InbetweenOptions {
  const { timedPath, method, frames } = options;
  const { path } = optionsOf(method);
  const { fps = Array.isArray(keys) ? (keys[0] as InbetweenKey | undefined)?.clip?.fps : undefined } = options;
  if (timedPath !== true || !Array.isArray(path) || frames !== undefined || !(typeof fps === "number" && fps > 0))
    return options;
  const own = Math.round(((path.length - 1) * fps) / PATH_RATE) - 1;
  return { ...options, frames: Math.min(MOST_FRAMES, Math.max(1, own)) };
}

/** Throws if a seed is given although no paths are searched. */
export function checkSeed(options: InbetweenOptions): void {
  if (options.seed === undefined || asksForWays(options)) return;
  const name = methodsWith("seed").join('" or "');
  throw wrongOption("seed", `seed selects among paths: set candidates, or method: { name: "${name}", seed }`);
}

/**
 * Finds ways, and makes the motion along each: one call of wasm after the other, so that it can be stopped between
 * them.
 */
export function onWays(
  { gathered, method, warnings }: Ready,
  options: InbetweenOptions,
): Promise<InbetweenClip | InbetweenClip[]> {
  return freedAsync(gathered, () => {
    check(options, method);
    const { candidates, frames } = options;
    return reportingAsync(options, async (report) => {
      const started = performance.now();
      const start = method === AUTO ? usualMethod : without(method, "path");
      const session = gathered.session(wasmOptions({ ...options, frames: frames ?? USUAL_FRAMES }, start));
      try {
        const plans = method === AUTO ? allPlans(gathered, session, options) : plansOf(session, options, method);
        const motions: InbetweenClip[] = [];
        for (const { method: one, frames, way } of plans) {
          if (!report("blend", motions.length / plans.length)) throw aborted();
          session.setFrames(0, frames);
          session.setMethod(one);
          session.solve();
          const scored = { ...way, ...(method === AUTO && { method: one, score: session.score() }) };
          const summary = session.report() as InbetweenReport;
          summary.warnings.push(...warnings);
          motions.push(
            new KinestitchInbetween(pack(session.clip(), liveModule), summary, performance.now() - started, scored),
          );
          await nextTask();
        }
        report("blend", 1);
        const best = method === AUTO ? ranked(motions) : motions;
        return candidates === undefined ? (best[0] as InbetweenClip) : best.slice(0, candidates);
      } finally {
        release(session);
      }
    });
  });
}

function check({ frames, ...options }: InbetweenOptions, method: Ready["method"]): void {
  const named = (["candidates", "speed", "similarTo"] as const).find((name) => options[name] !== undefined) ?? "path";
  if (method !== AUTO && !methodsWith("path").includes(nameOf(method)))
    throw wrongOption(named, `${named} is for "auto" and methods with a path: "${methodsWith("path").join('", "')}"`);
  if (typeof frames === "object")
    throw wrongOption("frames", "a path leads from one key to another: frames must be one number");
  const { path } = optionsOf(method);
  if (path != null && !groundPath.is(path)) throw wrongOption("path", `path must be ${groundPath.description}`);
}

/** Returns a method without one of its options. */
function without(method: InbetweenChoice, option: string): InbetweenChoice {
  const { [option]: _, ...own } = optionsOf(method);
  return { name: nameOf(method), ...own } as InbetweenChoice;
}

/** Returns one plan for each path that a method can follow. */
function plansOf(session: InbetweenSession, options: InbetweenOptions, method: InbetweenChoice): Plan[] {
  const { candidates = 1, speed, similarTo, frames, seed } = options;
  const { path: line } = optionsOf(method);
  const { style } = wayOf(method);
  const requested = { candidates, speed, similarTo, path: line, frames, style, seed };
  const set = Object.fromEntries(Object.entries(requested).filter(([, value]) => value != null));
  const own = without(method, "path");
  const named = typeof own === "string" ? { name: own } : own;
  return (session.candidates(set) as Way[]).map(({ path, frames, speed }) => ({
    method: { ...named, path } as InbetweenChoice,
    frames,
    way: { path, speed, ...(style !== undefined && { style }) },
  }));
}

/**
 * The ways of every method there is: those with a path on ways of their own, the others in the time that those take.
 */
function allPlans(gathered: Keys, session: InbetweenSession, options: InbetweenOptions): Plan[] {
  const usable = new Set(gathered.methods());
  const all = inbetweenMethods.filter((name) => usable.has(name));
  const withPath = all.filter((name) => methodsWith("path").includes(name));
  const { speed, similarTo, seed = 0 } = options;
  if (withPath.length === 0 && (speed !== undefined || similarTo !== undefined)) {
    const option = speed !== undefined ? "speed" : "similarTo";
    const names = methodsWith("path").join('", "');
    throw wrongOption(option, `${option} is for methods with a path: load the network "${names}" first`);
  }
  const along = withPath.flatMap((name) => plansOf(session, options, name));
  if (speed !== undefined || similarTo !== undefined) return along;
  const times = along.map(({ frames }) => frames).sort((a, b) => a - b);
  const frames = (options.frames as number | undefined) ?? times[times.length >> 1] ?? USUAL_FRAMES;
  const others = all
    .filter((name) => !withPath.includes(name))
    .flatMap((name) => [
      name,
      ...Array.from({ length: methodsWith("seed").includes(name) ? SEEDS : 0 }, (_, at) => ({
        name,
        seed: seed * SEEDS + at + 1,
      })),
    ]);
  return [...others.map((method) => ({ method: method as InbetweenChoice, frames, way: {} })), ...along];
}

/** The most natural first; of equals the one that was motions first. */
const ranked = (motions: InbetweenClip[]): InbetweenClip[] => motions.sort((a, b) => (a.score ?? 0) - (b.score ?? 0));
