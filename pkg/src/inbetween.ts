/** `inbetween`: keys checked, handles gathered, the result wrapped; and the live session of a page. */
import { type InbetweenHandle, type InbetweenSession, Keys } from "../wasm/kinestitch.js";
import { KinestitchClip } from "./clip.js";
import { guarded, KinestitchError } from "./error.js";
import { reporting } from "./progress.js";
import type {
  Clip,
  Gap,
  InbetweenClip,
  InbetweenKey,
  InbetweenMethod,
  InbetweenOptions,
  InbetweenReport,
  KeyFrames,
  KeyPlace,
  LiveInbetween,
} from "./types.js";

class KinestitchInbetween extends KinestitchClip implements InbetweenClip {
  readonly keys: [number, number][];
  readonly gaps: Gap[];
  readonly warnings: string[];
  readonly milliseconds: number;

  constructor(handle: InbetweenHandle, milliseconds: number) {
    super(handle.clip());
    const { keys, gaps, warnings } = handle.report() as InbetweenReport;
    this.keys = keys;
    this.gaps = gaps;
    this.warnings = warnings;
    this.milliseconds = milliseconds;
    handle.free();
  }
}

/** Makes the motion between keys on the calling thread. */
export function fillBetween(keys: readonly InbetweenKey[], options: InbetweenOptions): InbetweenClip {
  const started = performance.now();
  const gathered = gather(keys);
  try {
    const made = reporting(options, (report) => gathered.run(plain(options), report));
    return new KinestitchInbetween(made, performance.now() - started);
  } finally {
    gathered.free();
  }
}

/** Keys made ready to be dragged. */
export function liveBetween(keys: readonly InbetweenKey[], options: InbetweenOptions): LiveInbetween {
  const gathered = gather(keys);
  try {
    return new KinestitchLive(guarded(() => gathered.session(plain(options))));
  } finally {
    gathered.free();
  }
}

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
    guarded(() => this.#session.setMethod(method));
  }

  places(): KeyPlace[] {
    const numbers = guarded(() => this.#session.stands());
    return Array.from({ length: numbers.length / 3 }, (_, key) => {
      const [x = 0, z = 0, heading = 0] = numbers.subarray(key * 3, key * 3 + 3);
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
    return new KinestitchClip(guarded(() => this.#session.clip()));
  }

  free(): void {
    this.#session.free();
  }
}

/** The keys, in wasm. */
function gather(keys: readonly InbetweenKey[]): Keys {
  if (!Array.isArray(keys)) throw new KinestitchError("option", "inbetween takes an array of keys");
  const checked = keys.map((key: InbetweenKey, index) => {
    const what = `key ${index}`;
    if (typeof key !== "object" || key === null) throw new KinestitchError("option", `${what} must be an object with a clip`);
    return { handle: KinestitchClip.handleOf(key.clip, `the clip of ${what}`), frames: framesOf(key, what), at: placeOf(key.at, what) };
  });
  const gathered = new Keys();
  for (const { handle, frames, at } of checked) gathered.add(handle, ...frames, at?.x, at?.z, at?.heading);
  return gathered;
}

function framesOf({ frame, from, to }: KeyFrames, what: string): [number, number] {
  if ((frame === undefined) === (from === undefined && to === undefined)) {
    throw new KinestitchError("option", `${what} is a frame, or frames from and to`);
  }
  const [first, last] = frame === undefined ? [from, to] : [frame, Number(frame) + 1];
  return [count(`from of ${what}`, first), count(`to of ${what}`, last)];
}

function placeOf(at: KeyPlace | undefined, what: string): KeyPlace | undefined {
  if (at === undefined) return undefined;
  if ([at?.x, at?.z, at?.heading].every((value) => Number.isFinite(value))) return at;
  throw new KinestitchError("option", `at of ${what} is { x, z, heading }, finite numbers`);
}

/** Options as wasm reads them; what is not given is settled there. */
function plain({ frames, method, footLock, fps, name }: InbetweenOptions): Record<string, unknown> {
  const all = frames === undefined || typeof frames === "number" ? frames : Array.from(frames);
  const gaps = typeof all === "number" ? [all] : all;
  gaps?.forEach((value) => count("frames", value));
  const given = Object.entries({ frames: gaps, method, footLock, fps, name });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function count(option: string, value: unknown): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32) return value as number;
  throw new KinestitchError("option", `${option} must be a whole number, not ${String(value)}`);
}
