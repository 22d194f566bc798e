/** Result of `inbetween`. */
import type { InbetweenHandle } from "../../wasm/kinestitch.js";
import { ReportedClip } from "../core/clip.js";
import { onThread, pack } from "../core/clip-methods.js";
import { freeAfter, callWasm } from "../core/error.js";
import type { PackedMotion } from "../core/packed.js";
import type { InbetweenCandidate, InbetweenClip, InbetweenReport } from "../core/types.js";

/** A result of `inbetween` on the calling thread. */
export type KinestitchInbetween = ReportedClip & InbetweenClip;

/**
 * Copies a result out of WebAssembly and frees `handle`. `started`: start of the computation, as returned by
 * `performance.now()`.
 */
export function takeResult(
  handle: InbetweenHandle,
  started: number,
  candidate: InbetweenCandidate,
): KinestitchInbetween {
  return freeAfter(handle, () => {
    const report = callWasm(() => handle.report()) as InbetweenReport;
    return makeResult(pack(callWasm(() => handle.clip())), report, performance.now() - started, candidate);
  });
}

/** Creates a result; it has those of `path`, `speed`, `style`, `method` and `score` that the candidate has. */
export function makeResult(
  clip: PackedMotion,
  { keys, groundPoses, gaps, warnings }: InbetweenReport,
  milliseconds: number,
  candidate: InbetweenCandidate,
): KinestitchInbetween {
  const report = { ...candidate, keys, groundPoses, gaps, warnings, milliseconds };
  return new ReportedClip(onThread, clip, report) as KinestitchInbetween;
}
