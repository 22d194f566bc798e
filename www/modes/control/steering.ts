/** From sticks and keys, a goal on the ground, or a path, to what a character is asked to do. No page is needed for it. */
import type { ControlWant } from "kinestitch/worker";
import type { Spot } from "../../viewer/handles";

/** A stick: right and forward, each -1 to 1, as the camera sees it. */
export interface Stick {
  right: number;
  forward: number;
}

/** A push smaller than this is none: sticks do not come back to zero. */
const DEAD = 0.15;
/** Metres from a goal where one is there, where one slows down, and where one turns as one will stand. */
const [THERE, NEAR, TURN] = [0.25, 1.2, 0.8];
/** Metres beside whom one follows, and behind. */
const [BESIDE, BEHIND] = [0.9, 0.5];

export const STAY: ControlWant = { direction: [0, 0], speed: 0 };

/** The push of a stick, 0 to 1. */
export function push({ right, forward }: Stick): number {
  const length = Math.hypot(right, forward);
  return length > DEAD ? Math.min(1, (length - DEAD) / (1 - DEAD)) : 0;
}

/** Goes where a stick points, seen by a camera that looks along `heading`, radians from +z towards +x. */
export function byStick(stick: Stick, heading: number, speed: number): ControlWant {
  const share = push(stick);
  if (share === 0) return STAY;
  const [sin, cos] = [Math.sin(heading), Math.cos(heading)];
  const { right, forward } = stick;
  return { direction: [sin * forward - cos * right, cos * forward + sin * right], speed: speed * share };
}

/** Goes to a place, slows down, and stands as it says. */
export function toGoal(from: { x: number; z: number }, goal: Spot, speed: number): ControlWant {
  const [x, z] = [goal.x - from.x, goal.z - from.z];
  const far = Math.hypot(x, z);
  const facing = far < TURN ? { facing: goal.heading } : {};
  if (far < THERE) return { ...STAY, ...facing };
  return { direction: [x, z], speed: Math.min(speed, speed * Math.max(0.25, far / NEAR)), ...facing };
}

/** Where one who follows walks: at the left of the other, a little behind. */
export function beside({ x, z, heading }: Spot): Spot {
  const [sin, cos] = [Math.sin(heading), Math.cos(heading)];
  return { x: x + cos * BESIDE - sin * BEHIND, z: z - sin * BESIDE - cos * BEHIND, heading };
}

/** A figure of eight with a stop in it, walked and jogged in turn: what is shown to whom touches nothing. */
export class DemoPath {
  /** Metres of its half length and half width. */
  readonly size: readonly [number, number];
  #turn = 0;
  #rest = 0;
  #rounds = 0;

  constructor(size: readonly [number, number]) {
    this.size = size;
  }

  #at(turn: number): [number, number] {
    return [this.size[0] * Math.sin(turn), this.size[1] * Math.sin(2 * turn)];
  }

  /** Goes on by seconds for somebody who stands at `from`, metres from the path's middle. */
  next(from: { x: number; z: number }, slow: number, fast: number, seconds: number): ControlWant {
    if (this.#rest > 0) {
      this.#rest -= seconds;
      return STAY;
    }
    // The point ahead waits until it is nearly reached.
    const ahead = 0.5 + 0.25 * this.#speed(slow, fast);
    for (let i = 0; i < 200; i++) {
      const [x, z] = this.#at(this.#turn);
      if (Math.hypot(x - from.x, z - from.z) > ahead) break;
      this.#turn += 0.01;
    }
    const round = Math.floor(this.#turn / (2 * Math.PI));
    if (round > this.#rounds) {
      this.#rounds = round;
      this.#rest = 1.6;
    }
    const [x, z] = this.#at(this.#turn);
    return { direction: [x - from.x, z - from.z], speed: this.#speed(slow, fast) };
  }

  /** Slow on the first half of a round, fast on the second. */
  #speed(slow: number, fast: number): number {
    return Math.sin(this.#turn) >= 0 ? slow : fast;
  }
}
