/** Column-major matrices of glTF as positions and rotations. */
import type { Placed } from "../bones/rest.js";
import { back, scaled, turned, type Turn, unit } from "../bones/turn.js";

/** Transform of the bone with this inverse bind matrix. Bones are scaled uniformly. */
export function inverted(matrix: readonly number[]): Placed {
  const [a = 1, b = 0, c = 0, , d = 0, e = 1, f = 0, , g = 0, h = 0, i = 1, , x = 0, y = 0, z = 0] = matrix;
  const scale = Math.cbrt(Math.abs(a * (e * i - f * h) - d * (b * i - c * h) + g * (b * f - c * e))) || 1;
  const turn = back(turnOf([a, b, c, d, e, f, g, h, i].map((value) => value / scale)));
  return { place: scaled(turned(turn, [x, y, z]), -1 / scale), turn };
}

/** The rotation of a matrix (Shepperd 1978). */
function turnOf(matrix: readonly number[]): Turn {
  const [a = 1, b = 0, c = 0, d = 0, e = 1, f = 0, g = 0, h = 0, i = 1] = matrix;
  const trace = a + e + i;
  if (trace > 0) return unit([f - h, g - c, b - d, 1 + trace]);
  if (a >= e && a >= i) return unit([1 + a - e - i, b + d, g + c, f - h]);
  if (e >= i) return unit([b + d, 1 + e - a - i, f + h, g - c]);
  return unit([g + c, f + h, 1 + i - a - e, b - d]);
}
