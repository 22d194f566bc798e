/** Keys of `inbetween`: checks them, copies them to wasm, and loads the networks that a call may use. */
import { Keys } from "../../wasm/kinestitch.js";
import { KinestitchClip } from "../core/clip.js";
import { callWasm, release } from "../core/error.js";
import {
  networkMethods,
  defaultFrames,
  defaultMethod,
  maxGapSeconds,
  type NetworkMethodName,
} from "../generated/methods.js";
import { AUTO, methodName } from "../core/method.js";
import { groundPose, pickTaskOptions, wrongOption } from "../core/options.js";
import type { Context } from "../core/task.js";
import type { InbetweenChoice, InbetweenKey, InbetweenOptions, KeyFrames, GroundPose } from "../core/types.js";
import { loadAutoJudge, NO_JUDGE } from "../networks/auto-judge.js";

/** Keys in wasm, and the method of the call. */
export interface PreparedKeys {
  wasmKeys: Keys;
  method: InbetweenChoice | typeof AUTO;
  /** Whether all keys are bipeds. */
  bipeds: boolean;
  /** Network that is the default method where it supports the lengths of the gaps; only if the options name no method. */
  defaultNetwork: NetworkMethodName | undefined;
  /** Frame rate of the result, frames per second. */
  fps: number;
  /** Warnings for the report. */
  warnings: string[];
}

/**
 * Copies the keys to wasm, and loads the network of the method; for "auto", finds the networks that `loadNetworks` has
 * loaded, and loads the judge for bipeds. A default method is used only if it supports the keys and the lengths of the
 * gaps; an explicit method that does not support them causes an error.
 */
export async function prepareKeys(
  { networks }: Context,
  options: InbetweenOptions,
  keys: unknown,
): Promise<PreparedKeys> {
  const { wasmKeys, bipeds, fps: clipFps } = copyKeys(keys);
  try {
    const { frames = defaultFrames, fps = clipFps } = options;
    const network = bipeds && options.method === undefined ? networks().defaultOf("inbetween") : undefined;
    const method = options.method ?? defaultMethodFor(network, frames, fps);
    const preloaded = method === AUTO ? networks().preloadedNames("inbetween") : [];
    const isAnyPreloaded = preloaded.length > 0 || networks().preloadedNames("judge").length > 0;
    const [fillers, { judge, warnings }] = await Promise.all([
      networks().fillers(method === AUTO ? preloaded : requiredNetworks(network ?? method), options),
      method === AUTO && bipeds ? loadAutoJudge(networks(), isAnyPreloaded, pickTaskOptions(options)) : NO_JUDGE,
    ]);
    for (const filler of fillers) wasmKeys.network(filler);
    if (judge) wasmKeys.judge(judge.cpu);
    return { wasmKeys, method, bipeds, defaultNetwork: network, fps, warnings };
  } catch (error) {
    release(wasmKeys);
    throw error;
  }
}

/** Returns the default method for gaps: a network if it supports their lengths. `fps`: frame rate of the result. */
export function defaultMethodFor(
  network: NetworkMethodName | undefined,
  frames: number | readonly number[],
  fps: number,
): NetworkMethodName | typeof defaultMethod {
  const longest = typeof frames === "number" ? frames : frames.reduce((max, count) => Math.max(max, count), 0);
  return network !== undefined && (longest + 1) / fps <= maxGapSeconds[network] ? network : defaultMethod;
}

/** Returns a list with the network that a method needs; empty if it needs none. */
export const requiredNetworks = (method: InbetweenChoice): string[] =>
  networkMethods.filter((network) => network === methodName(method));

/** Copies the keys to wasm. Each clip is copied once, so that the keys of a clip keep their relative positions. */
function copyKeys(keys: unknown): { wasmKeys: Keys; bipeds: boolean; fps: number } {
  if (!Array.isArray(keys)) throw wrongOption("keys", "inbetween takes an array of keys");
  const checkedKeys = Array.from(keys as (InbetweenKey | undefined)[], (key, index) => {
    const name = `key ${index}`;
    if (typeof key !== "object" || key === null) throw wrongOption("keys", `${name} must be an object with a clip`);
    const clip = KinestitchClip.packedOf(key.clip, `the clip of ${name}`);
    return { clip, frames: framesOf(key, name), at: checkGroundPose(key.at, name, "keys") };
  });
  const wasmKeys = new Keys();
  try {
    const clipNumbers = new Map<string, number>();
    for (const { clip, frames, at } of checkedKeys) {
      const number = clipNumbers.get(clip.id) ?? callWasm(() => wasmKeys.clip(clip.bytes));
      clipNumbers.set(clip.id, number);
      wasmKeys.add(number, ...frames, at?.x, at?.z, at?.heading);
    }
    const [first] = checkedKeys;
    return { wasmKeys, bipeds: checkedKeys.every(({ clip }) => clip.kind === "biped"), fps: first?.clip.fps ?? 30 };
  } catch (error) {
    release(wasmKeys);
    throw error;
  }
}

function framesOf({ frame, from, to }: KeyFrames, name: string): [number, number] {
  if ((frame === undefined) === (from === undefined && to === undefined)) {
    throw wrongOption("keys", `${name} must have a frame, or from and to`);
  }
  const [first, last] = frame === undefined ? [from, to] : [frame, Number(frame) + 1];
  return [checkCount(`${frame === undefined ? "from" : "frame"} of ${name}`, first), checkCount(`to of ${name}`, last)];
}

/** Returns a ground pose if it is `undefined` or complete; otherwise throws. `option`: name of the wrong argument. */
export function checkGroundPose(at: GroundPose | undefined, name: string, option: string): GroundPose | undefined {
  if (at === undefined || groundPose.is(at)) return at;
  throw wrongOption(option, `at of ${name} must be { x, z, heading } with finite numbers`);
}

/** Returns the options for wasm, which has the defaults of omitted options. */
export function wasmOptions(
  { frames, footLock, ground, fps, name }: InbetweenOptions,
  method?: InbetweenChoice,
): object {
  const frameCounts = frames !== undefined && { frames: typeof frames === "number" ? [frames] : Array.from(frames) };
  return {
    ...(method !== undefined && { method }),
    ...frameCounts,
    ...(footLock !== undefined && { footLock }),
    ...(ground !== undefined && { ground }),
    ...(fps !== undefined && { fps }),
    ...(name !== undefined && { name }),
  };
}

/** Returns a value if it is a whole number that wasm accepts; otherwise throws. */
export function checkCount(option: string, value: unknown): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32) return value as number;
  throw wrongOption(option, `${option} must be a whole number, not ${String(value)}`);
}
