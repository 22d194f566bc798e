/** An animation clip prepared for transitions: its movement over the ground, and its poses without it. */
import type { AnimationClip, Object3D } from "three";
import { motionWriter } from "../bones/rest.js";
import { alike, minus, type Turn, type Vector } from "../bones/turn.js";
import type { MotionData } from "../core/motion-types.js";
import type { Body, Pose } from "./body.js";
import { between, compose, type Ground, mixed, nearZero, ORIGIN, seenFrom } from "./ground.js";
import { Sampler } from "./sampler.js";

/** Sampling rate of clips; the rate of the networks and the judge. */
export const RATE = 30;
/** Headings are averaged over this many seconds on each side, because hips swing with every step. */
const SMOOTH = 0.3;
/** A loop is extended by this many seconds for the engine, so that it can be cut near its end. */
export const BEYOND = 3;
/** Speeds of landmarks are compared as movement over this many seconds. */
const AHEAD = 0.12;

/** Poses count as equal if no bone differs by more, radians. */
const CLOSED = 0.02;

/** A motion that a model can enter. */
export interface Course {
  /** The pose at a time in seconds, relative to the root. */
  inPlace(time: number): Pose;
  /** Speed of the root per second, measured over `step` seconds. */
  speedAt(time: number, step: number): Ground;
}

/** A clip of three.js sampled on a body. */
export class ClipMotion implements Course {
  readonly clip: AnimationClip;
  readonly seconds: number;
  readonly loops: boolean;
  readonly sampler: Sampler;
  /** Number of samples, evenly spaced from start to end. */
  readonly count: number;
  /** Feature vector of each sample: positions of landmarks relative to the root, and their movement. */
  readonly features: Float32Array[] = [];
  readonly #body: Body;
  /** Whether it is a loop whose end differs from its start. */
  isOpen = false;
  #grounds: Ground[] = [];
  #raw: Ground[] = [];
  #places: Vector[][] = [];

  /** `most`: largest number of samples. */
  constructor(body: Body, root: Object3D, clip: AnimationClip, home: Pose, loops: boolean, most = Infinity) {
    this.clip = clip;
    this.seconds = clip.duration;
    this.loops = loops && clip.duration > 0;
    this.sampler = new Sampler(body, root, clip, home);
    this.count = Math.max(2, Math.min(most, Math.ceil(this.seconds * RATE - 1e-6) + 1));
    this.#body = body;
  }

