/** Foot lock during transitions: keeps feet in contact in place. */
import { length, subtract, scaleBy, type Vector } from "../bones/rotation.js";
import type { RigMap } from "../core/types.js";
import { bendLeg, findHinge, type LegBones } from "./bend-leg.js";
import type { Body, Pose } from "./body.js";
import type { Motion } from "./clip-motion.js";
import { relativePose, compose, type GroundPose } from "./ground.js";
import { decayedOffset } from "./inertialize.js";
import { limitKnee } from "./knee-limit.js";

/**
 * Thresholds of contact: a toe in contact is lower than `CONTACT_HEIGHT` above its rest height, in leg lengths, and
 * slower than `CONTACT_SPEED`, in leg lengths per second.
 */
const CONTACT_HEIGHT = 0.07;
const CONTACT_SPEED = 0.45;
/** Interval over which speeds of a clip are measured, seconds. */
const SPEED_INTERVAL = 1 / 60;
/** Duration of the blend to and from a locked position, seconds. */
const FADE_SECONDS = 0.12;
/**
 * A released foot that is farther than `STEP_DISTANCE` from its position in the motion, in leg lengths, takes a step.
 * The step lasts `STEP_SECONDS`, and its height is `STEP_HEIGHT` of the distance.
 */
const STEP_DISTANCE = 0.06;
const STEP_SECONDS = 0.24;
const STEP_HEIGHT = 0.3;
/**
 * Distance of a locked foot from its position in the motion beyond which the foot is released, in leg lengths; beyond
 * the second distance it is released even if the other foot takes a step.
 */
const RELEASE_DISTANCE = 0.3;
const FORCED_RELEASE_DISTANCE = 0.5;
/**
 * Deceleration of a toe that approaches the ground, or the height of its motion from above, in leg lengths per second
 * squared. Without it, a straight leg that is pressed into the ground would bend within one frame.
 */
const CLEARANCE_BRAKING = 100;

/** A frame of a motion that is displayed. */
export interface FootFrame {
  /** Ground pose of the root in the world. */
  root: GroundPose;
  motion: Motion;
  /** The motion that the model leaves or has left. */
  previous: Motion;
  time: number;
  /** Duration of the frame, seconds. */
  delta: number;
  /** Whether feet may be locked. */
  isOn: boolean;
  /** Whether the pose is one of a bridge, which is not near the motion at `time`. */
  isBridge: boolean;
}

/** Maximum depth of a foot below its lowest height in both motions, leg lengths; less is corrected gradually. */
const MAX_SINK = 0.006;

/** Bone indices of a leg, and the state of its foot lock. */
interface Leg extends LegBones {
  toe: number;
  /** The toe, and all other bones below the foot. */
  footBones: readonly number[];
  length: number;
  /** Height of the toe at rest, in units of positions. */
  height: number;
  /** World position of the locked foot. */
  lockedPosition?: Vector;
  /** Offset from the motion at the time of release, and its velocity per second, with which the foot continues. */
  release?: { from: Vector; speed: Vector };
  /** Offset from the motion in the last frame. */
  offset: Vector;
  /** Time since the foot was locked or released, seconds. */
  secondsSinceChange: number;
  /** In the last frame: height of the toe above the ground, and its lift above the pose; both without the weight. */
  clearance?: { height: number; lift: number };
}

/** Eases a weight from 0 to 1. */
export const smoothstep = (weight: number): number => weight * weight * (3 - 2 * weight);

/** Keeps feet in contact in place while clips are mixed. */
export class FeetLock {
  readonly #body: Body;
  readonly #legs: Leg[];
  /** Weight of the lift of toes out of the ground; it grows from 0 after a transition starts. */
  #clearanceWeight = 0;

