/** Blend spaces: actions that are mixed by speed and turn, with their steps in phase. */
import type { AnimationAction, AnimationClip } from "three";
import { checkOptions, numbers, secondsUpTo, wrongOption } from "../core/options.js";
import { type Body, blendPoses, type Pose } from "./body.js";
import type { ClipMotion, Exit, Motion } from "./clip-motion.js";
import { type GroundPose, ORIGIN } from "./ground.js";
import { findFootMarkers, Phases } from "./phases.js";
import type { Playable } from "./playable.js";

/** A sample of a blend space. */
export interface BlendSample {
  /** An action of the mixer, or a clip. It plays as a loop. */
  action: AnimationAction | AnimationClip;
  /** Speed of the sample, in the unit of the space's `speed`. */
  speed: number;
  /** Turn of the sample, in the unit of the space's `turn`; default 0. */
  turn?: number;
  /**
   * Times of the same events in all samples, such as both footfalls of a stride, in order; seconds from 0 to the end of
   * the clip. All samples have equally many.
   */
  markers?: readonly number[];
}

/** Options of `Transitions.createBlendSpace`. */
export interface BlendSpaceOptions {
  /** Speed at the start; default: that of the first sample. */
  speed?: number;
  /** Turn at the start; default: that of the first sample. */
  turn?: number;
  /** Time in which the weights follow a change of speed or turn, about; seconds, default 0.2. 0: at once. */
  smoothing?: number;
}

/** A sample with its motion. */
export interface MotionSample extends BlendSample {
  action: AnimationAction;
  motion: ClipMotion;
}

interface Member {
  action: AnimationAction;
  motion: ClipMotion;
  phases: Phases;
  point: readonly [speed: number, turn: number];
}

/** Maximum of `smoothing`, seconds. */
const MAX_SMOOTHING = 60;
/** Largest length of a blend space, in strides: the least common multiple of the strides of its clips. */
const MAX_STRIDES = 100_000;

/**
 * A blend space. Its time is counted in strides. Only the bones of its actions move; other tracks are not played.
 * Created by {@link Transitions.createBlendSpace}.
 */
export class BlendSpace {
  /** @internal */
  readonly motion: BlendMotion;
  readonly #members: readonly Member[];
  #speed: number;
  #turn: number;
  /** Speed and turn that are shown; they follow the ones that were set. */
  #shown: [speed: number, turn: number];
  readonly #smoothing: number;

