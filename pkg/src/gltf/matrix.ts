/** Converts column-major matrices of glTF to positions and rotations. */
import type { Transform } from "../bones/rest.js";
import { invert, scaleBy, rotate, type Rotation, normalize } from "../bones/rotation.js";

/** Returns the transform of the bone with this inverse bind matrix. Assumes that bones are scaled uniformly. */
export function invertBindMatrix(matrix: readonly number[]): Transform {
  const [a = 1, b = 0, c = 0, , d = 0, e = 1, f = 0, , g = 0, h = 0, i = 1, , x = 0, y = 0, z = 0] = matrix;
  const scale = Math.cbrt(Math.abs(a * (e * i - f * h) - d * (b * i - c * h) + g * (b * f - c * e))) || 1;
  const rotation = invert(toRotation([a, b, c, d, e, f, g, h, i].map((value) => value / scale)));
  return { position: scaleBy(rotate(rotation, [x, y, z]), -1 / scale), rotation };
}

/** Converts a 3 × 3 rotation matrix to a quaternion (Shepperd 1978). */
function toRotation(matrix: readonly number[]): Rotation {
  const [a = 1, b = 0, c = 0, d = 0, e = 1, f = 0, g = 0, h = 0, i = 1] = matrix;
  const trace = a + e + i;
  if (trace > 0) return normalize([f - h, g - c, b - d, 1 + trace]);
  if (a >= e && a >= i) return normalize([1 + a - e - i, b + d, g + c, f - h]);
  if (e >= i) return normalize([b + d, 1 + e - a - i, f + h, g - c]);
  return normalize([g + c, f + h, 1 + i - a - e, b - d]);
}
