/** Computes the methods of clips on the calling thread, in wasm. */
import type { ClipHandle } from "../../wasm/kinestitch.js";
import { type ClipBackend, type ClipMethod, KinestitchClip } from "./clip.js";
import { dataHandle, isMotionData } from "./data.js";
import { callWasm, freeAfter, KinestitchError, throwIfAborted } from "./error.js";
import { type MorphTrack, reverseMorphs, scaleMorphs, sliceMorphs } from "./morphs.js";
import { formatValue, wrongOption } from "./options.js";
import type { PackedMotion } from "./packed.js";
import { platform } from "./platform.js";
import type { ClipInfo, MotionData, RigEdits, TaskOptions } from "./types.js";

/** Prefix of the ids of motions that this thread packs: makes ids unique across threads. */
const idPrefix = Math.random().toString(36).slice(2);
let packedCount = 0;

/** Packs the motion of a handle, and frees the handle. */
export function pack(handle: ClipHandle): PackedMotion {
  return freeAfter(handle, () => {
    const [info, bytes] = callWasm(
      () => [handle.info() as ClipInfo, handle.pack() as Uint8Array<ArrayBuffer>] as const,
    );
    const translated = [...callWasm(() => handle.translated())];
    const { name, frames, fps, kind } = info;
    return { id: `${idPrefix}-${++packedCount}`, name, frames, fps, kind, info, translated, bytes };
  });
}

/** Returns the clip of a handle, and frees the handle. `morphs`: its tracks of morph targets. */
export function clipOf(handle: ClipHandle, morphs: readonly MorphTrack[] = []): KinestitchClip {
  return new KinestitchClip(onThread, { ...pack(handle), ...(morphs.length > 0 && { morphs }) });
}

/** Returns the clip of a handle, with the tracks of morph targets that `change` returns for the clip's length. */
function changed(
  handle: ClipHandle,
  morphs: readonly MorphTrack[],
  change: (morphs: readonly MorphTrack[], last: number) => readonly MorphTrack[],
): KinestitchClip {
  const packed = pack(handle);
  const changedMorphs = morphs.length > 0 ? change(morphs, (packed.frames - 1) / packed.fps) : [];
  return new KinestitchClip(onThread, { ...packed, ...(changedMorphs.length > 0 && { morphs: changedMorphs }) });
}

const unpack = ({ bytes }: PackedMotion): ClipHandle => callWasm(() => platform().module.ClipHandle.unpack(bytes));

function checkNumber(value: unknown, name: string): number {
  if (typeof value === "number") return value;
  throw wrongOption(name, `${name} must be a number, not ${formatValue(value)}`);
}

/** Returns the entries of changes to a bone mapping. */
function rigEntries(edits: unknown): [string, string | null][] {
  const isObject = typeof edits === "object" && edits !== null;
  const entries = isObject ? Object.entries(edits as RigEdits).filter(([, joint]) => joint !== undefined) : [];
  if (!isObject || entries.some(([, name]) => name !== null && typeof name !== "string"))
    throw wrongOption("rig", "rig must be an object of roles, each with the name of a joint or null");
  return entries as [string, string | null][];
}

/** Returns the motion on the skeleton of `target`: a clip, or a motion as plain values. */
function retarget(handle: ClipHandle, target: unknown, ground: string | undefined): KinestitchClip {
  const targetHandle = isMotionData(target)
    ? dataHandle(target as MotionData)
    : unpack(KinestitchClip.packedOf(target, "the target"));
  return freeAfter(targetHandle, () => clipOf(handle.retarget(targetHandle, ground)));
}

function concat(handle: ClipHandle, others: readonly unknown[]): KinestitchClip {
  const packed = others.map((other, index) => KinestitchClip.packedOf(other, `clip ${index + 1}`));
  return clipOf(handle.concat(packed.map(unpack)));
}

type Compute = (handle: ClipHandle, args: readonly unknown[], morphs: readonly MorphTrack[]) => unknown;

/**
 * Computes each method with the clip in wasm; calls of wasm are converted by the caller. `morphs`: the clip's tracks of
 * morph targets.
 */
const methods: Record<Exclude<ClipMethod, "naturalness">, Compute> = {
  curves: (handle) => handle.curves(),
  // In wasm, an empty list stands for the default limbs.
  phases: (handle, [options]) =>
    (options as { joints?: unknown[] }).joints?.length === 0 ? [] : handle.phases(options),
  toBvh: (handle) => handle.toBvh(),
  toGlb: (handle) => handle.toGlb(),
  resample: (handle, [fps], morphs) => clipOf(handle.resample(checkNumber(fps, "fps")), morphs),
  withRig: (handle, [rig], morphs) => clipOf(handle.withRig(rigEntries(rig)), morphs),
  inPlace: (handle, _, morphs) => clipOf(handle.inPlace(), morphs),
  retarget: (handle, [target, ground]) => retarget(handle, target, ground as string | undefined),
  slice(handle, [from, to], morphs) {
    const start = checkNumber(from, "from");
    const part = handle.slice(start, checkNumber(to, "to"));
    return changed(part, morphs, (tracks, last) => sliceMorphs(tracks, start, start + last));
  },
  reverse: (handle, _, morphs) => changed(handle.reverse(), morphs, reverseMorphs),
  mirror: (handle, _, morphs) => clipOf(handle.mirror(), morphs),
  timeScale(handle, [factor], morphs) {
    const scale = checkNumber(factor, "factor");
    return changed(handle.timeScale(scale), morphs, (tracks) => scaleMorphs(tracks, scale));
  },
  at(handle, [seconds]) {
    const pose = clipOf(handle.at(checkNumber(seconds, "seconds")));
    return { positions: pose.positions(), rotations: pose.rotations() };
  },
  concat,
  rootMotion: (handle, _, morphs) => ({ clip: clipOf(handle.inPlace(), morphs), path: handle.rootMotion() }),
  rootMotionFromFeet: (handle, _, morphs) => clipOf(handle.rootMotionFromFeet(), morphs),
};

/** Throws if the loaded module lacks a method; the module of `kinestitch/small` lacks most methods. */
function requireMethod(handle: ClipHandle, method: ClipMethod): void {
  if (handle[method as keyof ClipHandle] === undefined)
    throw new KinestitchError(
      "wasm",
      `kinestitch/small only reads and shows motions (no ${method}); import "kinestitch/worker"`,
    );
}

async function naturalness({ bytes }: PackedMotion, set: string | undefined, task: TaskOptions): Promise<Float32Array> {
  const { cpu } = await platform().networks().judge(set, task);
  return callWasm(() => cpu.naturalness(bytes));
}

/** The backend of clips on the calling thread. */
export const onThread: ClipBackend = {
  async compute(clip, method, args, task) {
    throwIfAborted(task.signal);
    if (method === "naturalness") return naturalness(clip, (args[0] as { set?: string }).set, task);
    return freeAfter(unpack(clip), (handle) => {
      requireMethod(handle, method);
      return callWasm(() => methods[method](handle, args, clip.morphs ?? []));
    });
  },
  // The calling thread keeps motions only in clips.
  forget() {},
};
