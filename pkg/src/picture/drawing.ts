/** Pictures of a motion as lines and labels, before conversion to SVG, PNG or GIF. */
import { type Bone, Figures, type Side, type View } from "./figure.js";
import type { Clip } from "../core/types.js";

/** Layouts of the figures of a strip: side by side, or at their positions along the path of the motion. */
export const layouts = ["columns", "path"] as const;
/** One of {@link layouts}. */
export type PictureLayout = (typeof layouts)[number];

/** Options of a picture of a motion. */
export interface PictureOptions {
  /** View direction; default "quarter". "side" is perpendicular to the direction of travel. */
  view?: View;
  /** Number of figures in a strip; default 12. */
  figures?: number;
  /** Layout of a strip; default "columns". "path" shows the positions of feet, and whether they slide. */
  layout?: PictureLayout;
  /** Height, pixels; default 240. */
  height?: number;
  /** First frame; default 0. */
  from?: number;
  /** End of the frames, excluded; default: the end of the clip. */
  to?: number;
}

/** A line; coordinates in pixels from the upper left corner. */
export interface Line {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  ink: Ink;
}

/** Colour names: the sides of the body, and the ground. */
export type Ink = Side | "ground";

/**
 * Red, green and blue of each ink, for a white background; colour-blind people can distinguish them (Okabe and Ito).
 */
export const colours: Readonly<Record<Ink, readonly [number, number, number]>> = {
  left: [213, 94, 0],
  right: [0, 114, 178],
  middle: [64, 64, 64],
  ground: [208, 208, 208],
};

/** Width of bones, pixels. */
export const STROKE = 2;

/** One picture. */
export interface Drawing {
  width: number;
  height: number;
  lines: Line[];
  /** Frame numbers below the figures; SVG only. */
  labels: { x: number; y: number; text: string }[];
}

/** Margin of a picture, pixels. */
const MARGIN = 8;
/** Height of the labels below the figures, pixels. */
const LABEL_HEIGHT = 16;
/** Maximum width of a picture of a long path, pixels. */
const MAX_WIDTH = 4000;

/** Draws a row of figures, evenly spaced over the frames from the first to the last. */
export function drawStrip(clip: Clip, options: PictureOptions = {}): Drawing {
  const { view = "quarter", figures: count = 12, layout = "columns", height = 240 } = options;
  const figures = new Figures(clip, view);
  const range = clampRange(figures.frames, options);
  const firstLevel = figures.groundPoint(range.from).y;
  const poses = selectFrames(range, count).map((frame) => {
    const foot = figures.groundPoint(frame);
    // The ground line is below the first figure; in columns, below every figure, whatever its distance from the camera.
    const level = layout === "columns" ? foot.y : firstLevel;
    return { frame, root: foot.x, bones: figures.bones(frame).map((bone) => lift(bone, -level)) };
  });
  const allBones = poses.flatMap(({ bones }) => bones);
  const [low, high] = extent([0, 0.1, ...yValues(allBones)]);
  let scale = (height - 2 * MARGIN - LABEL_HEIGHT) / (high - low);
  const starts: number[] = [];
  let width: number;
  if (layout === "path") {
    const [left, right] = extent(xValues(allBones));
    scale = Math.min(scale, (MAX_WIDTH - 2 * MARGIN) / Math.max(right - left, 1e-6));
    width = (right - left) * scale + 2 * MARGIN;
    for (const _ of poses) starts.push(MARGIN - left * scale);
  } else {
    const distances = poses.flatMap(({ root, bones }) => xValues(bones).map((x) => Math.abs(x - root)));
    const [, reach] = extent([0.1, ...distances]);
    const column = 2 * reach * scale + MARGIN;
    width = column * poses.length + MARGIN;
    poses.forEach(({ root }, index) => starts.push(MARGIN / 2 + column * (index + 0.5) - root * scale));
  }
  const floor = height - MARGIN - LABEL_HEIGHT + low * scale;
  const ground: Line = { x1: 0, y1: floor, x2: width, y2: floor, ink: "ground" };
  const boneLines = poses.flatMap(({ bones }, index) =>
    bones.map((bone) => toLine(bone, scale, starts[index] ?? 0, floor)),
  );
  const labels = poses.map(({ frame, root }, index) => ({
    x: (starts[index] ?? 0) + root * scale,
    y: height - MARGIN,
    text: String(frame),
  }));
  return {
    width: Math.ceil(width),
    height,
    lines: view === "top" ? boneLines : [ground, ...boneLines],
    labels: layout === "path" ? labels.filter((_, index) => index % 2 === 0) : labels,
  };
}