  constructor(body: Body, rig: RigMap) {
    this.#body = body;
    this.#legs = (["Left", "Right"] as const).flatMap((side) => {
      const [upper, lower, foot] = [rig[`${side}UpLeg`], rig[`${side}Leg`], rig[`${side}Foot`]].map((name) =>
        body.findBone(name),
      ) as [number, number, number];
      const mappedToe = body.findBone(rig[`${side}Toe`]);
      const toe = mappedToe < 0 ? foot : mappedToe;
      if (Math.min(upper, lower, foot) < 0) return [];
      const restPosition = (bone: number): Vector => (body.character.rest.bones[bone] as { position: Vector }).position;
      const legLength =
        length(subtract(restPosition(upper), restPosition(lower))) +
        length(subtract(restPosition(lower), restPosition(foot)));
      return [
        {
          upper,
          lower,
          foot,
          toe,
          footBones: body.nodes.flatMap((_, bone) =>
            bone === toe || (bone !== foot && body.isBelow(bone, [foot])) ? [bone] : [],
          ),
          hinge: findHinge(body, [upper, lower, foot, toe]),
          length: legLength,
          height: restPosition(toe)[1],
          offset: [0, 0, 0],
          secondsSinceChange: 0,
        },
      ];
    });
  }

  /** Returns the pose with foot lock. If `isOn` is false, all feet are released. */
  apply(pose: Pose, frame: FootFrame): Pose {
    const { root, motion, time, delta, isOn } = frame;
    let result = pose;
    this.#clearanceWeight = Math.min(1, this.#clearanceWeight + delta / FADE_SECONDS);
    for (const leg of this.#legs) {
      const world = toWorld(root, this.#body.worldTransform(pose, leg.foot).position);
      leg.secondsSinceChange += delta;
      const offset = footOffset(leg, world);
      if (!leg.lockedPosition && !leg.release && isOn && this.#isLow(leg, pose) && this.#touches(leg, motion, time)) {
        leg.lockedPosition = world;
        leg.secondsSinceChange = 0;
      } else if (leg.lockedPosition && this.#mustRelease(leg, world, isOn && this.#touches(leg, motion, time))) {
        const speed = delta > 0 ? scaleBy(subtract(offset, leg.offset), 1 / delta) : offset.map(() => 0);
        leg.release = { from: offset, speed: speed as Vector };
        leg.secondsSinceChange = 0;
        delete leg.lockedPosition;
      } else if (leg.release && leg.secondsSinceChange >= releaseSeconds(leg)) delete leg.release;
      leg.offset = footOffset(leg, world);
      const [x, lift, z] = leg.offset;
      const clearance = smoothstep(this.#clearanceWeight) * this.#toeLift(leg, pose, frame);
      const y = Math.max(lift, clearance, this.#sinkLift(leg, pose, frame));
      if (Math.hypot(x, y, z) < 1e-5 * leg.length) continue;
      result = bendLeg(this.#body, result, leg, toRoot(root, [world[0] + x, world[1] + y, world[2] + z]));
    }
    return result;
  }

  /**
   * Returns the pose `mixed` with limited knees. `motionPose`: pose of the motion; `start`: pose at the start of the
   * transition. A knee that bends further in one of these is not limited more than there.
   */
  limitKnees(mixed: Pose, motionPose: Pose, start: Pose): Pose {
    return this.#legs.reduce((pose, leg) => limitKnee(this.#body, pose, motionPose, [motionPose, start], leg), mixed);
  }

  /** Bones of the feet, with the hips, for events of steps. */
  get feet(): readonly number[] {
    return this.#legs.map(({ foot }) => foot);
  }

  /** Releases all feet at once. */
  release(): void {
    this.reset();
    for (const leg of this.#legs) {
      delete leg.lockedPosition;
      delete leg.release;
      leg.offset = [0, 0, 0];
    }
  }

  /** Resets the lift of toes, after a frame without foot lock. */
  reset(): void {
    this.#clearanceWeight = 0;
    for (const leg of this.#legs) delete leg.clearance;
  }

  /**
   * Returns the lift that keeps a foot above the ground: its toe above its rest height, or above its height in the
   * motion if that is lower; its other bones, and in a bridge the toe too, above their lowest heights in both motions. The foot slows down before it reaches the ground, and before the lift ends.
   */
  #toeLift(leg: Leg, pose: Pose, { motion, previous, time, delta, isBridge }: FootFrame): number {
    const heightOf = (bonePose: Pose, bone: number): number => this.#body.worldTransform(bonePose, bone).position[1];
    const lowest = (bone: number): number => Math.min(motion.lowest[bone] as number, previous.lowest[bone] as number);
    const toeGround = (): number =>
      Math.min(leg.height, heightOf(motion.sampler.poseAt(motion.wrapTime(time)), leg.toe));
    const heights = leg.footBones.map((bone) => {
      const ground = isBridge || bone !== leg.toe ? lowest(bone) : toeGround();
      return heightOf(pose, bone) - ground;
    });
    const height = Math.min(...heights);
    // Returns a distance after this frame if it decreases as fast as the deceleration allows.
    const brake = (distance: number): number =>
      distance - Math.min(distance, Math.sqrt(2 * CLEARANCE_BRAKING * leg.length * distance) * Math.abs(delta));
    const { clearance } = leg;
    const minLift = clearance ? Math.max(brake(clearance.height) - height, brake(clearance.lift)) : 0;
    const lift = Math.max(0, -height, minLift);
    leg.clearance = { height: height + lift, lift };
    return lift;
  }

  /** Returns the lift that keeps a foot at most {@link MAX_SINK} below its lowest height in both motions. */
  #sinkLift(leg: Leg, pose: Pose, { motion, previous }: FootFrame): number {
    const depths = leg.footBones.map((bone) => {
      const lowest = Math.min(motion.lowest[bone] as number, previous.lowest[bone] as number);
      return lowest - this.#body.worldTransform(pose, bone).position[1];
    });
    return Math.max(0, Math.max(...depths) - MAX_SINK * leg.length);
  }

  /** Whether any foot is locked or is being released. */
  get isBusy(): boolean {
    return this.#legs.some(({ lockedPosition, release }) => lockedPosition || release);
  }

  /**
   * Returns whether to release a foot: the motion lifts it, or it is far from its position in the motion. Only one foot
   * takes a step at a time.
   */
  #mustRelease(leg: Leg, world: Vector, touches: boolean): boolean {
    const [x, , z] = subtract(leg.lockedPosition as Vector, world);
    const distance = Math.hypot(x, z) / leg.length;
    if (distance > FORCED_RELEASE_DISTANCE || (!touches && distance < STEP_DISTANCE)) return true;
    const isOtherStepping = this.#legs.some(
      (other) => other !== leg && other.release && length(other.release.from) > STEP_DISTANCE * leg.length,
    );
    return (!touches || distance > RELEASE_DISTANCE) && !isOtherStepping;
  }

  #isLow(leg: Leg, pose: Pose): boolean {
    return this.#body.worldTransform(pose, leg.toe).position[1] <= leg.height + CONTACT_HEIGHT * leg.length;
  }

  /** Returns whether the foot is in contact in the target motion. */
  #touches(leg: Leg, motion: Motion, time: number): boolean {
    const start = Math.max(0, Math.min(motion.wrapTime(time), motion.seconds - SPEED_INTERVAL));
    const toePosition = (sampleTime: number): Vector =>
      this.#body.worldTransform(motion.sampler.poseAt(sampleTime), leg.toe).position;
    const [now, next] = [toePosition(start), toePosition(start + SPEED_INTERVAL)];
    return (
      now[1] < leg.height + CONTACT_HEIGHT * leg.length &&
      length(subtract(next, now)) < CONTACT_SPEED * leg.length * SPEED_INTERVAL
    );
  }
}

