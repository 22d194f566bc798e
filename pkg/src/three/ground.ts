/** Ground poses: position and heading of a root. */
import { times, turned, type Turn, type Vector } from "../bones/turn.js";

/** Position on the ground, in units of the model's parent, and heading, radians about +Y. */
export interface Ground {
  x: number;
  z: number;
  heading: number;
}

export const ORIGIN: Ground = { x: 0, z: 0, heading: 0 };

/** World ground pose of `b`, which is relative to `a`. */
export function compose(a: Ground, b: Ground): Ground {
  const [sine, cosine] = [Math.sin(a.heading), Math.cos(a.heading)];
  return {
    x: a.x + b.x * cosine + b.z * sine,
    z: a.z - b.x * sine + b.z * cosine,
    heading: a.heading + b.heading,
  };
}

/** `b` relative to `a`. */
export function between(a: Ground, b: Ground): Ground {
  const [sine, cosine] = [Math.sin(a.heading), Math.cos(a.heading)];
  const [x, z] = [b.x - a.x, b.z - a.z];
  return { x: x * cosine - z * sine, z: x * sine + z * cosine, heading: b.heading - a.heading };
}

/** Linear interpolation from `a` to `b`; headings are not wrapped. */
export const mixed = (a: Ground, b: Ground, share: number): Ground => ({
  x: a.x + (b.x - a.x) * share,
  z: a.z + (b.z - a.z) * share,
  heading: a.heading + (b.heading - a.heading) * share,
});

/** Rotation with a heading. */
export const headingTurn = (heading: number): Turn => [0, Math.sin(heading / 2), 0, Math.cos(heading / 2)];

/** Heading of a rotation: its part about +Y, between -π and π. */
export const headingOf = ([, y, , w]: Turn): number => nearZero(2 * Math.atan2(y, w));

/** The angle wrapped to -π to π. */
export const nearZero = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

/** A world rotation and position, relative to `ground`. */
export function seenFrom(ground: Ground, turn: Turn, [x, y, z]: Vector): [Turn, Vector] {
  const aside = headingTurn(-ground.heading);
  return [times(aside, turn), turned(aside, [x - ground.x, y, z - ground.z])];
}
