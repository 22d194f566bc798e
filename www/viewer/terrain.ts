/** Draws uneven ground, and samples its height. */
import {
  BufferAttribute,
  BufferGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
} from "three";
import type { HeightField } from "kinestitch/worker";
import type { StageColors } from "./palette";

/** Height of the drawing above the heights of the field, metres: above the grid of level ground. */
const ABOVE_GRID = 0.002;
/** Distance of the lines on the ground, metres. */
const LINE_DISTANCE = 1;

/** Material options of the surface. It is drawn a little farther away than lines and path, which lie on it. */
const SURFACE = { roughness: 1, flatShading: true, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4 };

/** Returns the height of the ground at x, z, metres: bilinear; outside the grid, the height at the nearest edge. */
export function heightAt({ x: left, z: top, spacing, columns, heights }: HeightField, x: number, z: number): number {
  const cell = (offset: number, count: number): [index: number, fraction: number] => {
    const position = Math.min(Math.max(offset / spacing, 0), count - 1);
    const index = Math.min(Math.floor(position), count - 2);
    return [index, position - index];
  };
  const [column, alongX] = cell(x - left, columns);
  const [row, alongZ] = cell(z - top, heights.length / columns);
  const heightOf = (i: number, j: number): number => heights[i * columns + j] ?? 0;
  const rowHeight = (i: number): number =>
    heightOf(i, column) + (heightOf(i, column + 1) - heightOf(i, column)) * alongX;
  return rowHeight(row) + (rowHeight(row + 1) - rowHeight(row)) * alongZ;
}

/** The drawing of a height field: a surface, and lines at distances of a metre. */
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
    this.#surface.material.color.set(grid).lerp(this.#lines.material.color.set(background), 0.45);
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

/** Creates a surface of triangles from the grid. */
function createSurface({ x, z, spacing, columns, heights }: HeightField): BufferGeometry {
  const rows = heights.length / columns;
  const points = new Float32Array(heights.length * 3);
  const index: number[] = [];
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const point = row * columns + column;
      points.set([x + column * spacing, (heights[point] ?? 0) + ABOVE_GRID, z + row * spacing], point * 3);
      if (row + 1 === rows || column + 1 === columns) continue;
      index.push(point, point + columns, point + 1, point + 1, point + columns, point + columns + 1);
    }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(points, 3));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  return geometry;
}

/** Creates lines along x and z that follow the ground. */
function createLines({ x, z, spacing, columns, heights }: HeightField): BufferGeometry {
  const points: number[] = [];
  const rows = heights.length / columns;
  const stride = Math.max(1, Math.round(LINE_DISTANCE / spacing));
  const addPoint = (row: number, column: number): void => {
    points.push(x + column * spacing, (heights[row * columns + column] ?? 0) + 2 * ABOVE_GRID, z + row * spacing);
  };
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      if (row % stride === 0 && column + 1 < columns) [addPoint(row, column), addPoint(row, column + 1)];
      if (column % stride === 0 && row + 1 < rows) [addPoint(row, column), addPoint(row + 1, column)];
    }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  return geometry;
}
