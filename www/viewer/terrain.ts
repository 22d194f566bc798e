/** Draws uneven ground, and samples its height. */
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
} from "three";
import type { HeightField } from "kinestitch/worker";
import type { StageColors } from "./palette";

/**
 * The surface is drawn this much higher than the field, metres, and its lines twice as much, so that the grid of the
 * level ground, at height 0, does not show through where the field has height 0. No field has lower heights.
 */
const ABOVE_GRID = 0.002;
/** Distance between the lines on the ground, metres. */
const LINE_DISTANCE = 1;

/**
 * Material options of the surface. Its depth is offset a little away from the camera, so that it does not hide the lines
 * and the path on it.
 */
const SURFACE = { roughness: 1, flatShading: true, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4 };

/**
 * Returns the height of the ground at x, z, metres: interpolated bilinearly in the grid, and outside it the height of
 * the nearest point of the edge. The field has at least two rows and two columns.
 */
export function heightAt(field: HeightField, x: number, z: number): number {
  const { x: originX, z: originZ, spacing, columns, heights } = field;
  const cell = (offset: number, count: number): [index: number, fraction: number] => {
    const position = Math.min(Math.max(offset / spacing, 0), count - 1);
    const index = Math.min(Math.floor(position), count - 2);
    return [index, position - index];
  };
  const [column, alongX] = cell(x - originX, columns);
  const [row, alongZ] = cell(z - originZ, heights.length / columns);
  const heightOf = (row: number, column: number): number => heights[row * columns + column] ?? 0;
  const rowHeight = (row: number): number =>
    heightOf(row, column) + (heightOf(row, column + 1) - heightOf(row, column)) * alongX;
  return rowHeight(row) + (rowHeight(row + 1) - rowHeight(row)) * alongZ;
}

/** The drawing of a height field: a surface, and lines near whole metres and at the edges. */
export class Terrain {
  readonly group = new Group();
  readonly field: HeightField;
  #surface: Mesh<BufferGeometry, MeshStandardMaterial>;
  #lines: LineSegments<BufferGeometry, LineBasicMaterial>;

  constructor(field: HeightField) {
    this.field = field;
    const geometry = createSurface(field);
    this.#surface = new Mesh(geometry, new MeshStandardMaterial(SURFACE));
    this.#surface.receiveShadow = true;
    this.#lines = new LineSegments(createLines(field), new LineBasicMaterial({ transparent: true, opacity: 0.5 }));
    this.group.add(this.#surface, this.#lines);
  }

  setColors({ background, grid }: StageColors): void {
    this.#surface.material.color.set(grid).lerp(new Color(background), 0.45);
    this.#lines.material.color.set(grid);
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const object of [this.#surface, this.#lines]) {
      object.geometry.dispose();
      object.material.dispose();
    }
  }
}

/**
 * Returns the triangles of the surface, three grid points each. Each cell is split along the diagonal with the lower
 * middle. So the flat triangles are nowhere above the bilinear height of {@link heightAt}, and feet and path do not sink
 * into them by more than {@link ABOVE_GRID}.
 */
export function surfaceTriangles({ columns, heights }: HeightField): number[] {
  const triangles: number[] = [];
  for (let point = 0; point + columns < heights.length; point++) {
    if ((point + 1) % columns === 0) continue;
    const [nextInX, nextInZ, nextInBoth] = [point + 1, point + columns, point + columns + 1];
    if (heights[nextInX] + heights[nextInZ] <= heights[point] + heights[nextInBoth])
      triangles.push(point, nextInZ, nextInX, nextInX, nextInZ, nextInBoth);
    else triangles.push(point, nextInZ, nextInBoth, point, nextInBoth, nextInX);
  }
  return triangles;
}

/** Creates a surface of triangles from the grid. */
function createSurface(field: HeightField): BufferGeometry {
  const { x, z, spacing, columns, heights } = field;
  const points = new Float32Array(heights.length * 3);
  for (let point = 0; point < heights.length; point++) {
    const [row, column] = [Math.floor(point / columns), point % columns];
    points.set([x + column * spacing, (heights[point] ?? 0) + ABOVE_GRID, z + row * spacing], point * 3);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(points, 3));
  geometry.setIndex(surfaceTriangles(field));
  geometry.computeVertexNormals();
  return geometry;
}

/**
 * Returns the indices of the rows or columns with a line: those nearest to whole metres, as in the grid of the level
 * ground, and the two edges.
 */
export function lineIndices(first: number, spacing: number, count: number): Set<number> {
  const indices = new Set([0, count - 1]);
  const last = first + (count - 1) * spacing;
  for (let line = Math.ceil(first / LINE_DISTANCE) * LINE_DISTANCE; line <= last; line += LINE_DISTANCE)
    indices.add(Math.round((line - first) / spacing));
  return indices;
}

/** Creates lines along x and z that follow the ground. */
function createLines({ x, z, spacing, columns, heights }: HeightField): BufferGeometry {
  const points: number[] = [];
  const rows = heights.length / columns;
  const [lineRows, lineColumns] = [lineIndices(z, spacing, rows), lineIndices(x, spacing, columns)];
  const addPoint = (row: number, column: number): void => {
    points.push(x + column * spacing, (heights[row * columns + column] ?? 0) + 2 * ABOVE_GRID, z + row * spacing);
  };
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      if (lineRows.has(row) && column + 1 < columns) [addPoint(row, column), addPoint(row, column + 1)];
      if (lineColumns.has(column) && row + 1 < rows) [addPoint(row, column), addPoint(row + 1, column)];
    }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  return geometry;
}
