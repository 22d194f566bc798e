/** Converts sticks, keys, goals and paths to requests for a character. Needs no page. */
import type { ControlInput } from "kinestitch/worker";
import type { GroundPose } from "../../viewer/handles";

/** A stick: right and forward, each -1 to 1, relative to the camera. */
export interface Stick {
  right: number;
  forward: number;
}

/** Dead zone: sticks do not return to exactly zero. */
const DEAD = 0.15;
/** Distances from a goal, metres: arrival, slowing down, turning to the final heading. */
const [THERE, NEAR, TURN] = [0.25, 1.2, 0.8];
/** Position of a following character: metres beside the other, and behind. */
const [BESIDE, BEHIND] = [0.9, 0.5];

/** Request to stand still. */
export const STAY: ControlInput = { direction: [0, 0], speed: 0 };

/** Deflection of a stick, 0 to 1. */
export function push({ right, forward }: Stick): number {
  const length = Math.hypot(right, forward);
  return length > DEAD ? Math.min(1, (length - DEAD) / (1 - DEAD)) : 0;
}

/** Moves in the direction of a stick, for a camera with this `heading`, radians from +z towards +x. */
export function byStick(stick: Stick, heading: number, speed: number): ControlInput {
  const share = push(stick);
  if (share === 0) return STAY;
  const [sin, cos] = [Math.sin(heading), Math.cos(heading)];
  const { right, forward } = stick;
  return { direction: [sin * forward - cos * right, cos * forward + sin * right], speed: speed * share };
}

/** Moves to a ground pose, slowing down before it. */
export function toGoal(from: { x: number; z: number }, goal: GroundPose, speed: number): ControlInput {
  const [x, z] = [goal.x - from.x, goal.z - from.z];
  const far = Math.hypot(x, z);
  const facing = far < TURN ? { facing: goal.heading } : {};
  if (far < THERE) return { ...STAY, ...facing };
  return { direction: [x, z], speed: Math.min(speed, speed * Math.max(0.25, far / NEAR)), ...facing };
}

/** Position of a following character: to the left of the other, a little behind. */
export function beside({ x, z, heading }: GroundPose): GroundPose {
  const [sin, cos] = [Math.sin(heading), Math.cos(heading)];
  return { x: x + cos * BESIDE - sin * BEHIND, z: z - sin * BESIDE - cos * BEHIND, heading };
}

/** The demo: a figure of eight with a stop, alternating between walking and jogging. */
export class DemoPath {
  /** Half length and half width, metres. */
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

  /** Advances by seconds, for a character at `from`, metres from the path's middle. */
  next(from: { x: number; z: number }, slow: number, fast: number, seconds: number): ControlInput {
    if (this.#rest > 0) {
      this.#rest -= seconds;
      return STAY;
    }
    // The target point waits until it is nearly reached.
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