  /** `feet`: the bones of both feet; empty if they are not known. @internal */
  constructor(body: Body, samples: readonly MotionSample[], feet: readonly number[], options: BlendSpaceOptions = {}) {
    const finite = { description: "a finite number", is: Number.isFinite } as never;
    const schema = { speed: finite, turn: finite, smoothing: secondsUpTo(MAX_SMOOTHING) };
    const checked = checkOptions<BlendSpaceOptions>("createBlendSpace", schema, options);
    this.#members = samples.map((sample) => createMember(body, sample, feet));
    const counts = new Set(samples.map(({ markers }) => markers?.length));
    if (counts.size > 1)
      throw wrongOption("markers", "all samples of a blend space have equally many markers, or none");
    const [first] = this.#members as [Member];
    this.#speed = checked.speed ?? first.point[0];
    this.#turn = checked.turn ?? first.point[1];
    this.#shown = [this.#speed, this.#turn];
    this.#smoothing = checked.smoothing ?? 0.2;
    this.motion = new BlendMotion(this.#members, () => this.weights);
  }

  /** Speed, in the unit of the samples; values beyond the samples give the nearest one. */
  get speed(): number {
    return this.#speed;
  }
  /** Sets the speed. */
  set speed(value: number) {
    if (!Number.isFinite(value)) throw wrongOption("speed", `speed must be a finite number, not ${String(value)}`);
    this.#speed = value;
  }

  /** Turn, in the unit of the samples. */
  get turn(): number {
    return this.#turn;
  }
  /** Sets the turn. */
  set turn(value: number) {
    if (!Number.isFinite(value)) throw wrongOption("turn", `turn must be a finite number, not ${String(value)}`);
    this.#turn = value;
  }

  /** Weights of the samples in the last frame, in their order; their sum is 1. */
  get weights(): number[] {
    return blendWeights(
      this.#members.map(({ point }) => point),
      this.#shown,
    );
  }

  /** Shows the speed and the turn that were set, at once. @internal */
  settle(): void {
    this.#shown = [this.#speed, this.#turn];
  }

  /** Advances the smoothing by some seconds. @internal */
  advance(seconds: number): void {
    const share = this.#smoothing > 0 ? 1 - Math.exp((-2 * seconds) / this.#smoothing) : 1;
    const [speed, turn] = this.#shown;
    this.#shown = [speed + (this.#speed - speed) * share, turn + (this.#turn - turn) * share];
  }

  /** The action with the largest weight. @internal */
  get dominant(): AnimationAction {
    const { weights } = this;
    return (this.#members[weights.indexOf(Math.max(...weights))] as Member).action;
  }
}

function createMember(
  body: Body,
  { action, speed, turn = 0, markers, motion }: MotionSample,
  feet: readonly number[],
): Member {
  const name = `"${motion.clip.name || "animation"}"`;
  if (![speed, turn].every((value) => Number.isFinite(value) && Math.abs(value) < 1e9))
    throw wrongOption("speed", `speed and turn of the sample ${name} must be finite numbers`);
  if (!motion.loops) throw wrongOption("action", `the sample ${name} of a blend space must be a loop`);
  if (markers === undefined) {
    const found = feet.length === 2 ? findFootMarkers(body, motion, feet) : undefined;
    return { action, motion, point: [speed, turn], phases: found ?? new Phases([0], motion.seconds, 1) };
  }
  const isOrdered =
    numbers.is(markers) &&
    markers.length > 0 &&
    markers.every((time, i) => time >= 0 && time <= motion.seconds && !(time <= (markers[i - 1] ?? -1)));
  if (!isOrdered)
    throw wrongOption(
      "markers",
      `markers of the sample ${name} must be increasing times from 0 to ${motion.seconds} s`,
    );
  return { action, motion, point: [speed, turn], phases: new Phases(markers, motion.seconds, 1) };
}

/**
 * Returns the weights of points in one or two dimensions: gradient bands (Johansen, "Automated Semi-Procedural Animation
 * for Character Locomotion", 2009). On a line they are linear between neighbours. Each axis is scaled to its range.
 */
export function blendWeights(points: readonly (readonly [number, number])[], at: readonly [number, number]): number[] {
  const ranges = ([0, 1] as const).map((axis) => {
    const values = points.map((point) => point[axis]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return { low, high, size: high - low || 1 };
  }) as [{ low: number; high: number; size: number }, { low: number; high: number; size: number }];
  const scaled = (point: readonly [number, number]): readonly [number, number] => [
    (Math.min(ranges[0].high, Math.max(ranges[0].low, point[0])) - ranges[0].low) / ranges[0].size,
    (Math.min(ranges[1].high, Math.max(ranges[1].low, point[1])) - ranges[1].low) / ranges[1].size,
  ];
  const [x, y] = scaled(at);
  const places = points.map(scaled);
  const influences = places.map(([px, py]) =>
    Math.max(
      0,
      Math.min(
        1,
        ...places.map(([qx, qy]) => {
          const [dx, dy] = [qx - px, qy - py];
          const size = dx * dx + dy * dy;
          return size > 0 ? 1 - ((x - px) * dx + (y - py) * dy) / size : 1;
        }),
      ),
    ),
  );
  const sum = influences.reduce((total, influence) => total + influence, 0);
  if (sum > 0) return influences.map((influence) => influence / sum);
  return points.map(() => 1 / points.length);
}

function leastCommonMultiple(a: number, b: number): number {
  const divisor = (x: number, y: number): number => (y === 0 ? x : divisor(y, x % y));
  return (a / divisor(a, b)) * b;
}

/** The motion of a blend space; its time is counted in strides. */
export class BlendMotion implements Motion {
  readonly seconds: number;
  readonly loops = true;
  readonly isOpen = false;
  readonly topSpeed: number;
  readonly lowest: Float32Array;
  readonly #members: readonly Member[];
  readonly #weights: () => number[];

  constructor(members: readonly Member[], weights: () => number[]) {
    this.#members = members;
    this.#weights = weights;
    this.seconds = members.reduce((common, { phases: { strides } }) => leastCommonMultiple(common, strides), 1);
    if (this.seconds > MAX_STRIDES)
      throw wrongOption("samples", "the clips of the blend space have too many different strides; give markers");
    this.topSpeed = Math.max(...members.map(({ motion }) => motion.topSpeed));
    this.lowest = Float32Array.from((members[0] as Member).motion.lowest, (_, bone) =>
      Math.min(...members.map(({ motion }) => motion.lowest[bone] as number)),
    );
  }

  get #dominant(): Member {
    const weights = this.#weights();
    return this.#members[weights.indexOf(Math.max(...weights))] as Member;
  }

  /** Strides per second of the mixer. */
  get rate(): number {
    const weights = this.#weights();
    const seconds = this.#members.reduce((sum, { phases, action }, i) => {
      const speed = Math.max(1e-3, Math.abs(action.timeScale));
      return sum + ((weights[i] as number) * phases.strideSeconds) / speed;
    }, 0);
    return 1 / Math.max(1e-3, seconds);
  }

