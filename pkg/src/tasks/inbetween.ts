/** `inbetween`: checks keys, collects clips, wraps the result; and the live session of a page. */
import { type InbetweenHandle, type InbetweenSession, Keys } from "../../wasm/live.js";
import { KinestitchClip, packed } from "../core/clip.js";
import { aborted, freed, guardedLive as guarded, release } from "../core/error.js";
import type { Packed } from "../core/packed.js";
import { nextTask } from "../core/next-task.js";
import { count as countOf, flag, frameCounts, groundPath, numbers, oneOf, plain, positive, seed, shown, text, wrongOption } from "../core/options.js";
import { reporting, reportingAsync } from "../core/progress.js";
import { liveModule } from "../core/restart.js";
import { type Context, task, type Task } from "../core/task.js";
import { live } from "../core/wasm.js";
import {
  type Clip,
  devices,
  type Gap,
  type GroundPath,
  type InbetweenClip,
  type InbetweenKey,
  type InbetweenMethod,
  inbetweenMethods,
  type InbetweenOptions,
  type InbetweenReport,
  type InbetweenSpeed,
  inbetweenSpeeds,
  type InbetweenWay,
  type KeyFrames,
  type KeyPlace,
  type LiveInbetween,
  type WorkerClip,
} from "../core/types.js";

class KinestitchInbetween extends KinestitchClip implements InbetweenClip {
  readonly keys: [number, number][];
  readonly places: KeyPlace[];
  readonly gaps: Gap[];
  readonly warnings: string[];
  readonly milliseconds: number;
  readonly path?: [number, number][];
  readonly speed?: InbetweenSpeed;
  readonly style?: string;

  constructor(clip: Packed, { keys, places, gaps, warnings }: InbetweenReport, milliseconds: number, way: InbetweenWay) {
    super(clip);
    Object.assign(this, way);
    this.keys = keys;
    this.places = places;
    this.gaps = gaps;
    this.warnings = warnings;
    this.milliseconds = milliseconds;
  }
}

const options = {
  frames: frameCounts,
  method: /* @__PURE__ */ oneOf(inbetweenMethods),
  footLock: flag,
  device: /* @__PURE__ */ oneOf(devices),
  seed,
  latent: numbers,
  style: text,
  path: groundPath,
  paced: flag,
  speed: /* @__PURE__ */ oneOf(inbetweenSpeeds),
  candidates: countOf,
  like: groundPath,
  fps: positive,
  name: text,
};

/** `inbetween`: returns several results with `candidates`, else one. */
export interface InbetweenTask {
  (keys: readonly InbetweenKey<Clip | WorkerClip>[], options: InbetweenOptions & { candidates: number }): Promise<InbetweenClip[]>;
  (keys: readonly InbetweenKey<Clip | WorkerClip>[], options?: InbetweenOptions & { candidates?: undefined }): Promise<InbetweenClip>;
  readonly definition: Task<[keys: readonly InbetweenKey<Clip | WorkerClip>[]], InbetweenOptions, InbetweenClip | InbetweenClip[]>["definition"];
}

/**
 * Makes the motion between two or more keys, poses or ranges of clips, on the first key's skeleton. Keys are kept
 * exactly.
 *
 * @param keys Each a clip with a `frame`, or with `from` and `to`, and optionally its ground pose (`at`).
 * @param options `frames` between keys, the `method`, and more; see {@link InbetweenOptions}.
 * @returns A clip with a report on keys and gaps; with `candidates` a list of them.
 * @throws {KinestitchError} `option`, `rig` where skeletons differ and cannot be retargeted, `weights`, `aborted`.
 * @example
 * ```js
 * const motion = await inbetween([{ clip: walk, frame: 20 }, { clip: run, frame: 30, at: { x: 1, z: 3, heading: 0 } }], { frames: 30 });
 * ```
 * @function
 */
