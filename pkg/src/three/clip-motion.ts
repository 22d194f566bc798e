/** Prepares an animation clip for transitions: separates its poses from its movement over the ground. */
import type { AnimationClip, Object3D } from "three";
import { MotionBuilder } from "../bones/motion.js";
import { halfAngleCosine, subtract, type Rotation, type Vector } from "../bones/rotation.js";
import { KinestitchError } from "../core/error.js";
import type { MotionData } from "../core/motion-types.js";
import { type Body, isFinitePose, type Pose } from "./body.js";
import { GaitSamples, type Gait, type Heading } from "./gait.js";
import { relativePose, compose, type GroundPose, interpolate, ORIGIN, repeat, toLocal } from "./ground.js";
import { type PoseSource, Sampler } from "./sampler.js";

/** Sampling rate of clips, frames per second: the rate of the networks and of the judge. */
export const RATE = 30;
/** Maximum duration of a clip, seconds. */
const MAX_SECONDS = 1200;
/** Duration below which a clip is a single pose, seconds. */
const MIN_SECONDS = 1 / 240;
/** Minimum motion after the end of a loop that `stitch` receives, so that a cut may be near the end; seconds. */
export const LOOP_EXTENSION = 3;
/** Maximum number of pairs of an exit and a landing that are compared. */
const MAX_PAIRS = 40_000;
/** Features contain each landmark's position, and its velocity times this duration, seconds. */
const MOVEMENT_SECONDS = 0.12;

/**
 * Maximum difference between the last and the first pose of a closed loop: rotation of a bone, radians, and height of
 * the hips, relative to that height.
 */
const MAX_LOOP_GAP = 0.02;

/** A motion to which a transition leads. */
export interface TargetMotion {
  /** Returns the pose at a time in seconds, relative to the root. */
  inPlace(time: number): Pose;
  /**
   * Returns the root's velocity over `step` seconds, in the axes of its ground pose: units of the model's parent and
   * radians per second.
   */
  velocityAt(time: number, step: number): GroundPose;
}

/** A motion that a model plays. */
export interface Motion extends TargetMotion {
  readonly seconds: number;
  readonly loops: boolean;
  /** Whether it is a loop whose last pose differs from its first one. */
  readonly isOpen: boolean;
  /** Number of samples, evenly spaced from start to end. */
  readonly count: number;
  /** Feature vector of each sample, see {@link bestCut}. */
  readonly features: readonly Float32Array[];
  /** Largest speed of a landmark relative to the root, per second. */
  readonly topSpeed: number;
  /** Lowest height of each bone in the motion. */
  readonly lowest: Float32Array;
  readonly gait: Pick<Gait, "travels" | "isStraight" | "speed" | "body">;
  readonly sampler: PoseSource;
  wrapTime(time: number): number;
  timeOf(sample: number): number;
  sampleAt(time: number): number;
  exitsBetween(now: number, firstWait: number, maxWait: number): Exit[];
  /** Returns the movement over the ground from one time to another; `wraps`: how often the loop has ended. */
  travel(from: number, to: number, wraps: number): GroundPose;
  /** Returns the pose at a time, relative to the root. `mixerPose`: the pose of the mixer at this time. */
  displayed(mixerPose: Pose, time: number): Pose;
}

/** A clip of three.js sampled on a body. */
export class ClipMotion implements Motion {
  readonly clip: AnimationClip;
  readonly seconds: number;
  readonly loops: boolean;
  readonly sampler: Sampler;
  /** Number of samples, evenly spaced from start to end. */
  readonly count: number;
  /** Feature vector of each sample: position and movement of each landmark, relative to the root's ground pose. */
  readonly features: Float32Array[] = [];
  readonly #body: Body;
  /** Whether the clip is a loop whose last pose differs from its first by more than `MAX_LOOP_GAP`. */
  isOpen = false;
  topSpeed = 0;
  readonly lowest: Float32Array;
  readonly #heading: Heading;
  /** Movement of the clip over the ground; known after `measure`. */
  gait!: Gait;
  /** Positions of the landmarks in the clip, [samples × landmarks]; empty once the features are computed. */
  #landmarkPositions: Vector[][] = [];

  /** `restPose`: pose of the bones that the clip does not move. `maxSamples`: maximum number of samples. */
  constructor(
    body: Body,
    root: Object3D,
    clip: AnimationClip,
    restPose: Pose,
    { loops, heading, maxSamples = Infinity }: { loops: boolean; heading: Heading; maxSamples?: number },
  ) {
    checkDuration(clip);
    this.clip = clip;
    this.seconds = clip.duration < MIN_SECONDS ? 0 : clip.duration;
    this.loops = loops && this.seconds > 0;
    this.sampler = new Sampler(body, root, clip, restPose);
    this.count = Math.max(2, Math.min(maxSamples, Math.ceil(this.seconds * RATE - 1e-6) + 1));
    this.#body = body;
    this.#heading = heading;
    this.lowest = new Float32Array(body.nodes.length).fill(Infinity);
  }

