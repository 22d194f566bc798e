/** Prepares an animation clip for transitions: separates its poses from its movement over the ground. */
import type { AnimationClip, Object3D } from "three";
import { createMotionWriter } from "../bones/rest.js";
import { halfAngleCosine, subtract, type Rotation, type Vector } from "../bones/rotation.js";
import type { MotionData } from "../core/motion-types.js";
import type { Body, Pose } from "./body.js";
import { relativePose, compose, type GroundPose, interpolate, wrapAngle, ORIGIN, toLocal } from "./ground.js";
import { Sampler } from "./sampler.js";

/** Sampling rate of clips, frames per second: the rate of the networks and of the judge. */
export const RATE = 30;
/** Headings are averaged over this time on each side of a sample, because the hips rotate in every step; seconds. */
const HEADING_SMOOTHING = 0.3;
/** Minimum duration by which a loop is continued for `stitch`, so that it can be cut near its end; seconds. */
export const LOOP_EXTENSION = 3;
/** Features contain the landmarks' movement in this time, seconds: the weight of velocities relative to positions. */
const MOVEMENT_SECONDS = 0.12;

/** Maximum rotation of a bone between the last and the first pose of a closed loop, radians. */
const MAX_LOOP_GAP = 0.02;

/** A motion to which a transition leads. */
export interface TargetMotion {
  /** Returns the pose at a time in seconds, relative to the root. */
  inPlace(time: number): Pose;
  /** Returns the root's velocity in the axes of its ground pose, metres and radians per second, over `step` seconds. */
  velocityAt(time: number, step: number): GroundPose;
}

/** A clip of three.js sampled on a body. */
export class ClipMotion implements TargetMotion {
  readonly clip: AnimationClip;
  readonly seconds: number;
  readonly loops: boolean;
  readonly sampler: Sampler;
  /** Number of samples, evenly spaced from start to end. */
  readonly count: number;
  /** Feature vector of each sample: position and movement of each landmark, relative to the root's ground pose. */
  readonly features: Float32Array[] = [];
  readonly #body: Body;
  /** Whether the clip is a loop whose last pose differs from its first. */
  isOpen = false;
  /** Ground pose of the root at each sample: position of the hips, smoothed heading. */
  #grounds: GroundPose[] = [];
  /** Ground pose of the hips at each sample. Headings are unwrapped, so that they can be averaged. */
  #measuredGrounds: GroundPose[] = [];
  /** World positions of the landmarks, [samples × landmarks]; empty once the features are computed. */
  #landmarkPositions: Vector[][] = [];

  /** `restPose`: pose of the bones that the clip does not move. `maxSamples`: maximum number of samples. */
  constructor(body: Body, root: Object3D, clip: AnimationClip, restPose: Pose, loops: boolean, maxSamples = Infinity) {
    this.clip = clip;
    this.seconds = clip.duration;
    this.loops = loops && clip.duration > 0;
    this.sampler = new Sampler(body, root, clip, restPose);
    this.count = Math.max(2, Math.min(maxSamples, Math.ceil(this.seconds * RATE - 1e-6) + 1));
    this.#body = body;
  }

