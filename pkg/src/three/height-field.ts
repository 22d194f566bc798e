/** Samples the heights of a three.js scene for a controlled character. */
import { type Box3, type InstancedMesh, Matrix4, type Mesh, type Object3D, Vector3 } from "three";
import { KinestitchError } from "../core/error.js";
import { anything, checkOptions, formatValue, positive, wrongOption } from "../core/options.js";
import type { HeightField } from "../core/types.js";

/** Maximum number of heights that a controller accepts. */
const MAX_HEIGHTS = 4_000_000;
/**
 * Tolerance for grid points on an edge of a triangle, because rounding moves edges: in grid spacings, and in barycentric
 * coordinates.
 */
const EDGE_TOLERANCE = 1e-5;

const SCHEMA = { spacing: anything, ceiling: anything, floor: anything, scale: anything } as never;

/** Options of `heightFieldOf`. */
export interface HeightFieldOptions {
  /** Distance between grid points, metres. Default: 0.05. */
  spacing?: number;
  /** Height above which surfaces are ignored, such as ceilings; metres. Default: no limit. */
  ceiling?: number;
  /** Height where there is no surface, metres. Default: 0. */
  floor?: number;
  /** Metres per unit of the scene, such as 0.01 for a scene in centimetres. Default: 1. */
  scale?: number;
}

/**
 * Returns a height field, in metres, for `setGround` of a controller: at each grid point, the height of the highest
 * surface of an object's meshes. The grid covers the object's bounds and, on each side, a margin of one grid point at
 * the height `floor`. All instances of an `InstancedMesh` count. Skinned meshes are used without skinning, and morph
 * targets are ignored.
 *
 * @param bounds World bounds of the object, in units of the scene: `new Box3().setFromObject(object)`.
 * @throws {KinestitchError} `option` for missing or empty bounds, an unknown option, a spacing or scale that is not
 * positive, a ceiling that is not a number, a floor that is not finite, or more than 4 million grid points.
 * @example
 * ```js
 * person.setGround(heightFieldOf(stairs, new Box3().setFromObject(stairs)));
 * ```
 */
export function heightFieldOf(object: Object3D, bounds: Box3, options?: HeightFieldOptions): HeightField {
  const {
    spacing = 0.05,
    ceiling = Infinity,
    floor = 0,
    scale = 1,
  } = checkOptions<HeightFieldOptions>("heightFieldOf", SCHEMA, options);
  if (!positive.is(spacing))
    throw wrongOption("spacing", `spacing must be ${positive.description} (metres), not ${formatValue(spacing)}`);
  if (!positive.is(scale))
    throw wrongOption("scale", `scale must be ${positive.description}, not ${formatValue(scale)}`);
  if (typeof ceiling !== "number" || Number.isNaN(ceiling))
    throw wrongOption("ceiling", `ceiling must be a number (metres), not ${formatValue(ceiling)}`);
  // Heights have single precision.
  if (!Number.isFinite(Math.fround(floor)))
    throw wrongOption("floor", `floor must be a finite number (metres), not ${formatValue(floor)}`);
  const { min, max } = ((bounds as Box3 | undefined) ?? {}) as Partial<Box3>;
  if (!min || !max || !(max.x >= min.x && max.z >= min.z))
    throw wrongOption("bounds", "the ground has no area: bounds must be the world bounds of an object with meshes");
  const [x, z] = [min.x * scale - spacing, min.z * scale - spacing];
  const count = (length: number): number => Math.ceil((length * scale) / spacing) + 3;
  const [columns, rows] = [count(max.x - min.x), count(max.z - min.z)];
  if (!(columns * rows <= MAX_HEIGHTS)) {
    const size = `${columns} × ${rows} heights`;
    throw new KinestitchError("option", `the ground has ${size}; choose a spacing with at most 4 million heights`);
  }
  const heights = new Float32Array(columns * rows).fill(-Infinity);
  const corners = [new Vector3(), new Vector3(), new Vector3()] as const;
  object.updateWorldMatrix(true, true);
  object.traverse((node) => {
    const { isMesh, geometry } = node as Mesh;
    const position = isMesh ? geometry.getAttribute("position") : undefined;
    if (!position) return;
    const total = geometry.index?.count ?? position.count;
    for (const matrix of worldMatrices(node))
      for (let first = 0; first + 2 < total; first += 3) {
        corners.forEach((corner, i) => {
          corner.fromBufferAttribute(position, geometry.index?.getX(first + i) ?? first + i).applyMatrix4(matrix);
          corner.multiplyScalar(scale);
          corner.set((corner.x - x) / spacing, corner.y, (corner.z - z) / spacing);
        });
        raise(corners, heights, columns, ceiling);
      }
  });
  return { x, z, spacing, columns, heights: heights.map((height) => (height === -Infinity ? floor : height)) };
}

/** Returns the world matrix of a mesh, or those of its instances. */
function worldMatrices(node: Object3D): Matrix4[] {
  const mesh = node as InstancedMesh;
  if (!mesh.isInstancedMesh) return [mesh.matrixWorld];
  return Array.from({ length: mesh.count }, (_, instance) => {
    const matrix = new Matrix4();
    mesh.getMatrixAt(instance, matrix);
    return matrix.premultiply(mesh.matrixWorld);
  });
}

/**
 * Raises the heights at the grid points inside a triangle, seen from above, to the triangle; parts above `ceiling` are
 * ignored. Corners: x and z in grid spacings from the first grid point, y in metres. `heights`: metres, [rows ×
 * columns].
 */
function raise(
  [a, b, c]: readonly [Vector3, Vector3, Vector3],
  heights: Float32Array,
  columns: number,
  ceiling: number,
): void {
  // Twice the area of the triangle seen from above, with a sign.
  const area = (b.x - a.x) * (c.z - a.z) - (c.x - a.x) * (b.z - a.z);
  // A vertical triangle covers no grid point.
  if (!(Math.abs(area) > 1e-12)) return;
  const first = (values: readonly number[]): number => Math.max(0, Math.ceil(Math.min(...values) - EDGE_TOLERANCE));
  const last = (values: readonly number[], count: number): number =>
    Math.min(count - 1, Math.floor(Math.max(...values) + EDGE_TOLERANCE));
  const [xs, zs] = [
    [a.x, b.x, c.x],
    [a.z, b.z, c.z],
  ];
  const [lastRow, lastColumn] = [last(zs, heights.length / columns), last(xs, columns)];
  for (let row = first(zs); row <= lastRow; row++)
    for (let column = first(xs); column <= lastColumn; column++) {
      // Barycentric coordinates of the grid point.
      const v = ((column - a.x) * (c.z - a.z) - (c.x - a.x) * (row - a.z)) / area;
      const w = ((b.x - a.x) * (row - a.z) - (column - a.x) * (b.z - a.z)) / area;
      if (v < -EDGE_TOLERANCE || w < -EDGE_TOLERANCE || v + w > 1 + EDGE_TOLERANCE) continue;
      const height = a.y + v * (b.y - a.y) + w * (c.y - a.y);
      const index = row * columns + column;
      if (height <= ceiling && height > (heights[index] ?? Infinity)) heights[index] = height;
    }
}