  /** Takes the samples, one per iteration; must complete before other methods are called. */
  *measure(): Generator<void, this> {
    const samples = new GaitSamples(this.#body);
    for (let sample = 0; sample < this.count; sample++) {
      const pose = this.sampler.poseAt(this.timeOf(sample));
      if (!isFinitePose(pose))
        throw new KinestitchError(
          "option",
          `the clip "${this.clip.name}" has values that are not finite numbers, at ${this.timeOf(sample).toFixed(3)} s`,
          { option: "clip" },
        );
      const worlds = this.#body.worldTransforms(pose);
      samples.add(pose, worlds);
      worlds.forEach(({ position }, bone) => {
        this.lowest[bone] = Math.min(this.lowest[bone] as number, position[1]);
      });
      this.#landmarkPositions.push(this.#body.landmarks.map((bone) => (worlds[bone] as { position: Vector }).position));
      yield;
    }
    this.gait = samples.finish(this.seconds, this.loops, this.#heading);
    for (let sample = 0; sample < this.count; sample++) {
      this.features.push(this.#featuresOf(sample));
      if (sample % 16 === 15) yield;
    }
    this.#landmarkPositions = [];
    this.isOpen = this.loops && this.#hasLoopGap();
    return this;
  }

  #hasLoopGap(): boolean {
    const [first, last] = [this.inPlace(0), this.inPlace(this.seconds)];
    const [firstHeight, lastHeight] = [first, last].map(
      (pose) => this.#body.worldTransform(pose, this.#body.hips).position[1],
    ) as [number, number];
    return (
      largestRotation(first, last) > MAX_LOOP_GAP ||
      Math.abs(lastHeight - firstHeight) > MAX_LOOP_GAP * Math.abs(firstHeight)
    );
  }

  /** Returns the time of a sample, seconds. */
  timeOf(sample: number): number {
    return (sample / (this.count - 1)) * this.seconds;
  }

  /** Returns the index of the sample nearest to a time. */
  sampleAt(time: number): number {
    return Math.round(Math.min(1, Math.max(0, time / this.seconds || 0)) * (this.count - 1));
  }

  /** Returns position and movement of each landmark relative to the root, [landmarks × 6]. */
  #featuresOf(sample: number): Float32Array {
    // The movement to the next sample; at the last sample, the movement from the previous one.
    const movementStart = Math.min(sample, this.count - 2);
    const sampleSeconds = this.timeOf(movementStart + 1) - this.timeOf(movementStart);
    // A clip with a single pose has no duration.
    const samplesPerMovement = sampleSeconds > 0 ? MOVEMENT_SECONDS / sampleSeconds : 0;
    const ground = this.gait.grounds[sample] as GroundPose;
    const startGround = this.gait.grounds[movementStart] as GroundPose;
    const localPosition = (groundPose: GroundPose, index: number, landmark: number): Vector =>
      toLocal(groundPose, [0, 0, 0, 1], this.#landmarkPositions[index]?.[landmark] as Vector)[1];
    return Float32Array.from(
      this.#body.landmarks.flatMap((_, landmark) => {
        const [x, y, z] = subtract(
          localPosition(startGround, movementStart + 1, landmark),
          localPosition(startGround, movementStart, landmark),
        );
        const moved = Math.hypot(x, y, z);
        if (sampleSeconds > 0) this.topSpeed = Math.max(this.topSpeed, moved / sampleSeconds);
        return [
          ...localPosition(ground, sample, landmark),
          x * samplesPerMovement,
          y * samplesPerMovement,
          z * samplesPerMovement,
        ];
      }),
    );
  }

  /** Returns the ground pose of the root at a time, which is clamped to the clip, also for loops. */
  groundAt(time: number): GroundPose {
    const position = Math.min(1, Math.max(0, time / this.seconds || 0)) * (this.count - 1);
    const sample = Math.min(this.count - 2, Math.floor(position));
    return interpolate(
      this.gait.grounds[sample] as GroundPose,
      this.gait.grounds[sample + 1] as GroundPose,
      position - sample,
    );
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
    const [entry, exit] = (wraps > 0 ? [0, this.seconds] : [this.seconds, 0]).map((time) => this.groundAt(time)) as [
      GroundPose,
      GroundPose,
    ];
    const cycles = repeat(relativePose(entry, exit), Math.abs(wraps) - 1);
    const movement = compose(relativePose(this.groundAt(from), exit), cycles);
    return compose(movement, relativePose(entry, this.groundAt(to)));
  }

  /** Returns the pose at a time, relative to the root. A loop continues beyond its end. */
  inPlace(time: number): Pose {
    const wrappedTime = this.wrapTime(time);
    return this.inPlacePose(this.sampler.poseAt(wrappedTime), wrappedTime);
  }

  /** See {@link Motion.displayed}. */
  displayed(mixerPose: Pose, time: number): Pose {
    return this.inPlacePose(mixerPose, this.wrapTime(time));
  }

