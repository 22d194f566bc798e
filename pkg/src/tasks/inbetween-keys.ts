/** Keys of `inbetween`: checked, gathered in wasm, with the networks that a call may use. */
import { Keys } from "../../wasm/live.js";
import { KinestitchClip } from "../core/clip.js";
import { callLiveWasm as callWasm, release } from "../core/error.js";
import { networkMethods, defaultMethod } from "../core/generated/methods.js";
import { AUTO, methodName } from "../core/method.js";
import { pickTaskOptions, wrongOption } from "../core/options.js";
import type { Context } from "../core/task.js";
import type { InbetweenChoice, InbetweenKey, InbetweenOptions, KeyFrames, GroundPose } from "../core/types.js";
import { loadAutoJudge, NO_JUDGE } from "../networks/auto-judge.js";
import { live } from "../core/wasm.js";

/** Keys in wasm, and the method of the call. */
export interface Ready {
  gathered: Keys;
  method: InbetweenChoice | typeof AUTO;
  /** Doubts for the report. */
  warnings: string[];
}

/**
 * Copies the keys to wasm, and loads the named networks, the network of the method, and the judge if "auto" compares
 * bipeds. A default is used only if it applies; an explicit option applies or is rejected.
 */
export async function ready({ networks }: Context, options: InbetweenOptions, keys: unknown): Promise<Ready> {
  await live.ensure();
  const { gathered, bipeds } = gather(keys);
  try {
    const method = options.method ?? (bipeds ? networks().defaultOf("inbetween") : undefined) ?? defaultMethod;
    const named = method === AUTO ? networks().preloadedNames("inbetween") : [];
    const isAnyNamed = named.length > 0 || networks().preloadedNames("judge").length > 0;
    const [fillers, { judge, warnings }] = await Promise.all([
      networks().fillers(method === AUTO ? named : needed(method), options),
      method === AUTO && bipeds ? loadAutoJudge(networks(), isAnyNamed, pickTaskOptions(options)) : NO_JUDGE,
    ]);
    for (const filler of fillers) gathered.network(filler);
    if (judge) gathered.judge(judge.cpu);
    return { gathered, method, warnings };
  } catch (error) {
    release(gathered);
    throw error;
  }
}

/** Returns the network that a method needs, if any. */
export const needed = (method: InbetweenChoice): string[] =>
  networkMethods.filter((network) => network === methodName(method));

/** Copies the keys to wasm. Each clip is copied once, because keys of one clip keep their relative positions. */
function gather(keys: unknown): { gathered: Keys; bipeds: boolean } {
  if (!Array.isArray(keys)) throw wrongOption("keys", "inbetween takes an array of keys");
  const checkOptions = Array.from(keys as (InbetweenKey | undefined)[], (key, index) => {
    const what = `key ${index}`;
    if (typeof key !== "object" || key === null) throw wrongOption("keys", `${what} must be an object with a clip`);
    const clip = KinestitchClip.packedOf(key.clip, `the clip of ${what}`);
    return { clip, frames: framesOf(key, what), at: placeOf(key.at, what) };
  });
  const gathered = new Keys();
  try {
    const numbers = new Map<string, number>();
    for (const { clip, frames, at } of checkOptions) {
      const number = numbers.get(clip.id) ?? callWasm(() => gathered.clip(clip.bytes));
      numbers.set(clip.id, number);
      gathered.add(number, ...frames, at?.x, at?.z, at?.heading);
    }
    return { gathered, bipeds: checkOptions.every(({ clip }) => clip.kind === "biped") };
  } catch (error) {
    release(gathered);
    throw error;
  }
}

function framesOf({ frame, from, to }: KeyFrames, what: string): [number, number] {
  if ((frame === undefined) === (from === undefined && to === undefined)) {
    throw wrongOption("keys", `${what} must have a frame, or from and to`);
  }
  const [first, last] = frame === undefined ? [from, to] : [frame, Number(frame) + 1];
  return [count(`from of ${what}`, first), count(`to of ${what}`, last)];
}

function placeOf(at: GroundPose | undefined, what: string): GroundPose | undefined {
  if (at === undefined) return undefined;
  if ([at?.x, at?.z, at?.heading].every((value) => Number.isFinite(value))) return at;
  throw wrongOption("keys", `at of ${what} must be { x, z, heading } with finite numbers`);
}

/** Options as wasm reads them; what is not given is settled there. */
export function wasmOptions({ frames, footLock, fps, name }: InbetweenOptions, method?: InbetweenChoice): object {
  const counts = frames !== undefined && { frames: typeof frames === "number" ? [frames] : Array.from(frames) };
  return {
    ...(method !== undefined && { method }),
    ...counts,
    ...(footLock !== undefined && { footLock }),
    ...(fps !== undefined && { fps }),
    ...(name !== undefined && { name }),
  };
}

/** A number that wasm can count with. */
export function count(option: string, value: unknown): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32) return value as number;
  throw wrongOption(option, `${option} must be a whole number, not ${String(value)}`);
}