/** Draws the motion as pictures of equal size, at most `rate` per second, with a fixed camera. */
export function drawAnimation(
  clip: Clip,
  rate: number,
  options: PictureOptions = {},
): { pictures: Drawing[]; seconds: number } {
  const { view = "quarter", height = 240 } = options;
  const figures = new Figures(clip, view);
  const { from, to } = clampRange(figures.frames, options);
  const seconds = (to - from) / clip.fps;
  const frames = selectFrames({ from, to }, Math.max(1, Math.min(to - from, Math.round(seconds * rate))));
  // The ground line is below the first figure.
  const level = figures.groundPoint(from).y;
  const poses = frames.map((frame) => figures.bones(frame).map((bone) => lift(bone, -level)));
  const allBones = poses.flat();
  const [left, right] = extent(xValues(allBones));
  const [low, high] = extent([0, ...yValues(allBones)]);
  const scale = Math.min(
    (height - 2 * MARGIN) / Math.max(high - low, 0.1),
    MAX_WIDTH / 2 / Math.max(right - left, 1e-6),
  );
  const width = Math.ceil((right - left) * scale + 2 * MARGIN);
  const floor = height - MARGIN + low * scale;
  const ground: Line = { x1: 0, y1: floor, x2: width, y2: floor, ink: "ground" };
  const pictures = poses.map((bones) => {
    const lines = bones.map((bone) => toLine(bone, scale, MARGIN - left * scale, floor));
    return { width, height, lines: view === "top" ? lines : [ground, ...lines], labels: [] };
  });
  return { pictures, seconds };
}

/** Clamps the requested range of frames to the frames of the clip. */
function clampRange(frames: number, { from = 0, to = frames }: PictureOptions): { from: number; to: number } {
  const start = Math.max(0, Math.min(from, frames - 1));
  return { from: start, to: Math.max(start + 1, Math.min(to, frames)) };
}

/** Selects `count` frames from the first to the last, or all frames if there are fewer. */
function selectFrames({ from, to }: { from: number; to: number }, count: number): number[] {
  const last = to - 1 - from;
  if (count <= 1 || last === 0) return [from];
  return Array.from({ length: Math.min(count, last + 1) }, (_, index, total = Math.min(count, last + 1)) =>
    Math.round(from + (last * index) / (total - 1)),
  );
}

/**
 * Returns the smallest and the largest value; zeros if there are none. `Math.min(...values)` would exceed the stack: a
 * minute of a character with fingers has more than 100,000 values.
 */
function extent(values: readonly number[]): [low: number, high: number] {
  if (values.length === 0) return [0, 0];
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}

const xValues = (bones: readonly Bone[]): number[] => bones.flatMap(({ from, to }) => [from.x, to.x]);
const yValues = (bones: readonly Bone[]): number[] => bones.flatMap(({ from, to }) => [from.y, to.y]);

const lift = ({ from, to, side }: Bone, height: number): Bone => ({
  from: { x: from.x, y: from.y + height },
  to: { x: to.x, y: to.y + height },
  side,
});

function toLine({ from, to, side }: Bone, scale: number, left: number, floor: number): Line {
  return {
    x1: left + from.x * scale,
    y1: floor - from.y * scale,
    x2: left + to.x * scale,
    y2: floor - to.y * scale,
    ink: side,
  };
}
