/**
 * Inertialization (Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War", GDC 2018): the
 * model switches to the next motion at once, and its offset, which continues at its previous velocity, decays. Each of
 * the three components of a rotation's and a position's offset has its own curve, so that the initial velocity is kept
 * in every direction.
 */
import { back, minus, plus, times, type Turn, unit, type Vector } from "../bones/turn.js";
import type { Pose } from "./body.js";

const NOTHING: Vector = [0, 0, 0];
/** Smaller offsets are ignored: radians, or units of positions. */
const LEAST = 1e-7;

/** Rotation vector: the axis of a rotation times its angle, radians. */
export function logOf([x, y, z, w]: Turn): Vector {
  const sign = w < 0 ? -1 : 1;
  const sine = Math.hypot(x, y, z);
  const angle = 2 * Math.atan2(sine, w * sign);
  const scale = sine < 1e-9 ? 2 * sign : (sign * angle) / sine;
  return [x * scale, y * scale, z * scale];
}

/** Rotation of a rotation vector. */
export function turnBy([x, y, z]: Vector): Turn {
  const angle = Math.hypot(x, y, z);
  const scale = angle < 1e-9 ? 0.5 : Math.sin(angle / 2) / angle;
  return unit([x * scale, y * scale, z * scale, Math.cos(angle / 2)]);
}

/** A curve lasts at least this share of its time, to avoid abrupt stops. */
const EARLIEST = 0.5;

/**
 * Quintic from `from` with initial velocity `speed` and Bollo's acceleration to rest at 0 after `seconds`, or earlier
 * to avoid overshooting 0. Returns the value at `time`.
 */
export function fading(from: number, speed: number, seconds: number, time: number): number {
  const sign = from < 0 ? -1 : 1;
  const [x, v] = [from * sign, speed * sign];
  const end = v < 0 ? Math.min(seconds, Math.max(EARLIEST * seconds, (-5 * x) / v)) : seconds;
  if (time >= end || end < 1e-6) return 0;
  const a = Math.max(0, (-8 * v * end - 20 * x) / (end * end));
  const [end2, end3] = [end * end, end * end * end];
  const c5 = -(a * end2 + 6 * v * end + 12 * x) / (2 * end3 * end2);
  const c4 = (3 * a * end2 + 16 * v * end + 30 * x) / (2 * end2 * end2);
  const c3 = -(3 * a * end2 + 12 * v * end + 20 * x) / (2 * end3);
  return sign * (((((c5 * time + c4) * time + c3) * time + a / 2) * time + v) * time + x);
}

interface Distance {
  from: Vector;
  speed: Vector;
}

const isNothing = ({ from, speed }: Distance): boolean => Math.max(...[...from, ...speed].map(Math.abs)) < LEAST;
const at = ({ from, speed }: Distance, seconds: number, time: number): Vector => [
  fading(from[0], speed[0], seconds, time),
  fading(from[1], speed[1], seconds, time),
  fading(from[2], speed[2], seconds, time),
];

/** Extrapolates from the pose `from` by a number of steps of the change from `from` to `to`; may be negative. */
export function stepped(from: Pose, to: Pose, steps: number): Pose {
  return {
    turns: from.turns.map((turn, i) => {
      const [x, y, z] = logOf(times(to.turns[i] as Turn, back(turn)));
      return times(turnBy([x * steps, y * steps, z * steps]), turn);
    }),
    places: from.places.map((place, i) => {
      const [x, y, z] = minus(to.places[i] as Vector, place);
      return plus(place, [x * steps, y * steps, z * steps]);
    }),
  };
}

/** Displayed poses of a model: the last one, and one a moment before. */
export interface DisplayedPoses {
  last: Pose;
  before: Pose;
  /** Seconds between the two. */
  apart: number;
}

/** Decaying offset of a model from the motion that it enters. */
export class Offsets {
  readonly #turns: (Distance | undefined)[];
  readonly #places: (Distance | undefined)[];
  readonly #seconds: number;
  #time = 0;

  /** `target`: the pose to enter at the time of `shown.last`; `next`: the target's pose `step` seconds later. */
  constructor({ last, before, apart }: DisplayedPoses, target: Pose, next: Pose, step: number, seconds: number) {
    this.#seconds = seconds;
    const goalBefore = stepped(target, next, -apart / step);
    this.#turns = last.turns.map((shown, i) => {
      const from = logOf(times(shown, back(target.turns[i] as Turn)));
      return distance(from, logOf(times(before.turns[i] as Turn, back(goalBefore.turns[i] as Turn))), apart);
    });
    this.#places = last.places.map((shown, i) => {
      const from = minus(shown, target.places[i] as Vector);
      return distance(from, minus(before.places[i] as Vector, goalBefore.places[i] as Vector), apart);
    });
  }

  /** Whether the offset has decayed. */
  get isOver(): boolean {
    return this.#time >= this.#seconds;
  }

  advance(seconds: number): void {
    this.#time += seconds;
  }

  /** The pose of the motion plus the remaining offset. */
  applied(pose: Pose): Pose {
    if (this.isOver) return pose;
    const left = (list: (Distance | undefined)[], i: number): Vector | undefined =>
      list[i] && at(list[i], this.#seconds, this.#time);
    return {
      turns: pose.turns.map((turn, i) => {
        const by = left(this.#turns, i);
        return by ? unit(times(turnBy(by), turn)) : turn;
      }),
      places: pose.places.map((place, i) => plus(place, left(this.#places, i) ?? NOTHING)),
    };
  }
}

function distance(from: Vector, before: Vector, apart: number): Distance | undefined {
  // Half turns have two logarithms; in this case the speed of the motion alone is used.
  const moved = minus(from, before);
  const speed: Vector =
    Math.hypot(...moved) > Math.PI ? NOTHING : [moved[0] / apart, moved[1] / apart, moved[2] / apart];
  const found = { from, speed };
  return isNothing(found) ? undefined : found;
}
