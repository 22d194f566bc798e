/** What stands on the stage. */
import type { Role } from "kinestitch/worker";
import type { Handles } from "./handles";
import type { Live } from "./live";
import type { Show } from "./poses";
import type { Focus } from "./viewer";

export interface Scenery {
  /** The motion shown; with `b`, on the left. */
  a?: Show | undefined;
  /** Another one beside it. */
  b?: Show | undefined;
  /** Skeletons that are posed as they are drawn. */
  lives?: readonly Live[];
  /** Whom the camera follows where no motion is shown. */
  focus?: Focus;
  /** Places on the ground that can be dragged. */
  handles?: Handles;
  /** Part of the body to mark on the figures. */
  pointed?: Role | undefined;
}
