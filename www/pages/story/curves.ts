/** Plots values against numbers of frames: lines with one marked point each. */
import { appendSvg } from "./svg";

const [WIDTH, HEIGHT] = [640, 260];
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 16, 14, 38];
/** Distance from the left or right edge below which the label of a point is not centred on it. */
const LABEL_SPACE = 140;

/** A line of the plot. */
export interface Curve {
  /** Class for its colour. */
  side: string;
  points: readonly (readonly [frames: number, value: number])[];
  /** Index of the marked point. */
  markIndex: number;
  /** Label of the marked point. */
  label: string;
  /** Whether the label is above the point. */
  isLabelAbove?: boolean;
}

/** Axes of the plot. */
export interface Axes {
  /** Label below the plot. */
  label: string;
  /** Ticks of the vertical axis. Those outside the range of the values are left out. */
  ticks: readonly number[];
  /** Frames between two ticks of the horizontal axis. */
  tickSpacing: number;
  /** Logarithmic vertical axis. */
  isLogarithmic?: boolean;
}

/** Draws curves into an SVG element, and replaces its contents. */
export function drawCurves(
  svg: SVGSVGElement,
  curves: readonly Curve[],
  { label, ticks, tickSpacing, isLogarithmic = false }: Axes,
): void {
  const append = (name: string, attributes: Record<string, string | number>, text = ""): void => {
    appendSvg(svg, name, attributes).textContent = text;
  };
  svg.replaceChildren();
  const points = curves.flatMap((curve) => curve.points);
  if (points.length === 0) return;
  const [frames, values] = [points.map(([frame]) => frame), points.map(([, value]) => value)];
  const scale = isLogarithmic ? Math.log : (value: number): number => value;
  const [min, max] = isLogarithmic
    ? [Math.log(Math.min(...values) * 0.8), Math.log(Math.max(...values) * 1.1)]
    : [0, Math.max(...values) * 1.15 || 1];
  const [first, last] = [Math.min(...frames), Math.max(...frames)];
  const x = (frame: number): number => LEFT + ((frame - first) / Math.max(1, last - first)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number): number => TOP + ((max - scale(value)) / (max - min)) * (HEIGHT - TOP - BOTTOM);
  for (const tick of ticks) {
    if (scale(tick) < min || scale(tick) > max) continue;
    append("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick), class: "grid" });
    append("text", { x: LEFT - 8, y: y(tick) + 4, class: "tick end" }, String(tick));
  }
  for (let frame = Math.ceil(first / tickSpacing) * tickSpacing; frame <= last; frame += tickSpacing)
    append("text", { x: x(frame), y: HEIGHT - BOTTOM + 18, class: "tick middle" }, String(frame));
  append("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 4, class: "tick middle" }, label);
  for (const { side, points, markIndex, label, isLabelAbove } of curves) {
    append("polyline", {
      points: points.map(([frame, value]) => `${x(frame).toFixed(1)},${y(value).toFixed(1)}`).join(" "),
      class: `curve ${side}`,
    });
    const [frame, value] = points[markIndex] ?? [first, 0];
    append("circle", { cx: x(frame), cy: y(value), r: 5, class: `best ${side}` });
    // A label near an edge starts or ends at that edge, so that it is not cut off.
    const anchor = x(frame) < LABEL_SPACE ? "start" : x(frame) > WIDTH - LABEL_SPACE ? "end" : "middle";
    append(
      "text",
      {
        x: { start: LEFT, middle: x(frame), end: WIDTH - RIGHT }[anchor],
        y: y(value) + (isLabelAbove ? -12 : 22),
        class: `label ${side} ${anchor}`,
      },
      label,
    );
  }
}