  /** Returns a pose of the clip at a time, relative to the root. */
  inPlacePose(pose: Pose, time: number): Pose {
    return this.#body.relativeTo(pose, this.groundAt(time), this.gait.movers);
  }

  /**
   * Returns possible exits from `firstWait` to `maxWait` seconds after the time `now`, one per 1 / RATE seconds, at
   * least one. A loop continues beyond its end. All times are seconds of the clip.
   */
  exitsBetween(now: number, firstWait: number, maxWait: number): Exit[] {
    const exits: Exit[] = [];
    // After a cycle of a loop, or after the end of another clip, the exits repeat.
    const lastWait = Math.min(maxWait, firstWait + this.seconds);
    let wait = firstWait;
    do {
      const time = this.wrapTime(now + wait);
      const sample = this.sampleAt(time);
      // The nearest sample may be before `now`, but the model cannot leave then.
      const sampleWait = wait + this.timeOf(sample) - time;
      exits.push({ sample, wait: Math.max(firstWait, Math.min(lastWait, sampleWait)) });
      wait += 1 / RATE;
    } while (wait <= lastWait + 1e-6);
    return exits;
  }

  /**
   * Wraps the time of a loop to [0, seconds); exactly `seconds` remains, so that it gives the last pose. Clamps the
   * time of other clips.
   */
  wrapTime(time: number): number {
    // The time of a repeated action is NaN if its clip has no duration.
    if (!this.loops) return Math.min(this.seconds, Math.max(0, time || 0));
    // The sum below would round a time just before the end up to the start of the next cycle.
    if (time >= 0 && time <= this.seconds) return time;
    return ((time % this.seconds) + this.seconds) % this.seconds;
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
    const { rest } = this.#body.character;
    const builder = new MotionBuilder(rest, frames);
    for (let frame = 0; frame < frames; frame++) {
      builder.putTransforms(frame, this.#body.worldTransforms(this.#travellingPose(frame / RATE)));
      yield;
    }
    const data = builder.finish(
      RATE,
      rest.bones.map(({ moves }) => moves),
    );
    return { ...data, name: this.clip.name || "animation" };
  }

  /** Returns the pose at a time, with the movement over the ground since time 0. */
  #travellingPose(time: number): Pose {
    const wrappedTime = this.wrapTime(time);
    const cycle = this.loops ? Math.round((time - wrappedTime) / this.seconds) : 0;
    const cycleStart = cycle > 0 ? repeat(this.loopTravel, cycle) : ORIGIN;
    const ground = compose(cycleStart, relativePose(this.groundAt(0), this.groundAt(wrappedTime)));
    // `relativePose(ground, ORIGIN)` is the inverse of `ground`; a pose relative to the inverse is moved by `ground`.
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

/** Throws if the duration of a clip is not usable. */
export function checkDuration({ name, duration }: AnimationClip): void {
  if (!Number.isFinite(duration) || duration < 0)
    throw new KinestitchError("option", `the clip "${name}" has no finite duration, but ${duration} s`, {
      option: "clip",
    });
  if (duration > MAX_SECONDS)
    throw new KinestitchError(
      "limit",
      `the clip "${name}" takes ${duration} s; transitions accept at most ${MAX_SECONDS} s: cut it, for example with AnimationUtils.subclip`,
    );
}

/** A possible exit from a clip. */
export interface Exit {
  /** Index of the sample whose pose is left. */
  sample: number;
  /** Time until the exit, seconds of the clip; never negative. */
  wait: number;
}

/** A cut: the time until one clip is left, and the time at which the next is entered. */
export interface Cut {
  /** Time until the exit, seconds of the clip that is left. */
  wait: number;
  /** Time in the next clip, seconds. */
  landing: number;
  /** Sum of squared feature differences, up to 20 % more for later exits; lower is better. */
  cost: number;
}

/**
 * Finds the cut from `a` to `b` at which poses and velocities are most similar. `exits`: exits of `a`, the earliest
 * first. `landings`: indices of samples of `b`.
 */
export function bestCut(a: Motion, exits: readonly Exit[], b: Motion, landings: readonly number[]): Cut {
  let best: Cut = { wait: 0, landing: 0, cost: Infinity };
  // For long clips and waits, not every pair is compared.
  const stride = Math.ceil((exits.length * landings.length) / MAX_PAIRS);
  exits.forEach(({ sample, wait }, order) => {
    const exitFeatures = a.features[sample] as Float32Array;
    // Later exits cost up to 20 % more, so that the earliest of similar exits is chosen.
    const timeWeight = 1 + (0.2 * order) / Math.max(1, exits.length);
    for (let i = order % stride; i < landings.length; i += stride) {
      const landing = landings[i] as number;
      const cost = distanceBetween(exitFeatures, b.features[landing] as Float32Array) * timeWeight;
      if (cost < best.cost) best = { wait, landing: b.timeOf(landing), cost };
    }
  });
  return best;
}

function distanceBetween(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += ((a[i] as number) - (b[i] as number)) ** 2;
  return sum;
}
