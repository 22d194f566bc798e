/** Contents of the stage, the space that the 3D view shows. */
import type { HeightField, Role } from "kinestitch/worker";
import type { Handles } from "./handles";
import type { LiveSkeleton } from "./live-skeleton";
import type { DisplayedMotion } from "./poses";
import type { Focus } from "./viewer";

/** Contents of the stage: one motion, or two motions that are compared. */
export interface StageContents {
  /** The displayed motion; in a comparison, the motion on the left. */
  a?: DisplayedMotion | undefined;
  /** In a comparison, the motion on the right. */
  b?: DisplayedMotion | undefined;
  /** Skeletons whose poses are computed when they are drawn. */
  liveSkeletons?: readonly LiveSkeleton[];
  /** Target of the camera if there is no motion. */
  focus?: Focus;
  /** Uneven ground; absent: level ground. */
  terrain?: HeightField | undefined;
  /** Handles on the ground. */
  handles?: Handles;
  /** Role whose joint is marked on the figures. */
  markedRole?: Role | undefined;
}
