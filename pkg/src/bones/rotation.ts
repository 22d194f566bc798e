/** Math of rotations (unit quaternions) and vectors, as plain arrays. */

/** A vector or a point. */
export type Vector = readonly [x: number, y: number, z: number];
/** A rotation as a unit quaternion. */
export type Rotation = readonly [x: number, y: number, z: number, w: number];

/** The identity rotation. */
export const IDENTITY: Rotation = [0, 0, 0, 1];

/** Returns the rotation `b` followed by `a`. */
export function multiply([ax, ay, az, aw]: Rotation, [bx, by, bz, bw]: Rotation): Rotation {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

/** Returns the inverse rotation. */
export const invert = ([x, y, z, w]: Rotation): Rotation => [-x, -y, -z, w];

/** Rotates a vector by a unit quaternion. */
export function rotate([x, y, z, w]: Rotation, [vx, vy, vz]: Vector): Vector {
  const tx = 2 * (y * vz - z * vy);
  const ty = 2 * (z * vx - x * vz);
  const tz = 2 * (x * vy - y * vx);
  return [vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx];
}

/** Scales a quaternion to unit length; returns the identity if its length is zero. */
export function normalize([x, y, z, w]: Rotation): Rotation {
  const length = Math.hypot(x, y, z, w);
  return length > 1e-9 ? [x / length, y / length, z / length, w / length] : IDENTITY;
}

/** Adds two vectors. */
export const add = ([ax, ay, az]: Vector, [bx, by, bz]: Vector): Vector => [ax + bx, ay + by, az + bz];
/** Subtracts `b` from `a`. */
export const subtract = ([ax, ay, az]: Vector, [bx, by, bz]: Vector): Vector => [ax - bx, ay - by, az - bz];
/** Multiplies a vector by a number. */
export const scaleBy = ([x, y, z]: Vector, factor: number): Vector => [x * factor, y * factor, z * factor];

/** Returns the cosine of half the angle between two rotations, 0 to 1. */
export const halfAngleCosine = (a: Rotation, b: Rotation): number =>
  Math.abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);

/** Interpolates spherically from `a` to `b` along the shorter arc; `weight`: the weight of `b`, 0 to 1. */
export function slerp(a: Rotation, b: Rotation, weight: number): Rotation {
  let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = cosine < 0 ? -1 : 1;
  cosine *= sign;
  const angle = Math.acos(Math.min(1, cosine));
  const sine = Math.sin(angle);
  const [weightA, weightB] =
    sine < 1e-6 ? [1 - weight, weight] : [Math.sin((1 - weight) * angle) / sine, Math.sin(weight * angle) / sine];
  return normalize([0, 1, 2, 3].map((i) => a[i as 0] * weightA + b[i as 0] * weightB * sign) as unknown as Rotation);
}

/** The 24 rotations that map every axis to an axis; each occurs twice, as q and -q. */
const RIGHT_ANGLE_ROTATIONS: readonly Rotation[] = Array.from({ length: 81 }, (_, i) =>
  [0, 1, 2, 3].map((power) => (Math.floor(i / 3 ** power) % 3) - 1),
)
  .filter((parts) => [1, 2, 4].includes(parts.filter(Boolean).length))
  .map((parts) => normalize(parts as unknown as Rotation));

/** Returns the nearest rotation that maps every axis to an axis. */
export const roundToRightAngles = (rotation: Rotation): Rotation =>
  RIGHT_ANGLE_ROTATIONS.reduce((nearest, candidate) =>
    halfAngleCosine(candidate, rotation) > halfAngleCosine(nearest, rotation) ? candidate : nearest,
  );

/** Returns the length of a vector. */
export const length = (vector: Vector): number => Math.hypot(...vector);
/** Returns the dot product. */
export const dot = ([ax, ay, az]: Vector, [bx, by, bz]: Vector): number => ax * bx + ay * by + az * bz;
/** Returns the cross product. */
export const cross = ([ax, ay, az]: Vector, [bx, by, bz]: Vector): Vector => [
  ay * bz - az * by,
  az * bx - ax * bz,
  ax * by - ay * bx,
];
