/** A controlled character on the stage. */
import type { ControlInput, Controller, HeightField } from "kinestitch/worker";
import { ROLES } from "../../core/roles";
import type { CharacterBody } from "./bodies";
import type { GroundPose } from "../../viewer/handles";
import type { LiveSkeleton } from "../../viewer/live-skeleton";
import { heightOf, type Skeleton } from "../../viewer/poses";
import { heightAt } from "../../viewer/terrain";
import type { Focus } from "../../viewer/viewer";
import { STAND_STILL } from "./steering";

/** Index of the present in `Controller.trajectory`, which has four numbers per point: x, z, facing x, facing z. */
const CURRENT_POINT = 6;
/** Contact probability above which a foot is shown as touching the ground. */
const CONTACT_THRESHOLD = 0.5;
/** Time in which the camera covers half of its distance to the character that it follows, seconds. */
const HALF_SECS = 0.12;

/** A controlled character on the stage: its controller, and its display in the viewer. */
export class Actor {
  readonly controller: Controller;
  readonly skeleton: Skeleton;
  /** Display in the viewer. */
  readonly live: LiveSkeleton;
  /** Point that the camera follows. */
  readonly focus: Focus;
  /**
   * Version of the body that it is displayed on (see `bodyVersion` of `bodies.ts`); `undefined` for the character's own
   * body.
   */
  readonly bodyVersion: unknown;
  #center: [number, number, number];
  #ground: HeightField | undefined;

  /** `ground`: the ground of the controller; absent: level ground. */
  constructor(
    controller: Controller,
    color: string,
    ground?: HeightField,
    userBody?: CharacterBody,
    bodyVersion?: unknown,
  ) {
    this.controller = controller;
    this.#ground = ground;
    this.bodyVersion = bodyVersion;
    controller.step(STAND_STILL, 1 / 60);
    this.skeleton = skeletonOf(controller, userBody);
    this.#center = [this.groundPose.x, this.groundPose.z, this.#centerHeight];
    this.focus = { height: this.skeleton.height, position: () => this.#center };
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
      contacts: () => Array.from(controller.contacts, (probability) => probability > CONTACT_THRESHOLD),
      ...(userBody?.body && { body: userBody.body, rotations: controller.rotations }),
    };
  }

  /** Current ground pose. */
  get groundPose(): GroundPose {
    const [x = 0, z = 0, faceX = 0, faceZ = 1] = this.controller.trajectory.subarray(
      CURRENT_POINT * 4,
      CURRENT_POINT * 4 + 4,
    );
    return { x, z, heading: Math.atan2(faceX, faceZ) };
  }

  /** The ground of the controller; `undefined`: level ground. */
  get ground(): HeightField | undefined {
    return this.#ground;
  }

  /** Height of the middle of the figure, metres. */
  get #centerHeight(): number {
    return this.skeleton.height / 2 + this.#heightAt(this.groundPose.x, this.groundPose.z);
  }

  #heightAt(x: number, z: number): number {
    return this.#ground ? heightAt(this.#ground, x, z) : 0;
  }

  /** Moves the character to another ground, where it stands at `groundPose`; `undefined`: level ground. */
  setGround(ground: HeightField | undefined, groundPose: GroundPose): void {
    this.#ground = ground;
    this.controller.setGround(ground);
    this.controller.place(groundPose);
  }

  /** Advances the character by `seconds`. */
  step(input: ControlInput, seconds: number): Promise<void> {
    const step = this.controller.step(input, seconds);
    const fraction = 1 - 0.5 ** (seconds / HALF_SECS);
    [this.groundPose.x, this.groundPose.z, this.#centerHeight].forEach((target, axis) => {
      this.#center[axis] = (this.#center[axis] ?? target) + (target - (this.#center[axis] ?? target)) * fraction;
    });
    return step;
  }
}

/** Returns the skeleton for the viewer. The joints of a character without a user's body are named by their roles. */
function skeletonOf({ skeleton, positions }: Controller, userBody: CharacterBody | undefined): Skeleton {
  const joints = [...skeleton];
  const rig =
    userBody?.info.rig ??
    Object.fromEntries(ROLES.filter((role) => joints.some(({ name }) => name === role)).map((role) => [role, role]));
  return { joints, rig, height: heightOf({ name: "", frames: 1, fps: 1, joints, rig, positions }) };
}
