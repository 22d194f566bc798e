/** Result of `inbetween`. */
import type { InbetweenHandle } from "../../wasm/live.js";
import { KinestitchClip, pack } from "../core/clip.js";
import { freeAfter, callLiveWasm as callWasm } from "../core/error.js";
import type { PackedMotion } from "../core/packed.js";
import { liveModule } from "../core/restart.js";
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
    way: InbetweenCandidate,
  ) {
    super(clip);
    Object.assign(this, way);
    this.keys = keys;
    this.groundPoses = groundPoses;
    this.gaps = gaps;
    this.warnings = warnings;
    this.milliseconds = milliseconds;
  }
}

/** The result that wasm holds; `started` is when its computation began. */
export function resultOf(handle: InbetweenHandle, started: number, way: InbetweenCandidate): KinestitchInbetween {
  return freeAfter(handle, () => {
    const report = callWasm(() => handle.report()) as InbetweenReport;
    return new KinestitchInbetween(
      pack(
        callWasm(() => handle.clip()),
        liveModule,
      ),
      report,
      performance.now() - started,
      way,
    );
  });
}
