/** An animation clip as transitions need it: its way over the ground, and its poses apart from it. */
import type { AnimationClip, Object3D } from "three";
import { motionWriter } from "../bones/rest.js";
import { alike, minus, type Turn, type Vector } from "../bones/turn.js";
import type { MotionData } from "../core/motion-types.js";
import type { Body, Pose } from "./body.js";
import { between, compose, type Ground, mixed, nearZero, ORIGIN, seenFrom } from "./ground.js";
import { Sampler } from "./sampler.js";

/** Frames a second that clips are looked at; networks and judge know no other rate. */
export const RATE = 30;
/** A heading is the mean over so many seconds to both sides: hips swing with every step. */
const SMOOTH = 0.3;
/** A loop is shown to the engine so long beyond its end, seconds: a way on for cuts near it. */
export const BEYOND = 3;
/** Speeds of landmarks count as their distance after so many seconds. */
const AHEAD = 0.12;

/** Poses are one where no bone is turned by more, radians. */
const CLOSED = 0.02;

/** A motion that a model can go into. */
export interface Course {
  /** The pose at a time, seconds, as seen from where the root stands. */
  inPlace(time: number): Pose;
  /** How fast the root goes, a second, measured over `step` seconds. */
  speedAt(time: number, step: number): Ground;
}

export class ClipMotion implements Course {
  readonly clip: AnimationClip;
  readonly seconds: number;
  readonly loops: boolean;
  readonly sampler: Sampler;
  /** Frames that were looked at, evenly spaced from the first to the last moment. */
  readonly count: number;
  /** Numbers of each frame that tell poses apart: places of landmarks as seen from the root, and where they go. */
  readonly features: Float32Array[] = [];
  readonly #body: Body;
  /** It is a loop whose end is another pose than its beginning. */
  isOpen = false;
  #grounds: Ground[] = [];
  #raw: Ground[] = [];
  #places: Vector[][] = [];

  /** `most`: how many frames are looked at at most. */
  constructor(body: Body, root: Object3D, clip: AnimationClip, home: Pose, loops: boolean, most = Infinity) {
    this.clip = clip;
    this.seconds = clip.duration;
    this.loops = loops && clip.duration > 0;
    this.sampler = new Sampler(body, root, clip, home);
    this.count = Math.max(2, Math.min(most, Math.ceil(this.seconds * RATE - 1e-6) + 1));
    this.#body = body;
  }

  /** Looks at the clip, a frame at each step; nothing else can be asked before it is done. */
  *look(): Generator<void, this> {
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

  /** The frame nearest to a time. */
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

  /** Where the root stands on the ground at a time. */
  groundAt(time: number): Ground {
    const at = Math.min(1, Math.max(0, time / this.seconds || 0)) * (this.count - 1);
    const frame = Math.min(this.count - 2, Math.floor(at));
    return mixed(this.#grounds[frame] as Ground, this.#grounds[frame + 1] as Ground, at - frame);
  }

  /** The way of a whole round. */
  get round(): Ground {
    return between(this.groundAt(0), this.groundAt(this.seconds));
  }

  /** The way from one time to another; of a loop that has begun anew in between, through its end. */
  step(from: number, to: number, wraps: boolean): Ground {
    if (!wraps) return between(this.groundAt(from), this.groundAt(to));
    const [first, last] = to < from ? [0, this.seconds] : [this.seconds, 0];
    return compose(between(this.groundAt(from), this.groundAt(last)), between(this.groundAt(first), this.groundAt(to)));
  }

  /** The pose at a time, seen from where the root stands. A loop goes on beyond its end. */
  inPlace(time: number): Pose {
    const inside = this.inside(time);
    return this.#body.seenFrom(this.sampler.at(inside), this.groundAt(inside));
  }

  /** A time of the clip itself. */
  inside(time: number): number {
    if (!this.loops) return Math.min(this.seconds, Math.max(0, time));
    return time === this.seconds ? time : ((time % this.seconds) + this.seconds) % this.seconds;
  }

  /** How fast the root goes at a time, a second. */
  speedAt(time: number, step: number): Ground {
    const from = Math.max(0, Math.min(this.inside(time), this.seconds - step));
    const { x, z, heading } = between(this.groundAt(from), this.groundAt(from + step));
    return { x: x / step, z: z / step, heading: heading / step };
  }

  /**
   * The clip for the engine, a frame at each step: a loop goes on for a second round or {@link BEYOND}, whichever is
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

/** The largest angle, radians, that a bone is turned by from one pose to another. */
const farthest = (a: Pose, b: Pose): number =>
  Math.max(...a.turns.map((turn, i) => 2 * Math.acos(Math.min(1, alike(turn, b.turns[i] as Turn)))));

/** Grounds with headings averaged over `reach` frames to both sides, as far as the clip goes. */
function smoothed(grounds: readonly Ground[], reach: number): Ground[] {
  const sums = [0];
  for (const { heading } of grounds) sums.push((sums.at(-1) as number) + heading);
  return grounds.map((ground, i) => {
    const side = Math.min(reach, i, grounds.length - 1 - i);
    return { ...ground, heading: ((sums[i + side + 1] as number) - (sums[i - side] as number)) / (2 * side + 1) };
  });
}

/** A moment to leave one clip, and the moment of the other to go on at. */
export interface Cut {
  /** Seconds of the clip that is left. */
  exit: number;
  /** Seconds of the next clip. */
  landing: number;
  cost: number;
}

/** The cheapest of the cuts from some frames of `a` to `landings` of `b`: where poses and speeds are most alike. */
export function bestCut(a: ClipMotion, exits: readonly number[], b: ClipMotion, landings: readonly number[]): Cut {
  let best: Cut = { exit: 0, landing: 0, cost: Infinity };
  exits.forEach((exit, place) => {
    const from = a.features[exit] as Float32Array;
    // Of moments that are as good, the earlier one.
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