export const inbetween = /* @__PURE__ */ task<[keys: readonly InbetweenKey<Clip | WorkerClip>[]], InbetweenOptions, InbetweenClip | InbetweenClip[]>({
  name: "inbetween",
  makes: "clip",
  takes: 1,
  options,
  async run(context, given, keys) {
    const options = timed(given, keys);
    const { gathered, method } = await ready(context, options, keys, true);
    if (asksForWays(options)) return onWays(gathered, options, method);
    const started = performance.now();
    const handle: InbetweenHandle = freed(gathered, () => reporting(options, (report) => gathered.run(words(options, method), report), liveModule));
    return freed(handle, () => {
      const report = guarded(() => handle.report()) as InbetweenReport;
      const { path, style } = options;
      const way = { ...(path && { path: path.map(([x, z]): [number, number] => [x, z]) }), ...(style !== undefined && { style }) };
      return new KinestitchInbetween(packed(guarded(() => handle.clip()), liveModule), report, performance.now() - started, way);
    });
  },
}) as InbetweenTask;

/** Whether candidate paths are searched, or a line is followed at a given speed. */
const asksForWays = ({ candidates, speed, like, path, paced }: InbetweenOptions): boolean =>
  candidates !== undefined || speed !== undefined || like !== undefined || (path !== undefined && paced !== true);

/**
 * Finds candidate paths, and makes the motion along each: separate calls of wasm, so that an abort takes effect
 * between them.
 */
async function onWays(gathered: Keys, options: InbetweenOptions, method: InbetweenMethod | undefined): Promise<InbetweenClip | InbetweenClip[]> {
  const { candidates, speed, like, path, frames, style, seed } = options;
  const asked = { candidates: candidates ?? 1, speed, like, path, frames, style, seed };
  const named = (["candidates", "speed", "like", "path"] as const).find((name) => options[name] !== undefined) as string;
  return freed(gathered, () => {
    if (method !== "dcmoe") throw wrongOption(named, `${named} is for the method "dcmoe"`);
    if (typeof frames === "object") throw wrongOption("frames", "ways lead from one key to another: frames is one number");
    return reportingAsync(options, async (report) => {
      const started = performance.now();
      const session = gathered.session(words({ ...options, frames: frames ?? USUAL_FRAMES }, method));
      try {
        const ways = session.candidates(plain(Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)))) as Way[];
        const made: InbetweenClip[] = [];
        for (const { path, frames, speed } of ways) {
          if (!report("blend", made.length / ways.length)) throw aborted();
          session.setFrames(0, frames);
          session.setPath(Float32Array.from(path.flat()));
          session.solve();
          const way = { path, speed, ...(style !== undefined && { style }) };
          made.push(new KinestitchInbetween(packed(session.clip(), liveModule), session.report() as InbetweenReport, performance.now() - started, way));
          await nextTask();
        }
        report("blend", 1);
        return candidates === undefined ? (made[0] as InbetweenClip) : made;
      } finally {
        release(session);
      }
    });
  });
}

/** Rate of the points of a path with timing, points a second. */
const PATH_RATE = 30;
/** Largest number of frames of a gap. */
const MOST_FRAMES = 480;

/**
 * Options with the duration of a path with timing: its points are a thirtieth of a second apart, unless `frames` is
 * given.
 */
function timed(options: InbetweenOptions, keys: readonly InbetweenKey<Clip | WorkerClip>[]): InbetweenOptions {
  const { paced, path, frames, fps = Array.isArray(keys) ? (keys[0] as InbetweenKey | undefined)?.clip?.fps : undefined } = options;
  if (paced !== true || path === undefined || frames !== undefined || !(typeof fps === "number" && fps > 0)) return options;
  const own = Math.round(((path.length - 1) * fps) / PATH_RATE) - 1;
  return { ...options, frames: Math.min(MOST_FRAMES, Math.max(1, own)) };
}

