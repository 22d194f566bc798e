/** A character on the stage: its controller, display and position. */
import type { ControlInput, Controller } from "kinestitch/worker";
import { ROLES } from "../../core/roles";
import type { CharacterBody } from "./bodies";
import type { GroundPose } from "../../viewer/handles";
import type { LiveSkeleton } from "../../viewer/live-skeleton";
import { heightOf, type Skeleton } from "../../viewer/poses";
import type { Focus } from "../../viewer/viewer";
import { STAY } from "./steering";

/** Index of the present point of the path. */
const NOW = 6;
/** Contact probability above which a foot touches. */
const TOUCHES = 0.5;
/** Time in which a following camera covers half of its distance, seconds. */
const HALF_SECS = 0.12;

/** A controlled character on the stage. */
export class Actor {
  readonly controller: Controller;
  readonly skeleton: Skeleton;
  readonly live: LiveSkeleton;
  readonly focus: Focus;
  /** Stamp of its body; `undefined` for its own. */
  readonly stamp: unknown;
  #middle: [number, number];

  constructor(controller: Controller, color: string, worn?: CharacterBody, stamp?: unknown) {
    this.controller = controller;
    this.stamp = stamp;
    controller.step(STAY, 1 / 60);
    this.skeleton = skeletonOf(controller, worn);
    this.#middle = [this.spot.x, this.spot.z];
    this.focus = { height: this.skeleton.height, position: () => this.#middle };
    this.live = {
      skeleton: this.skeleton,
      color,
      pose: (_, out) => {
        out.set(controller.positions);
        return true;
      },
      path: controller.trajectory,
      feet: controller.contactPoints.map((point) =>
        controller.skeleton.flatMap(({ name }, joint) => (name === point ? [joint] : [])),
      ),
      contacts: () => Array.from(controller.contacts, (probability) => probability > TOUCHES),
      ...(worn?.body && { body: worn.body, rotations: controller.rotations }),
    };
  }

  /** Ground pose. */
  get spot(): GroundPose {
    const [x = 0, z = 0, faceX = 0, faceZ = 1] = this.controller.trajectory.subarray(NOW * 4, NOW * 4 + 4);
    return { x, z, heading: Math.atan2(faceX, faceZ) };
  }

  step(want: ControlInput, seconds: number): void {
    this.controller.step(want, seconds);
    const { x, z } = this.spot;
    const share = 1 - 0.5 ** (seconds / HALF_SECS);
    this.#middle = [this.#middle[0] + (x - this.#middle[0]) * share, this.#middle[1] + (z - this.#middle[1]) * share];
  }
}

function skeletonOf({ skeleton, positions }: Controller, worn: CharacterBody | undefined): Skeleton {
  const joints = [...skeleton];
  const rig =
    worn?.info.rig ??
    Object.fromEntries(ROLES.filter((role) => joints.some(({ name }) => name === role)).map((role) => [role, role]));
  return { joints, rig, height: heightOf({ name: "", frames: 1, fps: 1, joints, rig, positions }) };
}