  /** Takes the samples, one per iteration; must complete before other methods are called. */
  *measure(): Generator<void, this> {
    for (let frame = 0; frame < this.count; frame++) {
      const pose = this.sampler.poseAt(this.timeOf(frame));
      const { x, z, heading } = this.#body.hipsGround(pose);
      const previousHeading = this.#measuredGrounds.at(-1)?.heading ?? heading ?? 0;
      this.#measuredGrounds.push({
        x,
        z,
        heading: previousHeading + wrapAngle((heading ?? previousHeading) - previousHeading),
      });
      const worlds = this.#body.worldTransforms(pose);
      this.#landmarkPositions.push(this.#body.landmarks.map((bone) => (worlds[bone] as { position: Vector }).position));
      yield;
    }
    this.#grounds = smoothHeadings(
      this.#measuredGrounds,
      Math.round((HEADING_SMOOTHING / this.seconds) * (this.count - 1)),
    );
    for (let frame = 0; frame < this.count; frame++) {
      this.features.push(this.#featuresOf(frame));
      if (frame % 16 === 15) yield;
    }
    this.#landmarkPositions = [];
    this.isOpen = this.loops && largestRotation(this.inPlace(0), this.inPlace(this.seconds)) > MAX_LOOP_GAP;
    return this;
  }

  /** Returns the time of a sample, seconds. */
  timeOf(frame: number): number {
    return (frame / (this.count - 1)) * this.seconds;
  }

  /** Returns the index of the sample nearest to a time. */
  frameAt(time: number): number {
    return Math.round(Math.min(1, Math.max(0, time / this.seconds || 0)) * (this.count - 1));
  }

  /** Returns position and movement of each landmark relative to the root, [landmarks × 6]. */
  #featuresOf(frame: number): Float32Array {
    // The movement to the next sample; at the last sample, the movement from the previous one.
    const movementStart = Math.min(frame, this.count - 2);
    const sampleSeconds = this.timeOf(movementStart + 1) - this.timeOf(movementStart);
    // A clip with a single pose has no duration.
    const samplesPerMovement = sampleSeconds > 0 ? MOVEMENT_SECONDS / sampleSeconds : 0;
    const ground = this.#grounds[frame] as GroundPose;
    const startGround = this.#grounds[movementStart] as GroundPose;
    const localPosition = (groundPose: GroundPose, sample: number, landmark: number): Vector =>
      toLocal(groundPose, [0, 0, 0, 1], this.#landmarkPositions[sample]?.[landmark] as Vector)[1];
    return Float32Array.from(
      this.#body.landmarks.flatMap((_, landmark) => {
        const [x, y, z] = subtract(
          localPosition(startGround, movementStart + 1, landmark),
          localPosition(startGround, movementStart, landmark),
        );
        return [
          ...localPosition(ground, frame, landmark),
          x * samplesPerMovement,
          y * samplesPerMovement,
          z * samplesPerMovement,
        ];
      }),
    );
  }

  /** Returns the ground pose of the root at a time. */
  groundAt(time: number): GroundPose {
    const sample = Math.min(1, Math.max(0, time / this.seconds || 0)) * (this.count - 1);
    const frame = Math.min(this.count - 2, Math.floor(sample));
    return interpolate(this.#grounds[frame] as GroundPose, this.#grounds[frame + 1] as GroundPose, sample - frame);
  }

  /** Returns the movement over the ground during one cycle of the loop. */
  get loopTravel(): GroundPose {
    return relativePose(this.groundAt(0), this.groundAt(this.seconds));
  }

  /**
   * Returns the movement over the ground from one time to another. `wraps`: how often playback passes the end of the
   * loop; negative if it runs backwards and passes the start.
   */
  travel(from: number, to: number, wraps: number): GroundPose {
    if (wraps === 0) return relativePose(this.groundAt(from), this.groundAt(to));
    // Forwards, playback leaves the loop at its end and enters it at its start; backwards, the reverse.
    const [start, end] = (wraps > 0 ? [0, this.seconds] : [this.seconds, 0]).map((time) => this.groundAt(time)) as [
      GroundPose,
      GroundPose,
    ];
    let movement = relativePose(this.groundAt(from), end);
    for (let cycle = 1; cycle < Math.abs(wraps); cycle++) movement = compose(movement, relativePose(start, end));
    return compose(movement, relativePose(start, this.groundAt(to)));
  }

  /** Returns the pose at a time, relative to the root. A loop continues beyond its end. */
  inPlace(time: number): Pose {
    const wrappedTime = this.wrapTime(time);
    return this.#body.relativeTo(this.sampler.poseAt(wrappedTime), this.groundAt(wrappedTime));
  }

  /**
   * Returns the indices of the samples from `firstWait` to `lastWait` seconds after the time `now`, at least one. A
   * loop continues beyond its end. All times are times of the clip.
   */
  framesBetween(now: number, firstWait: number, lastWait: number): number[] {
    const frames: number[] = [];
    for (let wait = firstWait; wait <= lastWait + 1e-6; wait += 1 / RATE)
      frames.push(this.frameAt(this.wrapTime(now + wait)));
    return frames.length > 0 ? frames : [this.frameAt(now)];
  }

  /** Wraps the time of a loop, except its end, which keeps the last pose. Clamps the time of other clips. */
  wrapTime(time: number): number {
    // The time of a repeated action is NaN if its clip has no duration.
    if (!this.loops) return Math.min(this.seconds, Math.max(0, time || 0));
    return time === this.seconds ? time : ((time % this.seconds) + this.seconds) % this.seconds;
  }

  /** See {@link TargetMotion.velocityAt}. */
  velocityAt(time: number, step: number): GroundPose {
    const start = Math.max(0, Math.min(this.wrapTime(time), this.seconds - step));
    const { x, z, heading } = relativePose(this.groundAt(start), this.groundAt(start + step));
    return { x: x / step, z: z / step, heading: heading / step };
  }

  /**
   * Creates motion data for `stitch`, one frame per iteration. A loop continues beyond its end for one more cycle, or
   * for {@link LOOP_EXTENSION} if that is longer.
   */
  *motion(): Generator<void, MotionData> {
    const seconds = this.loops ? this.seconds + Math.max(this.seconds, LOOP_EXTENSION) : this.seconds;
    const frames = Math.floor(seconds * RATE + 1e-6) + 1;
    const { data, put } = createMotionWriter(this.#body.character.rest, RATE, frames);
    for (let frame = 0; frame < frames; frame++) {
      put(frame, this.#body.worldTransforms(this.#travellingPose(frame / RATE)));
      yield;
    }
    return { ...data, name: this.clip.name || "animation" };
  }

  /** Returns the pose at a time, with the movement over the ground since time 0. */
  #travellingPose(time: number): Pose {
    const wrappedTime = this.wrapTime(time);
    let cycleStart: GroundPose = ORIGIN;
    for (let cycle = Math.round((time - wrappedTime) / this.seconds); this.loops && cycle > 0; cycle--)
      cycleStart = compose(cycleStart, this.loopTravel);
    const ground = compose(cycleStart, relativePose(this.groundAt(0), this.groundAt(wrappedTime)));
    // The pose relative to the inverse of `ground` is the pose moved by `ground`.
    return this.#body.relativeTo(this.inPlace(wrappedTime), relativePose(ground, ORIGIN));
  }
}

/** Returns the largest rotation of a bone between two poses, radians. */
const largestRotation = (a: Pose, b: Pose): number =>
  Math.max(
    ...a.rotations.map(
      (rotation, i) => 2 * Math.acos(Math.min(1, halfAngleCosine(rotation, b.rotations[i] as Rotation))),
    ),
  );

/** Averages headings over `radius` samples on each side; over fewer samples near the ends of the clip. */
function smoothHeadings(grounds: readonly GroundPose[], radius: number): GroundPose[] {
  const sums = [0];
  for (const { heading } of grounds) sums.push((sums.at(-1) as number) + heading);
  return grounds.map((ground, i) => {
    const halfWidth = Math.min(radius, i, grounds.length - 1 - i);
    return {
      ...ground,
      heading: ((sums[i + halfWidth + 1] as number) - (sums[i - halfWidth] as number)) / (2 * halfWidth + 1),
    };
  });
}

/** A cut: the time at which one clip is left, and the time at which the next is entered. */
export interface Cut {
  /** Time in the clip that is left, seconds. */
  exit: number;
  /** Time in the next clip, seconds. */
  landing: number;
  /** Sum of squared feature differences, up to 20 % more for later exits; lower is better. */
  cost: number;
}

/**
 * Finds the cut from `a` to `b` at which poses and velocities are most similar. `exits`: indices of samples of `a`, the
 * earliest first. `landings`: indices of samples of `b`.
 */
export function bestCut(a: ClipMotion, exits: readonly number[], b: ClipMotion, landings: readonly number[]): Cut {
  let best: Cut = { exit: 0, landing: 0, cost: Infinity };
  exits.forEach((exit, order) => {
    const exitFeatures = a.features[exit] as Float32Array;
    // Later exits cost up to 20 % more, so that the earliest of similar exits is chosen.
    const timeWeight = 1 + (0.2 * order) / Math.max(1, exits.length);
    for (const landing of landings) {
      const landingFeatures = b.features[landing] as Float32Array;
      let cost = 0;
      for (let i = 0; i < exitFeatures.length; i++)
        cost += ((exitFeatures[i] as number) - (landingFeatures[i] as number)) ** 2;
      if (cost * timeWeight < best.cost)
        best = { exit: a.timeOf(exit), landing: b.timeOf(landing), cost: cost * timeWeight };
    }
  });
  return best;
}
