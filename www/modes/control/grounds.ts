/** Grounds that a visitor can put on the stage. */
import type { HeightField } from "kinestitch/worker";

/** Identifier of level ground. */
export const LEVEL = "level";

/** A ground in the menu. */
export interface GroundEntry {
  id: string;
  name: string;
  /** Absent: level ground. */
  field?: () => HeightField;
}

/** Rise and depth of a stair, and number of stairs, metres. */
const [RISE, TREAD, STAIRS] = [0.16, 0.32, 8];
/** Slope of the ramps, metres per metre (14 degrees), and their length, metres. */
const [SLOPE, RAMP] = [0.25, 4];
/** Distance of the first stair or ramp from the start, and width of the level top, metres. */
const [NEAR, TOP] = [1.28, 2];

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

/** Distance from the start, the same along the sides of a square, metres. */
const squareDistance = (x: number, z: number): number => Math.max(Math.abs(x), Math.abs(z));

/** Height of stairs around the start, in all four directions: up, a level top, and down. */
function stairs(x: number, z: number): number {
  const inside = squareDistance(x, z) - NEAR;
  const outside = 2 * STAIRS * TREAD + TOP - inside;
  return RISE * clamp(Math.ceil(Math.min(inside, outside) / TREAD - 1e-6), 0, STAIRS);
}

/** Height of ramps around the start, in all four directions: up, a level top, and down. */
function ramps(x: number, z: number): number {
  const inside = squareDistance(x, z) - NEAR;
  const outside = 2 * RAMP + TOP - inside;
  return SLOPE * clamp(Math.min(inside, outside), 0, RAMP);
}

/** Height of hills, which are flat at the start and at the edge. */
function hills(x: number, z: number): number {
  const distance = Math.hypot(x, z);
  const share = clamp((distance - 0.5) / 3, 0, 1) * clamp((13 - distance) / 3, 0, 1);
  return share * (0.45 + 0.3 * Math.sin(0.9 * x + 1) + 0.3 * Math.cos(1.1 * z) * Math.sin(0.5 * x + 2));
}

/** Samples a height over a square around the start. `half`: half of its side, metres. */
function sample(height: (x: number, z: number) => number, half: number, spacing: number): HeightField {
  const columns = 2 * Math.ceil(half / spacing) + 1;
  const first = -Math.ceil(half / spacing) * spacing;
  const heights = Float32Array.from({ length: columns * columns }, (_, index) =>
    height(first + (index % columns) * spacing, first + Math.floor(index / columns) * spacing),
  );
  return { x: first, z: first, spacing, columns, heights };
}

const fields = new Map<string, HeightField | undefined>();

/** Returns the heights of a ground, sampled on first use; `undefined` for level ground and unknown ids. */
export function groundField(id: string): HeightField | undefined {
  if (!fields.has(id)) fields.set(id, GROUNDS.find((ground) => ground.id === id)?.field?.());
  return fields.get(id);
}

/** The grounds in the menu. The character starts at the origin, facing +z. */
export const GROUNDS: readonly GroundEntry[] = [
  { id: LEVEL, name: "Level" },
  { id: "stairs", name: "Stairs", field: () => sample(stairs, NEAR + 2 * STAIRS * TREAD + TOP, 0.08) },
  { id: "ramps", name: "Ramps", field: () => sample(ramps, NEAR + 2 * RAMP + TOP, 0.16) },
  { id: "hills", name: "Hills", field: () => sample(hills, 13, 0.2) },
];
