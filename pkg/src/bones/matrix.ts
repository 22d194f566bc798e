/**
 * Math of 4 × 4 matrices: column-major, as in glTF and three.js, in arrays that hold one or many matrices. Functions
 * take an array and the offset of a matrix in it.
 */
import { IDENTITY, normalize, type Rotation, type Vector } from "./rotation.js";

/** Numbers of a matrix, or of several matrices one after another. */
export type Matrices = Float64Array;

/** Smallest ratio of the shortest to the longest column at which a matrix has a rotation. */
const MIN_COLUMN_RATIO = 1e-6;
/** Largest cosine of the angle between two columns at which they are perpendicular. */
const MAX_SKEW = 1e-6;
/** Iterations of the polar decomposition; it converges quadratically, and matrices of bodies need four to seven. */
const POLAR_STEPS = 24;

/** Returns an identity matrix. */
export function identityMatrix(): Matrices {
  const matrix = new Float64Array(16);
  matrix[0] = matrix[5] = matrix[10] = matrix[15] = 1;
  return matrix;
}

/** Writes the matrix of a translation, rotation and scale. */
export function compose(
  out: Matrices,
  offset: number,
  [tx, ty, tz]: Vector,
  [x, y, z, w]: Rotation,
  [sx, sy, sz]: Vector,
): void {
  const [x2, y2, z2] = [x + x, y + y, z + z];
  out[offset] = (1 - (y * y2 + z * z2)) * sx;
  out[offset + 1] = (x * y2 + w * z2) * sx;
  out[offset + 2] = (x * z2 - w * y2) * sx;
  out[offset + 3] = 0;
  out[offset + 4] = (x * y2 - w * z2) * sy;
  out[offset + 5] = (1 - (x * x2 + z * z2)) * sy;
  out[offset + 6] = (y * z2 + w * x2) * sy;
  out[offset + 7] = 0;
  out[offset + 8] = (x * z2 + w * y2) * sz;
  out[offset + 9] = (y * z2 - w * x2) * sz;
  out[offset + 10] = (1 - (x * x2 + y * y2)) * sz;
  out[offset + 11] = 0;
  out[offset + 12] = tx;
  out[offset + 13] = ty;
  out[offset + 14] = tz;
  out[offset + 15] = 1;
}

/** Writes the product a · b of two affine matrices; `out` must not overlap the inputs. */
export function multiplyMatrices(
  out: Matrices,
  offset: number,
  [a, aOffset]: readonly [Matrices, number],
  [b, bOffset]: readonly [Matrices, number],
): void {
  for (let column = 0; column < 4; column++) {
    const at = bOffset + column * 4;
    const [x, y, z, w] = [b[at] as number, b[at + 1] as number, b[at + 2] as number, column === 3 ? 1 : 0];
    for (let row = 0; row < 3; row++)
      out[offset + column * 4 + row] =
        (a[aOffset + row] as number) * x +
        (a[aOffset + 4 + row] as number) * y +
        (a[aOffset + 8 + row] as number) * z +
        (a[aOffset + 12 + row] as number) * w;
    out[offset + column * 4 + 3] = w;
  }
}

/** Returns the determinant of the linear part. */
export function determinant(m: Matrices, offset = 0): number {
  const [a, b, c] = [m[offset] as number, m[offset + 1] as number, m[offset + 2] as number];
  const [d, e, f] = [m[offset + 4] as number, m[offset + 5] as number, m[offset + 6] as number];
  const [g, h, i] = [m[offset + 8] as number, m[offset + 9] as number, m[offset + 10] as number];
  return a * (e * i - f * h) - d * (b * i - c * h) + g * (b * f - c * e);
}

/** Returns the inverse of an affine matrix; `undefined` if it has none, or is not finite. */
export function invertMatrix(m: Matrices, offset = 0): Matrices | undefined {
  const det = determinant(m, offset);
  const size = Math.max(...[0, 4, 8].map((column) => columnLength(m, offset + column)));
  if (!Number.isFinite(det) || !(Math.abs(det) > 1e-12 * size ** 3)) return undefined;
  const [a, b, c] = [m[offset] as number, m[offset + 1] as number, m[offset + 2] as number];
  const [d, e, f] = [m[offset + 4] as number, m[offset + 5] as number, m[offset + 6] as number];
  const [g, h, i] = [m[offset + 8] as number, m[offset + 9] as number, m[offset + 10] as number];
  const out = new Float64Array(16);
  out[0] = (e * i - f * h) / det;
  out[1] = (c * h - b * i) / det;
  out[2] = (b * f - c * e) / det;
  out[4] = (f * g - d * i) / det;
  out[5] = (a * i - c * g) / det;
  out[6] = (c * d - a * f) / det;
  out[8] = (d * h - e * g) / det;
  out[9] = (b * g - a * h) / det;
  out[10] = (a * e - b * d) / det;
  const [x, y, z] = applyLinear(out, 0, positionOf(m, offset));
  [out[12], out[13], out[14], out[15]] = [-x, -y, -z, 1];
  return out.every(Number.isFinite) ? out : undefined;
}

/** Returns the translation of a matrix. */
export const positionOf = (m: Matrices, offset = 0): Vector => [
  m[offset + 12] as number,
  m[offset + 13] as number,
  m[offset + 14] as number,
];

