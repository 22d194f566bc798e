/** Math of ground poses: position and heading of a root. */
import { multiply, rotate, type Rotation, type Vector } from "../bones/rotation.js";

/** Position on the ground, in units of the model's parent, and heading, radians about +Y. */
export interface GroundPose {
  x: number;
  z: number;
  heading: number;
}

/** The ground pose at the origin. */
export const ORIGIN: GroundPose = { x: 0, z: 0, heading: 0 };

/** Returns the world ground pose of a ground pose `b` that is relative to `a`. */
export function compose(a: GroundPose, b: GroundPose): GroundPose {
  const [sine, cosine] = [Math.sin(a.heading), Math.cos(a.heading)];
  return {
    x: a.x + b.x * cosine + b.z * sine,
    z: a.z - b.x * sine + b.z * cosine,
    heading: a.heading + b.heading,
  };
}

/** Returns `b` relative to `a`. */
export function relativePose(a: GroundPose, b: GroundPose): GroundPose {
  const [sine, cosine] = [Math.sin(a.heading), Math.cos(a.heading)];
  const [x, z] = [b.x - a.x, b.z - a.z];
  return { x: x * cosine - z * sine, z: x * sine + z * cosine, heading: b.heading - a.heading };
}

/** Returns the movement of `count` equal movements one after another, in closed form. */
export function repeat({ x, z, heading }: GroundPose, count: number): GroundPose {
  const sine = Math.sin(heading / 2);
  // The sum of a geometric series of rotations.
  const factor = Math.abs(sine) < 1e-9 ? count : Math.sin((count * heading) / 2) / sine;
  const turn = compose(
    { x: 0, z: 0, heading: ((count - 1) * heading) / 2 },
    { x: x * factor, z: z * factor, heading: 0 },
  );
  return { x: turn.x, z: turn.z, heading: count * heading };
}

/** Interpolates linearly from `a` to `b`; headings are not wrapped. `weight`: the weight of `b`, 0 to 1. */
export const interpolate = (a: GroundPose, b: GroundPose, weight: number): GroundPose => ({
  x: a.x + (b.x - a.x) * weight,
  z: a.z + (b.z - a.z) * weight,
  heading: a.heading + (b.heading - a.heading) * weight,
});

/** Returns the rotation about +Y by a heading. */
export const headingRotation = (heading: number): Rotation => [0, Math.sin(heading / 2), 0, Math.cos(heading / 2)];

/** Returns the heading of a rotation: its twist about +Y, between -π and π. */
export const headingOf = ([, y, , w]: Rotation): number => wrapAngle(2 * Math.atan2(y, w));

/** Wraps an angle to the range from -π to π. */
export const wrapAngle = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

/** Converts a world rotation and position to values relative to `ground`. */
export function toLocal(ground: GroundPose, rotation: Rotation, [x, y, z]: Vector): [Rotation, Vector] {
  const toHeading = headingRotation(-ground.heading);
  return [multiply(toHeading, rotation), rotate(toHeading, [x - ground.x, y, z - ground.z])];
}