/** Returns the duration of a release, seconds. */
const releaseSeconds = ({ release, length: size }: Leg): number =>
  release && length(release.from) > STEP_DISTANCE * size ? STEP_SECONDS : FADE_SECONDS;

/** Returns the current offset of a foot from its motion. */
function footOffset(leg: Leg, world: Vector): Vector {
  if (leg.lockedPosition) {
    const [x, , z] = scaleBy(
      subtract(leg.lockedPosition, world),
      smoothstep(Math.min(1, leg.secondsSinceChange / FADE_SECONDS)),
    );
    return [x, 0, z];
  }
  if (!leg.release) return [0, 0, 0];
  const { from, speed } = leg.release;
  const seconds = releaseSeconds(leg);
  const weight = Math.min(1, leg.secondsSinceChange / seconds);
  const remaining = (axis: 0 | 2): number => decayedOffset(from[axis], speed[axis], seconds, leg.secondsSinceChange);
  const isStep = length(from) > STEP_DISTANCE * leg.length;
  return [remaining(0), isStep ? STEP_HEIGHT * length(from) * Math.sin(Math.PI * weight) ** 2 : 0, remaining(2)];
}

/** Converts a position relative to the root to a world position. */
function toWorld(root: GroundPose, [x, y, z]: Vector): Vector {
  const ground = compose(root, { x, z, heading: 0 });
  return [ground.x, y, ground.z];
}

/** Converts a world position to a position relative to the root. */
function toRoot(root: GroundPose, [x, y, z]: Vector): Vector {
  const ground = relativePose(root, { x, z, heading: 0 });
  return [ground.x, y, ground.z];
}
