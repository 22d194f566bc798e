/** A controlled character on the stage. */
import type { ControlInput, Controller, HeightField } from "kinestitch/worker";
import { ROLES } from "../../core/roles";
import type { CharacterBody } from "./bodies";
import type { GroundPose } from "../../viewer/handles";
import type { LiveSkeleton } from "../../viewer/live-skeleton";
import { heightOf, type Skeleton } from "../../viewer/poses";
import { heightAt } from "../../viewer/terrain";
import type { Focus } from "../../viewer/viewer";
import { STAY } from "./steering";

/** Index of the current point of a controller's trajectory. */
const NOW = 6;
/** A foot is shown as touching the ground if its contact probability is higher. */
const TOUCHES = 0.5;
/** Time in which the following camera covers half of its distance to the character, seconds. */
const HALF_SECS = 0.12;

/** A controlled character on the stage: its controller, and its display in the viewer. */
export class Actor {
  readonly controller: Controller;
  readonly skeleton: Skeleton;
  /** Display in the viewer. */
  readonly live: LiveSkeleton;
  /** Point that the camera follows. */
  readonly focus: Focus;
  /** Identity of the body that it is displayed on; `undefined` for the character's own body. */
  readonly stamp: unknown;
  #middle: [number, number, number];
  #ground: HeightField | undefined;

  /** `ground`: the ground of the controller; absent: level ground. */
  constructor(controller: Controller, color: string, ground?: HeightField, worn?: CharacterBody, stamp?: unknown) {
    this.controller = controller;
    this.#ground = ground;
    this.stamp = stamp;
    controller.step(STAY, 1 / 60);
    this.skeleton = skeletonOf(controller, worn);
    this.#middle = [this.spot.x, this.spot.z, this.#height];
    this.focus = { height: this.skeleton.height, position: () => this.#middle };
    this.live = {
      skeleton: this.skeleton,
      color,
      pose: (_, out) => {
        out.set(controller.positions);
        return true;
      },
      path: controller.trajectory,
      heightAt: (x, z) => this.#heightAt(x, z),
      feet: controller.contactPoints.map((point) =>
        controller.skeleton.flatMap(({ name }, joint) => (name === point ? [joint] : [])),
      ),
      contacts: () => Array.from(controller.contacts, (probability) => probability > TOUCHES),
      ...(worn?.body && { body: worn.body, rotations: controller.rotations }),
    };
  }

  /** Current ground pose. */
  get spot(): GroundPose {
    const [x = 0, z = 0, faceX = 0, faceZ = 1] = this.controller.trajectory.subarray(NOW * 4, NOW * 4 + 4);
    return { x, z, heading: Math.atan2(faceX, faceZ) };
  }

  /** Height of the figure's middle, metres. */
  get #height(): number {
    return this.skeleton.height / 2 + this.#heightAt(this.spot.x, this.spot.z);
  }

  #heightAt(x: number, z: number): number {
    return this.#ground ? heightAt(this.#ground, x, z) : 0;
  }

  /** Puts the character at rest on another ground; `undefined`: level ground. */
  setGround(ground: HeightField | undefined, at: GroundPose): void {
    this.#ground = ground;
    this.controller.setGround(ground);
    this.controller.place(at);
  }

  /** Advances the character by `seconds`. */
  step(want: ControlInput, seconds: number): void {
    this.controller.step(want, seconds);
    const share = 1 - 0.5 ** (seconds / HALF_SECS);
    [this.spot.x, this.spot.z, this.#height].forEach((goal, axis) => {
      this.#middle[axis] = (this.#middle[axis] ?? goal) + (goal - (this.#middle[axis] ?? goal)) * share;
    });
  }
}

/** Returns the skeleton for the viewer. The joints of a character without a user's body are named by their roles. */
function skeletonOf({ skeleton, positions }: Controller, worn: CharacterBody | undefined): Skeleton {
  const joints = [...skeleton];
  const rig =
    worn?.info.rig ??
    Object.fromEntries(ROLES.filter((role) => joints.some(({ name }) => name === role)).map((role) => [role, role]));
  return { joints, rig, height: heightOf({ name: "", frames: 1, fps: 1, joints, rig, positions }) };
}
