/** Result of `inbetween`. */
import type { InbetweenHandle } from "../../wasm/kinestitch.js";
import { KinestitchClip, pack } from "../core/clip.js";
import { freeAfter, callWasm } from "../core/error.js";
import type { PackedMotion } from "../core/packed.js";
import type {
  FrameRange,
  Gap,
  InbetweenChoice,
  InbetweenClip,
  InbetweenReport,
  InbetweenSpeed,
  InbetweenCandidate,
  GroundPose,
} from "../core/types.js";

/** Result of `inbetween` on the calling thread. */
export class KinestitchInbetween extends KinestitchClip implements InbetweenClip {
  readonly keys: FrameRange[];
  readonly groundPoses: GroundPose[];
  readonly gaps: Gap[];
  readonly warnings: string[];
  readonly milliseconds: number;
  readonly path?: [number, number][];
  readonly speed?: InbetweenSpeed;
  readonly style?: string;
  readonly method?: InbetweenChoice;
  readonly score?: number;

  constructor(
    clip: PackedMotion,
    { keys, groundPoses, gaps, warnings }: InbetweenReport,
    milliseconds: number,
    candidate: InbetweenCandidate,
  ) {
    super(clip);
    // Sets those of `path`, `speed`, `style`, `method` and `score` that the candidate has.
    Object.assign(this, candidate);
    this.keys = keys;
    this.groundPoses = groundPoses;
    this.gaps = gaps;
    this.warnings = warnings;
    this.milliseconds = milliseconds;
  }
}

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
    return new KinestitchInbetween(pack(callWasm(() => handle.clip())), report, performance.now() - started, candidate);
  });
}
