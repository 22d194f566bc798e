/** Contents of the stage. */
import type { Role } from "kinestitch/worker";
import type { Handles } from "./handles";
import type { LiveSkeleton } from "./live-skeleton";
import type { DisplayedMotion } from "./poses";
import type { Focus } from "./viewer";

/** Contents of the stage at one moment. */
export interface StageContents {
  /** The shown motion; with `b`, on the left. */
  a?: DisplayedMotion | undefined;
  /** Another motion beside it. */
  b?: DisplayedMotion | undefined;
  /** Skeletons that are posed when drawn. */
  liveSkeletons?: readonly LiveSkeleton[];
  /** Target of the camera where no motion is shown. */
  focus?: Focus;
  /** Handles on the ground. */
  handles?: Handles;
  /** Role to mark on the figures. */
  markedRole?: Role | undefined;
}