/** A candidate path. */
interface Way {
  path: [number, number][];
  frames: number;
  speed: InbetweenSpeed;
}

/** Number of frames assumed when a key is placed by extrapolation. */
const USUAL_FRAMES = 30;

/**
 * Prepares keys for dragging: the session works synchronously, on the calling thread. Clips of `kinestitch/worker`
 * are accepted too.
 *
 * @param keys As in {@link inbetween}.
 * @param options As in {@link inbetween}.
 * @returns A session: change its keys, `solve()`, read `positions(array)`; call `free()` at the end.
 * @throws {KinestitchError} Those of {@link inbetween}.
 * @function
 * @example
 * ```js
 * const live = await liveInbetween([{ clip, frame: 0 }, { clip, frame: 60 }]);
 * live.place(1, { x: 1, z: 2, heading: 0 });
 * const frames = live.solve();
 * live.free();
 * ```
 */
export const liveInbetween = /* @__PURE__ */ task<[keys: readonly InbetweenKey<Clip | WorkerClip>[]], InbetweenOptions, LiveInbetween>({
  name: "liveInbetween",
  makes: "value",
  takes: 1,
  options,
  async run(context, given, keys) {
    const options = timed(given, keys);
    if (asksForWays(options)) throw wrongOption("path", "liveInbetween finds no ways: give it the path of a result of inbetween, with paced: true");
    const { gathered, method } = await ready(context, options, keys);
    return freed(gathered, () => new KinestitchLive(guarded(() => gathered.session(words(options, method)))));
  },
});

class KinestitchLive implements LiveInbetween {
  readonly #session: InbetweenSession;

  constructor(session: InbetweenSession) {
    this.#session = session;
  }

