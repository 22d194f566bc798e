/** Finds the steps of a model from its displayed poses. */
import { subtract } from "../bones/rotation.js";
import type { Body, Pose } from "./body.js";
import { forwardsOf } from "./phases.js";

/** Distance that a foot moves back from its foremost position before it counts as set down, in heights of the hips. */
const RETURN = 0.04;
/** Minimum distance between the foremost and the rearmost position of a foot, in heights of the hips. */
const STRIDE = 0.15;

/** A foot of the model. */
export type Foot = "left" | "right";

interface FootState {
  bone: number;
  /** Largest and smallest distance in front of the hips since the last change of direction. */
  front: number;
  back: number;
  isSwinging: boolean;
}

/**
 * Detects steps: a foot that swings forwards relative to the hips, and then moves back. This works for clips that travel,
 * for clips in place and for transitions, where a foot may never rest on the ground.
 */
export class Steps {
  readonly #body: Body;
  readonly #feet: FootState[];
  readonly #height: number;
  readonly #forwards: readonly [number, number];

  /** `feet`: the bones of the left and of the right foot. */
  constructor(body: Body, feet: readonly number[]) {
    this.#body = body;
    this.#height = body.hipsHeight;
    this.#forwards = forwardsOf(body, feet);
    this.#feet = feet.map((bone) => ({ bone, front: -Infinity, back: Infinity, isSwinging: false }));
  }

  /** Takes a displayed pose, relative to the model. Returns the feet that were set down since the last one. */
  advance(pose: Pose): Foot[] {
    const hips = this.#body.worldTransform(pose, this.#body.hips).position;
    const forwards = this.#forwards;
    return this.#feet.flatMap((foot, side) => {
      const [x, , z] = subtract(this.#body.worldTransform(pose, foot.bone).position, hips);
      const place = (x * forwards[0] + z * forwards[1]) / this.#height;
      return this.#isSetDown(foot, place) ? [side === 0 ? "left" : ("right" as const)] : [];
    });
  }

  #isSetDown(foot: FootState, place: number): boolean {
    if (foot.isSwinging) {
      foot.front = Math.max(foot.front, place);
      if (place > foot.front - RETURN) return false;
      foot.isSwinging = false;
      foot.back = place;
      return true;
    }
    foot.back = Math.min(foot.back, place);
    if (place > foot.back + STRIDE) {
      foot.isSwinging = true;
      foot.front = place;
    }
    return false;
  }
}