  get gait(): Motion["gait"] {
    const weights = this.#weights();
    const members = this.#members.filter((_, i) => (weights[i] as number) > 0);
    const { body, speed } = this.#dominant.motion.gait;
    return {
      travels: members.some(({ motion }) => motion.gait.travels),
      isStraight: members.every(({ motion }) => motion.gait.isStraight),
      speed,
      body,
    };
  }

  get count(): number {
    return this.#dominant.motion.count;
  }

  get features(): readonly Float32Array[] {
    return this.#dominant.motion.features;
  }

  readonly sampler = {
    bones: new Set<number>(),
    poseAt: (time: number): Pose => {
      const { motion, phases } = this.#dominant;
      return motion.sampler.poseAt(phases.timeAt(time));
    },
  };

  wrapTime(time: number): number {
    return time >= 0 && time <= this.seconds ? time : ((time % this.seconds) + this.seconds) % this.seconds;
  }

  timeOf(sample: number): number {
    const { motion, phases } = this.#dominant;
    return phases.phaseAt(motion.timeOf(sample));
  }

  sampleAt(time: number): number {
    const { motion, phases } = this.#dominant;
    return motion.sampleAt(phases.timeAt(time));
  }

  exitsBetween(now: number, firstWait: number, maxWait: number): Exit[] {
    const { motion, phases } = this.#dominant;
    const seconds = phases.strideSeconds;
    return motion
      .exitsBetween(phases.timeAt(now), firstWait * seconds, maxWait * seconds)
      .map(({ sample, wait }) => ({ sample, wait: wait / seconds }));
  }

  /** Calls `visit` with each sample that has a weight. */
  #forEach(visit: (member: Member, weight: number) => void): void {
    const weights = this.#weights();
    this.#members.forEach((member, i) => {
      if ((weights[i] as number) > 1e-4) visit(member, weights[i] as number);
    });
  }

  travel(from: number, to: number, wraps: number): GroundPose {
    const sum = { x: 0, z: 0, heading: 0 };
    this.#forEach(({ motion, phases }, weight) => {
      const advance = wraps * this.seconds + to - from;
      const ownWraps = Math.round((advance - phases.offset(to) + phases.offset(from)) / phases.strides);
      const { x, z, heading } = motion.travel(phases.timeAt(from), phases.timeAt(to), ownWraps);
      sum.x += x * weight;
      sum.z += z * weight;
      sum.heading += heading * weight;
    });
    return sum;
  }

  velocityAt(time: number, step: number): GroundPose {
    const sum = { ...ORIGIN };
    this.#forEach(({ motion, phases }, weight) => {
      const { x, z, heading } = motion.velocityAt(
        phases.timeAt(time),
        Math.min(motion.seconds, step * phases.strideSeconds),
      );
      const factor = weight * phases.strideSeconds;
      sum.x += x * factor;
      sum.z += z * factor;
      sum.heading += heading * factor;
    });
    return sum;
  }

  inPlace(time: number): Pose {
    let pose: Pose | undefined;
    let total = 0;
    this.#forEach(({ motion, phases }, weight) => {
      const next = motion.inPlace(phases.timeAt(time));
      total += weight;
      pose = pose ? blendPoses(pose, next, weight / total) : next;
    });
    return pose as Pose;
  }

  displayed(_: Pose, time: number): Pose {
    return this.inPlace(time);
  }
}

/** A blend space that is being played, or that a transition enters. */
export class PlayedSpace implements Playable {
  readonly source: BlendSpace;
  readonly motion: BlendMotion;
  time = 0;
  #isHeld = false;

  constructor(space: BlendSpace) {
    this.source = space;
    this.motion = space.motion;
  }

  get action(): AnimationAction {
    return this.source.dominant;
  }

  get rate(): number {
    return this.motion.rate;
  }

  get isRunning(): boolean {
    return !this.#isHeld;
  }

  start(time: number): void {
    this.time = this.motion.wrapTime(time);
    this.#isHeld = false;
  }

  stop(): void {}

  hold(): void {
    this.#isHeld = true;
  }

  advance(mixerSeconds: number): void {
    this.source.advance(Math.abs(mixerSeconds));
    this.time = this.motion.wrapTime(this.time + mixerSeconds * this.rate);
  }
}
