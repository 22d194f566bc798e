/** Grounds that the user can choose. */
import type { HeightField } from "kinestitch/worker";

/** Identifier of level ground. */
export const LEVEL = "level";

/** A ground in the menu. */
export interface GroundEntry {
  id: string;
  name: string;
  /**
   * Creates the heights; absent for level ground. No height is below zero, where the grid of the level ground is drawn.
   */
  field?: () => HeightField;
}

/** Height and depth of a step of the stairs, metres, and number of steps on each side. */
const [RISE, TREAD, STEP_COUNT] = [0.16, 0.32, 8];
/** Slope of the ramps, metres per metre (14 degrees), and their length, metres. */
const [SLOPE, RAMP_LENGTH] = [0.25, 4];
/** Distance of the stairs or ramps from the start, and width of the level top, metres. */
const [START_DISTANCE, TOP_WIDTH] = [1.28, 2];

const clamp = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), max);

/** Returns the distance from the start along the farther axis, metres. Points at one distance form a square. */
const squareDistance = (x: number, z: number): number => Math.max(Math.abs(x), Math.abs(z));

/** Returns the height of stairs around the start, in all four directions: up, a level top, and down. */
function stairs(x: number, z: number): number {
  const up = squareDistance(x, z) - START_DISTANCE;
  const down = 2 * STEP_COUNT * TREAD + TOP_WIDTH - up;
  return RISE * clamp(Math.ceil(Math.min(up, down) / TREAD - 1e-6), 0, STEP_COUNT);
}

/** Returns the height of ramps around the start, in all four directions: up, a level top, and down. */
function ramps(x: number, z: number): number {
  const up = squareDistance(x, z) - START_DISTANCE;
  const down = 2 * RAMP_LENGTH + TOP_WIDTH - up;
  return SLOPE * clamp(Math.min(up, down), 0, RAMP_LENGTH);
}

/** Distance from the start at which the hills end, metres. */
const HILLS_RADIUS = 13;

/** Returns the height of hills, which are flat at the start and at the edge, and nowhere below zero. */
function hills(x: number, z: number): number {
  const distance = Math.hypot(x, z);
  const amplitude = clamp((distance - 0.5) / 3, 0, 1) * clamp((HILLS_RADIUS - distance) / 3, 0, 1);
  return amplitude * (0.6 + 0.3 * Math.sin(0.9 * x + 1) + 0.3 * Math.cos(1.1 * z) * Math.sin(0.5 * x + 2));
}

/**
 * Samples heights on a grid over a square around the start. `halfSide`: half of the square's side; `spacing`: distance of
 * the grid points, metres.
 */
function sampleHeights(height: (x: number, z: number) => number, halfSide: number, spacing: number): HeightField {
  const columns = 2 * Math.ceil(halfSide / spacing) + 1;
  const first = -Math.ceil(halfSide / spacing) * spacing;
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
  {
    id: "stairs",
    name: "Stairs",
    field: () => sampleHeights(stairs, START_DISTANCE + 2 * STEP_COUNT * TREAD + TOP_WIDTH, 0.08),
  },
  { id: "ramps", name: "Ramps", field: () => sampleHeights(ramps, START_DISTANCE + 2 * RAMP_LENGTH + TOP_WIDTH, 0.16) },
  { id: "hills", name: "Hills", field: () => sampleHeights(hills, HILLS_RADIUS, 0.2) },
];
