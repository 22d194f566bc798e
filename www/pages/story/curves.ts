/** Score by number of injected frames, as lines with their cheapest marked. */
const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [640, 260];
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 16, 14, 38];

export interface Curve {
  name: string;
  /** Class that colours it. */
  side: string;
  curve: Float32Array;
  best: number;
}

export function drawCurves(svg: SVGSVGElement, curves: readonly Curve[]): void {
  const make = (name: string, attributes: Record<string, string | number>, text = ""): void => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    element.textContent = text;
    svg.append(element);
  };
  svg.replaceChildren();
  const count = Math.max(...curves.map(({ curve }) => curve.length));
  const values = curves.flatMap(({ curve }) => Array.from(curve));
  // Logarithmic: work without injected frames is many times the least.
  const [low, high] = [Math.log(Math.min(...values) * 0.8), Math.log(Math.max(...values) * 1.1)];
  const x = (k: number): number => LEFT + (k / (count - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (score: number): number => TOP + ((high - Math.log(score)) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  for (const tick of [1, 1.5, 2, 3, 5, 10, 20, 50, 100]) {
    if (Math.log(tick) < low || Math.log(tick) > high) continue;
    make("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick), class: "grid" });
    make("text", { x: LEFT - 8, y: y(tick) + 4, class: "tick end" }, String(tick));
  }
  for (let k = 0; k < count; k += 5) make("text", { x: x(k), y: HEIGHT - BOTTOM + 18, class: "tick middle" }, String(k));
  make("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 4, class: "tick middle" }, "injected frames");
  for (const { name, side, curve, best } of curves) {
    make("polyline", { points: Array.from(curve, (score, k) => `${x(k).toFixed(1)},${y(score).toFixed(1)}`).join(" "), class: `curve ${side}` });
    const score = curve[best] ?? 1;
    make("circle", { cx: x(best), cy: y(score), r: 5, class: `best ${side}` });
    make("text", { x: x(best), y: y(score) + 22, class: `label ${side} middle` }, `${name}: ${score.toFixed(3)} at ${best}`);
  }
}
