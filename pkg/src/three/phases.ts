/** Phases of a clip: the time in strides, so that the steps of several clips coincide. */
import { subtract, type Vector } from "../bones/rotation.js";
import type { Transform } from "../bones/rest.js";
import type { Body } from "./body.js";
import type { ClipMotion } from "./clip-motion.js";

/** Minimum swing of a foot in front of the hips, in heights of the hips; below it, a clip has no steps. */
const MIN_SWING = 0.12;

/** Converts the time of a loop to its phase, and back: linear between markers. */
export class Phases {
  /** Number of strides in the clip. */
  readonly strides: number;
  readonly seconds: number;
  /** Times of the markers, and their phases: increasing, over one cycle and a bit on both sides. */
  readonly #times: number[];
  readonly #phases: number[];

  /** `markers`: times of markers that are evenly spaced in phase, the first one at phase 0. */
  constructor(markers: readonly number[], seconds: number, strides: number) {
    this.strides = strides;
    this.seconds = seconds;
    const step = strides / markers.length;
    this.#times = [...[-seconds, 0, seconds].flatMap((shift) => markers.map((time) => time + shift))];
    this.#phases = this.#times.map((_, i) => (i - markers.length) * step);
  }

  /** Mean duration of a stride, seconds. */
  get strideSeconds(): number {
    return this.seconds / this.strides;
  }

  /** Wraps a phase to one cycle of the clip. */
  offset(phase: number): number {
    // The time of phase 0 is not the start of the clip; cycles are counted from the start of the clip.
    const start = interpolate(this.#times, this.#phases, 0);
    return ((((phase - start) % this.strides) + this.strides) % this.strides) + start;
  }

  /** Returns the time of a phase, seconds: from 0 to the end of the clip. */
  timeAt(phase: number): number {
    const time = interpolate(this.#phases, this.#times, this.offset(phase));
    return Math.min(this.seconds, Math.max(0, time));
  }

  /** Returns the phase of a time, from 0. */
  phaseAt(time: number): number {
    const phase = interpolate(this.#times, this.#phases, time);
    return ((phase % this.strides) + this.strides) % this.strides;
  }
}

/** Interpolates linearly; `xs` are increasing. */
function interpolate(xs: readonly number[], ys: readonly number[], x: number): number {
  let upper = xs.findIndex((value) => value > x);
  if (upper < 0) upper = xs.length - 1;
  upper = Math.max(1, upper);
  const [x0, x1, y0, y1] = [xs[upper - 1], xs[upper], ys[upper - 1], ys[upper]] as [number, number, number, number];
  return x1 > x0 ? y0 + ((x - x0) / (x1 - x0)) * (y1 - y0) : y0;
}

/**
 * Finds the phases of a clip by its feet: phase 0 is where the left foot passes the right one. Returns
 * `undefined` for a clip without steps.
 */
export function findFootMarkers(body: Body, motion: ClipMotion, feet: readonly number[]): Phases | undefined {
  const count = motion.count - 1;
  // Distance of the left foot in front of the right one at each sample; it does not depend on the sway of the hips.
  const places = Array.from({ length: count }, (_, sample) => {
    const pose = motion.inPlace(motion.timeOf(sample));
    const [left, right] = feet.map((bone) => body.worldTransform(pose, bone).position) as [Vector, Vector];
    return subtract(left, right);
  });
  const forwards = forwardsOf(body, feet);
  const swing = places.map(([x, , z]) => x * forwards[0] + z * forwards[1]);
  const [low, high] = [Math.min(...swing), Math.max(...swing)];
  if (high - low < MIN_SWING * body.hipsHeight) return undefined;
  const middle = (high + low) / 2;
  const crossings: number[] = [];
  for (let sample = 0; sample < count; sample++) {
    const [now, next] = [swing[sample] as number, swing[(sample + 1) % count] as number];
    if (now < middle && next >= middle) crossings.push(sample + (middle - now) / (next - now));
  }
  // Small back and forth movements around the middle are no strides.
  const strides = crossings.filter((crossing, i) => i === 0 || crossing - (crossings[i - 1] as number) > 5);
  if (strides.length === 0) return undefined;
  return new Phases(
    strides.map((crossing) => (crossing / count) * motion.seconds),
    motion.seconds,
    strides.length,
  );
}

/** Returns the direction in which the body at rest faces: from the feet to the toes, or +z. */
export function forwardsOf(body: Body, feet: readonly number[]): readonly [number, number] {
  const { bones } = body.character.rest;
  for (const foot of feet)
    for (const toe of body.childrenOf(foot)) {
      const [x, , z] = subtract((bones[toe] as Transform).position, (bones[foot] as Transform).position);
      const size = Math.hypot(x, z);
      if (size > 0.02 * body.hipsHeight) return [x / size, z / size];
    }
  return [0, 1];
}
