/** Rotations as unit quaternions, and vectors, as plain arrays. */

export type Vector = readonly [x: number, y: number, z: number];
/** A rotation as a unit quaternion. */
export type Turn = readonly [x: number, y: number, z: number, w: number];

/** The identity rotation. */
export const NO_TURN: Turn = [0, 0, 0, 1];

/** The rotation `b` followed by `a`. */
export function times([ax, ay, az, aw]: Turn, [bx, by, bz, bw]: Turn): Turn {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

/** The inverse rotation. */
export const back = ([x, y, z, w]: Turn): Turn => [-x, -y, -z, w];

/** A vector rotated by a unit quaternion. */
export function turned([x, y, z, w]: Turn, [vx, vy, vz]: Vector): Vector {
  const tx = 2 * (y * vz - z * vy);
  const ty = 2 * (z * vx - x * vz);
  const tz = 2 * (x * vy - y * vx);
  return [vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx];
}

/** The quaternion scaled to unit length; the identity for one of length zero. */
export function unit([x, y, z, w]: Turn): Turn {
  const length = Math.hypot(x, y, z, w);
  return length > 1e-9 ? [x / length, y / length, z / length, w / length] : NO_TURN;
}

/** Sum of two vectors. */
export const plus = ([ax, ay, az]: Vector, [bx, by, bz]: Vector): Vector => [ax + bx, ay + by, az + bz];
/** Difference of two vectors. */
export const minus = ([ax, ay, az]: Vector, [bx, by, bz]: Vector): Vector => [ax - bx, ay - by, az - bz];
/** Product of a vector and a number. */
export const scaled = ([x, y, z]: Vector, by: number): Vector => [x * by, y * by, z * by];

/** Cosine of half the angle between two turns, 0 to 1. */
export const alike = (a: Turn, b: Turn): number => Math.abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);

/** Slerp between two rotations. */
export function between(a: Turn, b: Turn, share: number): Turn {
  let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = cosine < 0 ? -1 : 1;
  cosine *= sign;
  const angle = Math.acos(Math.min(1, cosine));
  const sine = Math.sin(angle);
  const [from, to] =
    sine < 1e-6 ? [1 - share, share] : [Math.sin((1 - share) * angle) / sine, Math.sin(share * angle) / sine];
  return unit([0, 1, 2, 3].map((i) => a[i as 0] * from + b[i as 0] * to * sign) as unknown as Turn);
}

/** The 24 rotations that map axes to axes. */
const SQUARE: readonly Turn[] = Array.from({ length: 81 }, (_, i) =>
  [0, 1, 2, 3].map((power) => (Math.floor(i / 3 ** power) % 3) - 1),
)
  .filter((parts) => [1, 2, 4].includes(parts.filter(Boolean).length))
  .map((parts) => unit(parts as unknown as Turn));

/** The nearest rotation by right angles. */
export const squared = (turn: Turn): Turn =>
  SQUARE.reduce((best, next) => (alike(next, turn) > alike(best, turn) ? next : best));
