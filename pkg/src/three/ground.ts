/** Places on the ground: where a root stands and where it faces. */
import { times, turned, type Turn, type Vector } from "../bones/turn.js";

/** Place on the ground, in units of the model's parent, and heading, radians about +Y. */
export interface Ground {
  x: number;
  z: number;
  heading: number;
}

export const ORIGIN: Ground = { x: 0, z: 0, heading: 0 };

/** `b`, which is given as seen from `a`, in the world of `a`. */
export function compose(a: Ground, b: Ground): Ground {
  const [sine, cosine] = [Math.sin(a.heading), Math.cos(a.heading)];
  return {
    x: a.x + b.x * cosine + b.z * sine,
    z: a.z - b.x * sine + b.z * cosine,
    heading: a.heading + b.heading,
  };
}

/** `b` as seen from `a`. */
export function between(a: Ground, b: Ground): Ground {
  const [sine, cosine] = [Math.sin(a.heading), Math.cos(a.heading)];
  const [x, z] = [b.x - a.x, b.z - a.z];
  return { x: x * cosine - z * sine, z: x * sine + z * cosine, heading: b.heading - a.heading };
}

/** A straight line from `a` to `b`; headings are taken as they are. */
export const mixed = (a: Ground, b: Ground, share: number): Ground => ({
  x: a.x + (b.x - a.x) * share,
  z: a.z + (b.z - a.z) * share,
  heading: a.heading + (b.heading - a.heading) * share,
});

/** The turn of a heading. */
export const headingTurn = (heading: number): Turn => [0, Math.sin(heading / 2), 0, Math.cos(heading / 2)];

/** The heading of a turn: its part about +Y, between -π and π. */
export const headingOf = ([, y, , w]: Turn): number => nearZero(2 * Math.atan2(y, w));

/** The same angle between -π and π. */
export const nearZero = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

/** A turn and a place of the world, as seen from `ground`. */
export function seenFrom(ground: Ground, turn: Turn, [x, y, z]: Vector): [Turn, Vector] {
  const aside = headingTurn(-ground.heading);
  return [times(aside, turn), turned(aside, [x - ground.x, y, z - ground.z])];
}
