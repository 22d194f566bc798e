/** Root motion of a model. */
import { type Object3D, Quaternion, Vector3 } from "three";
import { type GroundPose, headingRotation, ORIGIN } from "./ground.js";
import type { RootMotionDelta } from "./transition.js";

const UP = /* @__PURE__ */ new Vector3(0, 1, 0);

/**
 * Difference between the root velocities of the previous and the next motion. It decays to 0, so that the model neither
 * stops nor jumps at the change.
 */
export class RootVelocity {
  #velocity: GroundPose = ORIGIN;
  #seconds = 0;
  #time = 0;

  /** Sets the velocity, per second. It decays to 0 within `seconds`. */
  set(velocity: GroundPose, seconds: number): void {
    this.#velocity = velocity;
    this.#seconds = seconds;
    this.#time = 0;
  }

  /** Advances the time by `seconds`, and returns the movement in this time. */
  advance(seconds: number): GroundPose {
    if (this.#time >= this.#seconds) return ORIGIN;
    const start = this.#time / this.#seconds;
    this.#time += seconds;
    const end = Math.min(1, this.#time / this.#seconds);
    // The integral of the weight (1 - t)² from `start` to `end`, times the duration.
    const effectiveSeconds = (((1 - start) ** 3 - (1 - end) ** 3) / 3) * this.#seconds;
    const { x, z, heading } = this.#velocity;
    return { x: x * effectiveSeconds, z: z * effectiveSeconds, heading: heading * effectiveSeconds };
  }
}

/**
 * Writes a ground movement to `into`, and returns `into`. `scale`: the scale of the model; movements are measured at
 * scale 1.
 */
export function writeDelta({ x, z, heading }: GroundPose, scale: Vector3, into: RootMotionDelta): RootMotionDelta {
  into.position.set(x * scale.x, 0, z * scale.z);
  // A mirrored model turns the other way.
  into.quaternion.set(...headingRotation(scale.x * scale.z < 0 ? -heading : heading));
  return into;
}

/** Moves a model by the root motion of a frame, which is relative to the model's heading. */
export function move(model: Object3D, { position, quaternion }: RootMotionDelta): void {
  const { x, y, z, w } = model.quaternion;
  const heading = new Quaternion(0, y, 0, w);
  const hasHeading = heading.lengthSq() > 1e-12;
  heading.copy(hasHeading ? heading.normalize() : new Quaternion());
  model.position.add(position.clone().applyQuaternion(heading));
  // The rotation is about the vertical axis even if the model is tilted.
  model.quaternion
    .set(x, y, z, w)
    .premultiply(new Quaternion().setFromAxisAngle(UP, 2 * Math.atan2(quaternion.y, quaternion.w)));
}

/** Creates a root motion without movement. */
export const createDelta = (): RootMotionDelta & { dropped: number } => ({
  position: new Vector3(),
  quaternion: new Quaternion(),
  dropped: 0,
});