  /** Samples the clip, one frame per step; must complete before any other call. */
  *measure(): Generator<void, this> {
    for (let frame = 0; frame < this.count; frame++) {
      const pose = this.sampler.at(this.timeOf(frame));
      const { x, z, heading } = this.#body.hipsOver(pose);
      const before = this.#raw.at(-1)?.heading ?? heading ?? 0;
      this.#raw.push({ x, z, heading: before + nearZero((heading ?? before) - before) });
      const worlds = this.#body.worlds(pose);
      this.#places.push(this.#body.landmarks.map((bone) => (worlds[bone] as { place: Vector }).place));
      yield;
    }
    this.#grounds = smoothed(this.#raw, Math.round((SMOOTH / this.seconds) * (this.count - 1)));
    for (let frame = 0; frame < this.count; frame++) {
      this.features.push(this.#featuresOf(frame));
      if (frame % 16 === 15) yield;
    }
    this.#places = [];
    this.isOpen = this.loops && farthest(this.inPlace(0), this.inPlace(this.seconds)) > CLOSED;
    return this;
  }

  timeOf(frame: number): number {
    return (frame / (this.count - 1)) * this.seconds;
  }

  /** The sample nearest to a time. */
  frameAt(time: number): number {
    return Math.round(Math.min(1, Math.max(0, time / this.seconds)) * (this.count - 1));
  }

  #featuresOf(frame: number): Float32Array {
    const now = Math.min(frame, this.count - 2);
    const pace = AHEAD / (this.timeOf(now + 1) - this.timeOf(now));
    const ground = this.#grounds[frame] as Ground;
    const from = this.#grounds[now] as Ground;
    const seen = (of: Ground, at: number, landmark: number): Vector =>
      seenFrom(of, [0, 0, 0, 1], this.#places[at]?.[landmark] as Vector)[1];
    return Float32Array.from(
      this.#body.landmarks.flatMap((_, landmark) => {
        const [x, y, z] = minus(seen(from, now + 1, landmark), seen(from, now, landmark));
        return [...seen(ground, frame, landmark), x * pace, y * pace, z * pace];
      }),
    );
  }

  /** Ground pose of the root at a time. */
  groundAt(time: number): Ground {
    const at = Math.min(1, Math.max(0, time / this.seconds || 0)) * (this.count - 1);
    const frame = Math.min(this.count - 2, Math.floor(at));
    return mixed(this.#grounds[frame] as Ground, this.#grounds[frame + 1] as Ground, at - frame);
  }

  /** Movement over the ground in one round of the loop. */
  get round(): Ground {
    return between(this.groundAt(0), this.groundAt(this.seconds));
  }

  /** Movement from one time to another; `wraps`: through the loop's end. */
  step(from: number, to: number, wraps: boolean): Ground {
    if (!wraps) return between(this.groundAt(from), this.groundAt(to));
    const [first, last] = to < from ? [0, this.seconds] : [this.seconds, 0];
    return compose(between(this.groundAt(from), this.groundAt(last)), between(this.groundAt(first), this.groundAt(to)));
  }

  /** The pose at a time, relative to the root. A loop continues beyond its end. */
  inPlace(time: number): Pose {
    const inside = this.inside(time);
    return this.#body.seenFrom(this.sampler.at(inside), this.groundAt(inside));
  }

  /** The time within the clip. */
  inside(time: number): number {
    if (!this.loops) return Math.min(this.seconds, Math.max(0, time));
    return time === this.seconds ? time : ((time % this.seconds) + this.seconds) % this.seconds;
  }

  /** Speed of the root at a time, per second. */
  speedAt(time: number, step: number): Ground {
    const from = Math.max(0, Math.min(this.inside(time), this.seconds - step));
    const { x, z, heading } = between(this.groundAt(from), this.groundAt(from + step));
    return { x: x / step, z: z / step, heading: heading / step };
  }

  /**
   * Motion data for the engine, one frame per step. A loop continues for a second round or {@link BEYOND}, whichever is
   * longer.
   */
  *motion(): Generator<void, MotionData> {
    const seconds = this.loops ? this.seconds + Math.max(this.seconds, BEYOND) : this.seconds;
    const frames = Math.floor(seconds * RATE + 1e-6) + 1;
    const { data, put } = motionWriter(this.#body.character.rest, RATE, frames);
    for (let frame = 0; frame < frames; frame++) {
      put(frame, this.#body.worlds(this.#travelling(frame / RATE)));
      yield;
    }
    return { ...data, name: this.clip.name || "animation" };
  }

  #travelling(time: number): Pose {
    const inside = this.inside(time);
    let start: Ground = ORIGIN;
    for (let round = Math.round((time - inside) / this.seconds); this.loops && round > 0; round--)
      start = compose(start, this.round);
    const here = compose(start, between(this.groundAt(0), this.groundAt(inside)));
    const { x, z, heading } = between(here, ORIGIN);
    return this.#body.seenFrom(this.inPlace(inside), { x, z, heading });
  }
}

/** Largest rotation of a bone between two poses, radians. */
const farthest = (a: Pose, b: Pose): number =>
  Math.max(...a.turns.map((turn, i) => 2 * Math.acos(Math.min(1, alike(turn, b.turns[i] as Turn)))));

/** Ground poses with headings averaged over `reach` frames on each side, within the clip. */
function smoothed(grounds: readonly Ground[], reach: number): Ground[] {
  const sums = [0];
  for (const { heading } of grounds) sums.push((sums.at(-1) as number) + heading);
  return grounds.map((ground, i) => {
    const side = Math.min(reach, i, grounds.length - 1 - i);
    return { ...ground, heading: ((sums[i + side + 1] as number) - (sums[i - side] as number)) / (2 * side + 1) };
  });
}

/** Time to leave one clip, and time to enter the other. */
export interface Cut {
  /** Time in the clip that is left, seconds. */
  exit: number;
  /** Time in the next clip, seconds. */
  landing: number;
  cost: number;
}

/** The best cut from some frames of `a` to `landings` of `b`: the one with the most similar poses and speeds. */
export function bestCut(a: ClipMotion, exits: readonly number[], b: ClipMotion, landings: readonly number[]): Cut {
  let best: Cut = { exit: 0, landing: 0, cost: Infinity };
  exits.forEach((exit, place) => {
    const from = a.features[exit] as Float32Array;
    // Of equally good times, the earlier one.
    const later = 1 + (0.2 * place) / Math.max(1, exits.length);
    for (const landing of landings) {
      const to = b.features[landing] as Float32Array;
      let cost = 0;
      for (let i = 0; i < from.length; i++) cost += ((from[i] as number) - (to[i] as number)) ** 2;
      if (cost * later < best.cost) best = { exit: a.timeOf(exit), landing: b.timeOf(landing), cost: cost * later };
    }
  });
  return best;
}