  place(key: number, at: KeyPlace | undefined): void {
    guarded(() => this.#session.place(count("key", key), at?.x, at?.z, at?.heading));
  }

  setFrames(gap: number, frames: number): void {
    guarded(() => this.#session.setFrames(count("gap", gap), count("frames", frames)));
  }

  setMethod(method: InbetweenMethod): void {
    if (!inbetweenMethods.includes(method)) throw wrongOption("method", `method must be one of ${inbetweenMethods.join(", ")}, not ${shown(method)}`);
    guarded(() => this.#session.setMethod(method));
  }

  setSeed(number: number | undefined): void {
    if (number !== undefined && !seed.is(number)) throw wrongOption("seed", `seed must be ${seed.words}, not ${String(number)}`);
    guarded(() => this.#session.setSeed(number));
  }

  setLatent(latent: readonly number[] | undefined): void {
    if (latent !== undefined && !numbers.is(latent)) throw wrongOption("latent", `latent must be ${numbers.words}`);
    guarded(() => this.#session.setLatent(Float32Array.from(latent ?? [])));
  }

  setStyle(style: string | undefined): void {
    if (style !== undefined && typeof style !== "string") throw wrongOption("style", `style must be a text, not ${shown(style)}`);
    guarded(() => this.#session.setStyle(style));
  }

  setPath(path: GroundPath | undefined): void {
    if (path !== undefined && !groundPath.is(path)) throw wrongOption("path", `path must be ${groundPath.words}`);
    guarded(() => this.#session.setPath(path && Float32Array.from(path.flat())));
  }

  places(): KeyPlace[] {
    const standing = guarded(() => this.#session.stands());
    return Array.from({ length: standing.length / 3 }, (_, key) => {
      const [x = 0, z = 0, heading = 0] = standing.subarray(key * 3, key * 3 + 3);
      return { x, z, heading };
    });
  }

  solve(): number {
    return guarded(() => this.#session.solve());
  }

  positions(into: Float32Array): number {
    return guarded(() => this.#session.positions(into));
  }

  rotations(into: Float32Array): number {
    return guarded(() => this.#session.rotations(into));
  }

  report(): InbetweenReport {
    return guarded(() => this.#session.report()) as InbetweenReport;
  }

  clip(): Clip {
    return new KinestitchClip(packed(guarded(() => this.#session.clip()), liveModule));
  }

  free(): void {
    release(this.#session);
  }
}

/**
 * The keys in wasm, with the loaded networks and that of the method; for a motion made `once`, a GPU is evaluated
 * now.
 */
async function ready(
  { networks }: Context,
  options: InbetweenOptions,
  keys: unknown,
  once = false,
): Promise<{ gathered: Keys; method: InbetweenMethod | undefined }> {
  await live.ensure();
  const { gathered, bipeds } = gather(keys);
  try {
    // A default applies where it can; an explicit option applies or is refused.
    const method = options.method ?? (bipeds && networks().info("inbetween") ? "delta" : undefined);
    const needed = method === "manifold" || method === "delta" || method === "dcmoe" ? method : undefined;
    const { device, signal, onProgress } = options;
    if (needed && device) {
      await networks().load({ for: "inbetween", name: needed, device, ...(signal && { signal }), ...(onProgress && { onProgress }) });
    }
    for (const network of await networks().fillers(needed, options)) gathered.network(network);
    if (once && method === "delta") {
      for (const rows of await networks().answers(() => gathered.questions(words(options, method)), options)) gathered.answer(rows);
    }
    return { gathered, method };
  } catch (error) {
    release(gathered);
    throw error;
  }
}

/** The keys in wasm. Each clip is copied once, so that its keys keep their relative position. */
function gather(keys: unknown): { gathered: Keys; bipeds: boolean } {
  if (!Array.isArray(keys)) throw wrongOption("keys", "inbetween takes an array of keys");
  const checked = Array.from(keys as (InbetweenKey | undefined)[], (key, index) => {
    const what = `key ${index}`;
    if (typeof key !== "object" || key === null) throw wrongOption("keys", `${what} must be an object with a clip`);
    return { clip: KinestitchClip.packedOf(key.clip, `the clip of ${what}`), frames: framesOf(key, what), at: placeOf(key.at, what) };
  });
  const gathered = new Keys();
  try {
    const numbers = new Map<string, number>();
    for (const { clip, frames, at } of checked) {
      const number = numbers.get(clip.id) ?? guarded(() => gathered.clip(clip.bytes));
      numbers.set(clip.id, number);
      gathered.add(number, ...frames, at?.x, at?.z, at?.heading);
    }
    return { gathered, bipeds: checked.every(({ clip }) => clip.kind === "biped") };
  } catch (error) {
    release(gathered);
    throw error;
  }
}

function framesOf({ frame, from, to }: KeyFrames, what: string): [number, number] {
  if ((frame === undefined) === (from === undefined && to === undefined)) {
    throw wrongOption("keys", `${what} is a frame, or frames from and to`);
  }
  const [first, last] = frame === undefined ? [from, to] : [frame, Number(frame) + 1];
  return [count(`from of ${what}`, first), count(`to of ${what}`, last)];
}

function placeOf(at: KeyPlace | undefined, what: string): KeyPlace | undefined {
  if (at === undefined) return undefined;
  if ([at?.x, at?.z, at?.heading].every((value) => Number.isFinite(value))) return at;
  throw wrongOption("keys", `at of ${what} is { x, z, heading }, finite numbers`);
}

/** Options for wasm; omitted ones get their defaults there. */
function words({ frames, method: _, candidates: __, speed: ___, like: ____, device: _____, paced, path, ...options }: InbetweenOptions, method: InbetweenMethod | undefined): object {
  const settled = { ...plain(options), ...(method && { method }), ...(paced && path && { path }) };
  if (frames === undefined) return settled;
  return { ...settled, frames: typeof frames === "number" ? [frames] : Array.from(frames) };
}

function count(option: string, value: unknown): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32) return value as number;
  throw wrongOption(option, `${option} must be a whole number, not ${String(value)}`);
}