/** Transforms a direction. */
export function applyLinear(m: Matrices, offset: number, [x, y, z]: Vector): Vector {
  const row = (i: number): number =>
    (m[offset + i] as number) * x + (m[offset + 4 + i] as number) * y + (m[offset + 8 + i] as number) * z;
  return [row(0), row(1), row(2)];
}

/** Transforms a point. */
export function applyMatrix(m: Matrices, offset: number, point: Vector): Vector {
  const [x, y, z] = applyLinear(m, offset, point);
  return [x + (m[offset + 12] as number), y + (m[offset + 13] as number), z + (m[offset + 14] as number)];
}

const columnLength = (m: Matrices, at: number): number =>
  Math.sqrt((m[at] as number) ** 2 + (m[at + 1] as number) ** 2 + (m[at + 2] as number) ** 2);

/** Returns the lengths of the columns of the linear part, the first one negative if the matrix mirrors. */
export function scaleOf(m: Matrices, offset = 0): Vector {
  const [x, y, z] = [columnLength(m, offset), columnLength(m, offset + 4), columnLength(m, offset + 8)];
  return [determinant(m, offset) < 0 ? -x : x, y, z];
}

/**
 * Returns the rotation that is nearest to the linear part of a matrix (its polar decomposition), whatever its scale and
 * skew. A matrix that mirrors is negated first: the rotation from one pose to another is then the same as without the
 * mirror. `undefined` if the matrix has no rotation, such as that of a node scaled to zero.
 */
export function rotationOf(m: Matrices, offset = 0): Rotation | undefined {
  const [x, y, z] = [columnLength(m, offset), columnLength(m, offset + 4), columnLength(m, offset + 8)];
  const shortest = Math.min(x, y, z);
  if (!(shortest > 1e-30 && shortest > MIN_COLUMN_RATIO * Math.max(x, y, z)) || !Number.isFinite(x + y + z))
    return undefined;
  const sign = determinant(m, offset) < 0 ? -1 : 1;
  const q = new Float64Array(9);
  for (let row = 0; row < 3; row++) {
    q[row] = (sign * (m[offset + row] as number)) / x;
    q[3 + row] = (sign * (m[offset + 4 + row] as number)) / y;
    q[6 + row] = (sign * (m[offset + 8 + row] as number)) / z;
  }
  // Columns that are perpendicular are a rotation and a scale. Only skewed ones need the decomposition, which starts
  // from the matrix itself.
  if (isSkewed(q)) {
    for (let row = 0; row < 3; row++)
      for (let column = 0; column < 3; column++)
        q[column * 3 + row] = (sign * (m[offset + column * 4 + row] as number)) / shortest;
    if (!orthogonalize(q)) return undefined;
  }
  return toRotation(q);
}

function isSkewed(q: Float64Array): boolean {
  const dot = (a: number, b: number): number =>
    Math.abs(
      (q[a] as number) * (q[b] as number) +
        (q[a + 1] as number) * (q[b + 1] as number) +
        (q[a + 2] as number) * (q[b + 2] as number),
    );
  return Math.max(dot(0, 3), dot(3, 6), dot(0, 6)) > MAX_SKEW;
}

/** Newton's iteration for the polar decomposition (Higham 1986): the mean of a matrix and its inverse transpose. */
function orthogonalize(q: Float64Array): boolean {
  for (let step = 0; step < POLAR_STEPS; step++) {
    const [a, b, c, d, e, f, g, h, i] = q as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const cofactors = [
      e * i - f * h,
      f * g - d * i,
      d * h - e * g,
      c * h - b * i,
      a * i - c * g,
      b * g - a * h,
      b * f - c * e,
      c * d - a * f,
      a * e - b * d,
    ];
    const det = a * (cofactors[0] as number) + b * (cofactors[1] as number) + c * (cofactors[2] as number);
    if (!(Math.abs(det) > 1e-30)) return false;
    let change = 0;
    for (let k = 0; k < 9; k++) {
      const next = ((q[k] as number) + (cofactors[k] as number) / det) / 2;
      change = Math.max(change, Math.abs(next - (q[k] as number)));
      q[k] = next;
    }
    if (change < 1e-12) return true;
  }
  return true;
}

/** Converts a 3 × 3 rotation matrix to a quaternion (Shepperd 1978). */
function toRotation(matrix: Float64Array): Rotation {
  const [a = 1, b = 0, c = 0, d = 0, e = 1, f = 0, g = 0, h = 0, i = 1] = matrix;
  const trace = a + e + i;
  if (trace > 0) return normalize([f - h, g - c, b - d, 1 + trace]);
  if (a >= e && a >= i) return normalize([1 + a - e - i, b + d, g + c, f - h]);
  if (e >= i) return normalize([b + d, 1 + e - a - i, f + h, g - c]);
  return normalize([g + c, f + h, 1 + i - a - e, b - d]);
}

/** Position, rotation and scale of a matrix; the rotation is the identity if there is none. */
export const decompose = (m: Matrices, offset = 0): { position: Vector; rotation: Rotation; scale: Vector } => ({
  position: positionOf(m, offset),
  rotation: rotationOf(m, offset) ?? IDENTITY,
  scale: scaleOf(m, offset),
});
