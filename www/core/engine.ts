/**
 * The package's functions that run in its worker, for the whole app. If the worker stops and cannot be restarted, a
 * listener is notified. live-functions.ts has the functions on the page's own thread.
 */
import {
  clean as plainClean,
  inbetween as plainInbetween,
  load as plainLoad,
  loadNetworks,
  loop as plainLoop,
  networkInfo,
  seamMap as plainSeamMap,
  stitch as plainStitch,
  styles,
} from "kinestitch/worker";
import type { ClipCurves } from "kinestitch/worker";
// Registers the URLs of the networks' files.
import "kinestitch/networks";
import type { Poses } from "../viewer/poses";

/** A clip in the package's worker. */
export type Clip = Awaited<ReturnType<typeof plainLoad>>;
/** A result of `inbetween` in the package's worker. */
export type WorkerInbetween = Awaited<ReturnType<typeof plainInbetween>>;
/** A result of `stitch` in the package's worker. */
export type WorkerStitched = Awaited<ReturnType<typeof plainStitch>>;
export { loadNetworks, networkInfo, styles };

/** The smallest valid BVH file: reading it tests whether the worker is alive. */
const PROBE = `HIERARCHY
ROOT a
{
OFFSET 0 0 0
CHANNELS 3 Xposition Yposition Zposition
End Site
{
OFFSET 0 1 0
}
}
MOTION
Frames: 1
Frame Time: 0.1
0 0 0
`;

let isProbing = false;
let lostListener: (reason: string) => void = () => undefined;

/** Sets the listener for a worker that has stopped and cannot be restarted. */
export const onWorkerLost = (listener: typeof lostListener): void => void (lostListener = listener);

/** Tests the worker. The package restarts a stopped worker with the next request; if that fails too, it is lost. */
async function probeWorker(): Promise<void> {
  if (isProbing) return;
  isProbing = true;
  try {
    (await plainLoad(PROBE)).free();
  } catch (error) {
    const { code, message } = problemOf(error);
    if (code === "wasm" || code === "fetch") lostListener(message);
  } finally {
    isProbing = false;
  }
}

/** Wraps a function of the package: if the worker stops during a call, the worker is tested and its loss reported. */
function withLossReport<Run extends (...input: never[]) => Promise<unknown>>(run: Run): Run {
  const call = async (...input: Parameters<Run>): Promise<unknown> => {
    try {
      return await run(...input);
    } catch (error) {
      if (problemOf(error).code === "wasm") void probeWorker();
      throw error;
    }
  };
  return call as Run;
}

/** `inbetween` of the package; a lost worker is reported. */
export const inbetween = withLossReport(plainInbetween);
/** `load` of the package; a lost worker is reported. */
export const load = withLossReport(plainLoad);
/** `clean` of the package; a lost worker is reported. */
export const clean = withLossReport(plainClean);
/** `loop` of the package; a lost worker is reported. */
export const loop = withLossReport(plainLoop);
/** `seamMap` of the package; a lost worker is reported. */
export const seamMap = withLossReport(plainSeamMap);
/** `stitch` of the package; a lost worker is reported. */
export const stitch = withLossReport(plainStitch);

/** Whether weights are in this browser's cache, where the package stores them under their hash. */
export async function isCached(sha256: string): Promise<boolean> {
  try {
    return (await caches.match(new URL(`/.kinestitch/${sha256}`, location.origin))) !== undefined;
  } catch {
    // Pages without a secure context have no cache.
    return false;
  }
}

/** Poses with curves for plots. */
export interface Motion extends Poses {
  curves: ClipCurves;
}

/** An error for display. `code`: the package's stable identifier, "unknown" for other errors. */
export interface Problem {
  code: string;
  message: string;
}

type ReadableClip = Pick<Clip, "info" | "positions" | "curves">;

/** Reads the poses of a clip for the viewer. */
export async function posesOf(clip: ReadableClip): Promise<Poses> {
  const [info, positions] = await Promise.all([clip.info(), clip.positions()]);
  const { name, frames, fps, joints, rig } = info;
  return { name, frames, fps, joints, rig, positions };
}

/** Reads the poses and curves of a clip. */
export async function motionOf(clip: ReadableClip): Promise<Motion> {
  const [poses, curves] = await Promise.all([posesOf(clip), clip.curves()]);
  return { ...poses, curves };
}

/** Returns the code and message of any thrown value. The page shows the name of a file itself, so it is removed. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Error) {
    const code = "code" in error && typeof error.code === "string" ? error.code : "unknown";
    const start = "file" in error && typeof error.file === "string" ? `${error.file}: ` : "";
    return { code, message: error.message.startsWith(start) ? error.message.slice(start.length) : error.message };
  }
  return { code: "unknown", message: String(error) };
}

/**
 * Turns a message of the package, which starts in lower case, into a sentence with a full stop. The name or address of a
 * file at its start stays unchanged.
 */
export function sentence(text: string): string {
  const trimmed = text.trim();
  const startsWithFile = /^(https?:|\S+\.\w+: )/.test(trimmed);
  const start = trimmed.charAt(0);
  return (startsWithFile ? start : start.toUpperCase()) + trimmed.slice(1) + (/[.!?]$/.test(trimmed) ? "" : ".");
}
