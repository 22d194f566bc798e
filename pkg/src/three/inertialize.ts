/**
 * Inertialization (Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War", GDC 2018): the
 * model switches to the next motion at once. The offset from its previous pose keeps its velocity at first and then
 * decays. Each of the three components of the offset of a rotation or a position has its own curve, so that the initial
 * velocity is kept in every direction.
 */
import { invert, subtract, add, multiply, type Rotation, normalize, type Vector } from "../bones/rotation.js";
import type { Pose } from "./body.js";

const ZERO: Vector = [0, 0, 0];
/** Magnitude below which offsets are ignored; radians, or units of positions. */
const NEGLIGIBLE = 1e-7;

/** Converts a rotation to a rotation vector: its axis times its angle, radians. */
export function toRotationVector([x, y, z, w]: Rotation): Vector {
  const sign = w < 0 ? -1 : 1;
  const sine = Math.hypot(x, y, z);
  const angle = 2 * Math.atan2(sine, w * sign);
  const scale = sine < 1e-9 ? 2 * sign : (sign * angle) / sine;
  return [x * scale, y * scale, z * scale];
}

/** Converts a rotation vector to a rotation. */
export function fromRotationVector([x, y, z]: Vector): Rotation {
  const angle = Math.hypot(x, y, z);
  const scale = angle < 1e-9 ? 0.5 : Math.sin(angle / 2) / angle;
  return normalize([x * scale, y * scale, z * scale, Math.cos(angle / 2)]);
}

/** Minimum duration of a curve, as a fraction of the requested duration; shorter curves would stop abruptly. */
const MIN_DECAY = 0.5;

/**
 * Evaluates a quintic polynomial at `time`, seconds. It starts at `from` with velocity `speed` and Bollo's initial
 * acceleration, and ends at rest at 0 after `seconds`. If it would overshoot 0, it ends earlier, but not before
 * {@link MIN_DECAY}.
 */
export function decayedOffset(from: number, speed: number, seconds: number, time: number): number {
  const sign = from < 0 ? -1 : 1;
  const [x, v] = [from * sign, speed * sign];
  const end = v < 0 ? Math.min(seconds, Math.max(MIN_DECAY * seconds, (-5 * x) / v)) : seconds;
  if (time >= end || end < 1e-6) return 0;
  const a = Math.max(0, (-8 * v * end - 20 * x) / (end * end));
  const [end2, end3] = [end * end, end * end * end];
  const c5 = -(a * end2 + 6 * v * end + 12 * x) / (2 * end3 * end2);
  const c4 = (3 * a * end2 + 16 * v * end + 30 * x) / (2 * end2 * end2);
  const c3 = -(3 * a * end2 + 12 * v * end + 20 * x) / (2 * end3);
  return sign * (((((c5 * time + c4) * time + c3) * time + a / 2) * time + v) * time + x);
}

/** An offset of a rotation (as a rotation vector) or of a position, and its velocity per second. */
interface Offset {
  from: Vector;
  speed: Vector;
}

const isNegligible = ({ from, speed }: Offset): boolean => Math.max(...[...from, ...speed].map(Math.abs)) < NEGLIGIBLE;
const offsetAt = ({ from, speed }: Offset, seconds: number, time: number): Vector => [
  decayedOffset(from[0], speed[0], seconds, time),
  decayedOffset(from[1], speed[1], seconds, time),
  decayedOffset(from[2], speed[2], seconds, time),
];

/** Extrapolates the change from the pose `from` to the pose `to` over a number of steps; negative steps go back. */
export function extrapolate(from: Pose, to: Pose, steps: number): Pose {
  return {
    rotations: from.rotations.map((rotation, i) => {
      const [x, y, z] = toRotationVector(multiply(to.rotations[i] as Rotation, invert(rotation)));
      return multiply(fromRotationVector([x * steps, y * steps, z * steps]), rotation);
    }),
    positions: from.positions.map((position, i) => {
      const [x, y, z] = subtract(to.positions[i] as Vector, position);
      return add(position, [x * steps, y * steps, z * steps]);
    }),
  };
}

/** The last two displayed poses of a model. */
export interface DisplayedPoses {
  last: Pose;
  previous: Pose;
  /** Seconds between the two. */
  interval: number;
}

/** Decaying offset of a model from the motion that it enters. */
export class Offsets {
  readonly #rotationOffsets: (Offset | undefined)[];
  readonly #positionOffsets: (Offset | undefined)[];
  readonly #seconds: number;
  #time = 0;

  /** `target`: pose of the target motion at the time of `last`; `next`: its pose `step` seconds later. */
  constructor({ last, previous, interval }: DisplayedPoses, target: Pose, next: Pose, step: number, seconds: number) {
    this.#seconds = seconds;
    const previousTarget = extrapolate(target, next, -interval / step);
    this.#rotationOffsets = last.rotations.map((displayed, i) => {
      const from = toRotationVector(multiply(displayed, invert(target.rotations[i] as Rotation)));
      const change = subtract(
        from,
        toRotationVector(multiply(previous.rotations[i] as Rotation, invert(previousTarget.rotations[i] as Rotation))),
      );
      // A rotation by 180 degrees has two rotation vectors; the change would be wrong, so the velocity is set to 0.
      return createOffset(from, Math.hypot(...change) > Math.PI ? ZERO : change, interval);
    });
    this.#positionOffsets = last.positions.map((displayed, i) => {
      const from = subtract(displayed, target.positions[i] as Vector);
      const previousOffset = subtract(previous.positions[i] as Vector, previousTarget.positions[i] as Vector);
      return createOffset(from, subtract(from, previousOffset), interval);
    });
  }

  /** Whether the offset has decayed. */
  get isOver(): boolean {
    return this.#time >= this.#seconds;
  }

  /** Advances the time by some seconds. */
  advance(seconds: number): void {
    this.#time += seconds;
  }

  /** Returns the pose of the motion plus the remaining offset. */
  apply(pose: Pose): Pose {
    if (this.isOver) return pose;
    const remaining = (list: (Offset | undefined)[], i: number): Vector | undefined =>
      list[i] && offsetAt(list[i], this.#seconds, this.#time);
    return {
      rotations: pose.rotations.map((rotation, i) => {
        const offset = remaining(this.#rotationOffsets, i);
        return offset ? normalize(multiply(fromRotationVector(offset), rotation)) : rotation;
      }),
      positions: pose.positions.map((position, i) => add(position, remaining(this.#positionOffsets, i) ?? ZERO)),
    };
  }
}

/** Creates an offset from its value and its change in the last `interval` seconds; `undefined` if it is negligible. */
function createOffset(from: Vector, change: Vector, interval: number): Offset | undefined {
  const offset: Offset = { from, speed: [change[0] / interval, change[1] / interval, change[2] / interval] };
  return isNegligible(offset) ? undefined : offset;
}
