/** The only file of the app that talks to the package; everything runs in its worker. */
import { inbetween, load, loadNetworks, networkInfo, seamMap, stitch, styles } from "kinestitch/worker";
import type { ClipCurves } from "kinestitch/worker";
import "kinestitch/networks";
import type { Poses } from "../viewer/poses";

export type WorkerClip = Awaited<ReturnType<typeof load>>;
export type WorkerInbetween = Awaited<ReturnType<typeof inbetween>>;
export type WorkerStitched = Awaited<ReturnType<typeof stitch>>;
export { inbetween, load, loadNetworks, networkInfo, seamMap, stitch, styles };

/** Whether weights are in this browser already: the package keeps them by their hash. */
export async function isKept(sha256: string): Promise<boolean> {
  try {
    return (await caches.match(new URL(`/.kinestitch/${sha256}`, location.origin))) !== undefined;
  } catch {
    // No cache on a page that is not served securely.
    return false;
  }
}

/** Poses with the curves that the plots show. */
export interface Motion extends Poses {
  curves: ClipCurves;
}

/** A problem in plain words. `code` is the package's stable word for it. */
export interface Problem {
  code: string;
  message: string;
}

type Readable = Pick<WorkerClip, "info" | "positions" | "curves">;

export async function posesOf(clip: Readable): Promise<Poses> {
  const [info, positions] = await Promise.all([clip.info(), clip.positions()]);
  const { name, frames, fps, joints, rig } = info;
  return { name, frames, fps, joints, rig, positions };
}

export async function motionOf(clip: Readable): Promise<Motion> {
  const [poses, curves] = await Promise.all([posesOf(clip), clip.curves()]);
  return { ...poses, curves };
}

export function problemOf(error: unknown): Problem {
  if (error instanceof Error) {
    const code = "code" in error && typeof error.code === "string" ? error.code : "unknown";
    return { code, message: error.message };
  }
  return { code: "unknown", message: String(error) };
}

/** First letter upper case, full stop at the end: messages of the package start mid-sentence. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  return trimmed.charAt(0).toUpperCase() + trimmed.slice(1) + (/[.!?]$/.test(trimmed) ? "" : ".");
}
