/** Heights of the vertices of a mesh that bones move. */
import type { Matrices } from "./matrix.js";

/** Vertices of a mesh in its own coordinates, and the joints that they follow. */
export interface SkinnedVertices {
  /** x, y, z: [vertices × 3]. */
  positions: ArrayLike<number>;
  /** Indices and weights of joints, in sets of four per vertex; empty for a mesh that follows one node. */
  influences: readonly (readonly [joints: ArrayLike<number>, weights: ArrayLike<number>])[];
}

/**
 * Returns the height of the lowest vertex. `worlds`: world matrix of each joint, as an array and an offset; joints
 * without one are left out. `inverseBinds`: inverse bind matrix of each joint; absent for a mesh that follows the first
 * joint as it is.
 */
export function lowestVertex(
  { positions, influences }: SkinnedVertices,
  worlds: readonly (readonly [Matrices, number] | undefined)[],
  inverseBinds?: ArrayLike<number>,
): number {
  // Only the second row of world · inverse bind is needed, the one that gives y.
  const rows = new Float64Array(worlds.length * 4);
  worlds.forEach((world, joint) => {
    if (!world) return rows.fill(NaN, joint * 4, joint * 4 + 4);
    for (let column = 0; column < 4; column++) {
      const element = (row: number): number =>
        inverseBinds ? (inverseBinds[joint * 16 + column * 4 + row] as number) : row === column ? 1 : 0;
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += (world[0][world[1] + k * 4 + 1] as number) * element(k);
      rows[joint * 4 + column] = sum;
    }
  });
  let lowest = Infinity;
  const heightBy = (joint: number, at: number): number =>
    (rows[joint * 4] as number) * (positions[at] as number) +
    (rows[joint * 4 + 1] as number) * (positions[at + 1] as number) +
    (rows[joint * 4 + 2] as number) * (positions[at + 2] as number) +
    (rows[joint * 4 + 3] as number);
  for (let vertex = 0; vertex * 3 < positions.length; vertex++) {
    let [height, total] = [0, 0];
    for (const [joints, weights] of influences) {
      for (let i = vertex * 4; i < vertex * 4 + 4; i++) {
        const weight = weights[i] as number;
        if (!(weight > 0)) continue;
        height += weight * heightBy(joints[i] as number, vertex * 3);
        total += weight;
      }
    }
    if (influences.length === 0) [height, total] = [heightBy(0, vertex * 3), 1];
    // A vertex that follows an unknown joint, or none, gives no number.
    if (total > 0 && height / total < lowest) lowest = height / total;
  }
  return lowest;
}
