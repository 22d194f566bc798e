/** Converts sticks, goals and the demo path to the input of a character. Does not use the DOM. */
import type { ControlInput } from "kinestitch/worker";
import type { GroundPose } from "../../viewer/handles";

/** A stick: right and forward, each -1 to 1, relative to the camera. */
export interface Stick {
  right: number;
  forward: number;
}

/** Deflection below which a stick is at rest: sticks do not return to exactly zero. */
export const DEAD_ZONE = 0.15;
/** Distances from a goal at which a character stops, slows down, and turns to the final heading, metres. */
const [STOP_DISTANCE, SLOW_DISTANCE, TURN_DISTANCE] = [0.25, 1.2, 0.8];
/** Distances of a following character to the left of the other character, and behind it, metres. */
const [LEFT_DISTANCE, BEHIND_DISTANCE] = [0.9, 0.5];

/** Input of a character that stands still. */
export const STAND_STILL: ControlInput = { direction: [0, 0], speed: 0 };

/** Returns the deflection of a stick without its dead zone, 0 to 1. */
export function deflection({ right, forward }: Stick): number {
  const length = Math.hypot(right, forward);
  return length > DEAD_ZONE ? Math.min(1, (length - DEAD_ZONE) / (1 - DEAD_ZONE)) : 0;
}

/** Returns the input that moves in the direction of a stick. `heading`: of the camera, radians from +z towards +x. */
export function stickToInput(stick: Stick, heading: number, speed: number): ControlInput {
  const fraction = deflection(stick);
  if (fraction === 0) return STAND_STILL;
  const [sin, cos] = [Math.sin(heading), Math.cos(heading)];
  const { right, forward } = stick;
  return { direction: [sin * forward - cos * right, cos * forward + sin * right], speed: speed * fraction };
}

/** Returns the input that moves to a ground pose, and slows down before it. */
export function goalToInput(from: { x: number; z: number }, goal: GroundPose, speed: number): ControlInput {
  const [x, z] = [goal.x - from.x, goal.z - from.z];
  const distance = Math.hypot(x, z);
  const facing = distance < TURN_DISTANCE ? { facing: goal.heading } : {};
  if (distance < STOP_DISTANCE) return { ...STAND_STILL, ...facing };
  return { direction: [x, z], speed: Math.min(speed, speed * Math.max(0.25, distance / SLOW_DISTANCE)), ...facing };
}

/** Returns the ground pose of a following character: to the left of the other character, and a little behind it. */
export function poseBeside({ x, z, heading }: GroundPose): GroundPose {
  const [sin, cos] = [Math.sin(heading), Math.cos(heading)];
  return {
    x: x + cos * LEFT_DISTANCE - sin * BEHIND_DISTANCE,
    z: z - sin * LEFT_DISTANCE - cos * BEHIND_DISTANCE,
    heading,
  };
}

/** The demo: a figure of eight with a stop, alternating between walking and jogging. */
export class DemoPath {
  /** Half length and half width, metres. */
  readonly size: readonly [number, number];
  /** Position of the target point on the path, radians: 2π per round. */
  #angle = 0;
  /** Remaining time of the stop, seconds. */
  #stopSecs = 0;
  #rounds = 0;

  constructor(size: readonly [number, number]) {
    this.size = size;
  }

  #pointAt(angle: number): [number, number] {
    return [this.size[0] * Math.sin(angle), this.size[1] * Math.sin(2 * angle)];
  }

  /**
   * Advances by `seconds`, and returns the input that follows the path. `from`: position of the character, metres from
   * the middle of the path; `slow`, `fast`: speeds on its halves, m/s.
   */
  next(from: { x: number; z: number }, slow: number, fast: number, seconds: number): ControlInput {
    if (this.#stopSecs > 0) {
      this.#stopSecs -= seconds;
      return STAND_STILL;
    }
    // The target point moves on when the character is nearer than this distance.
    const targetDistance = 0.5 + 0.25 * this.#speed(slow, fast);
    for (let i = 0; i < 200; i++) {
      const [x, z] = this.#pointAt(this.#angle);
      if (Math.hypot(x - from.x, z - from.z) > targetDistance) break;
      this.#angle += 0.01;
    }
    const round = Math.floor(this.#angle / (2 * Math.PI));
    if (round > this.#rounds) {
      this.#rounds = round;
      this.#stopSecs = 1.6;
    }
    const [x, z] = this.#pointAt(this.#angle);
    return { direction: [x - from.x, z - from.z], speed: this.#speed(slow, fast) };
  }

  /** Returns the speed: slow on the first half of a round, fast on the second. */
  #speed(slow: number, fast: number): number {
    return Math.sin(this.#angle) >= 0 ? slow : fast;
  }
}
