/** The three circles, both smoothed transitions, and for each transition a point that moves along it. */
import type { PathCut } from "kinestitch";
import { appendSvg } from "./svg";

/** Frames of the big circle that a point moves through before the path of a cut, and of a small circle after it. */
const [LEAD_FRAMES, TAIL_FRAMES] = [26, 40];
/** Frame rate of the moving points. */
const FRAMES_PER_SECOND = 22;

/** A transition from the big circle to a small one. */
export interface Transition {
  cut: PathCut;
  /** Points of the small circle, [frames × 3]. */
  circle: Float32Array;
}

type Point = [number, number];

/** Converts a path, [frames × 3], to points in screen coordinates, in which y points down. */
const toPoints = (positions: Float32Array): Point[] =>
  Array.from({ length: positions.length / 3 }, (_, n) => [positions[n * 3] ?? 0, -(positions[n * 3 + 1] ?? 0)]);

/** Image of the circles and the transitions. */
export class Scene {
  playing = true;
  #sides: readonly string[];
  /** Per side: the path of the cut, and the frames of the small circle after it. */
  #paths = new Map<string, Point[]>();
  #layers = new Map<string, { path: SVGElement; marks: SVGElement; dot: SVGElement }>();

  /** `sides`: names of the transitions, which are also their CSS classes. */
  constructor(svg: SVGSVGElement, sides: readonly string[]) {
    this.#sides = sides;
    // Screen coordinates have y downwards.
    for (const [x, y, r, kind] of [
      [0, 0, 20, "big"],
      [30, -10, 10, "forward"],
      [30, 10, 10, "backward"],
    ] as const) {
      appendSvg(svg, "circle", { cx: x, cy: y, r, class: `ring ${kind}` });
    }
    for (const side of sides) {
      const group = appendSvg(svg, "g", { class: side });
      const layer = {
        path: appendSvg(group, "polyline", { class: "cut-path" }),
        marks: appendSvg(group, "g", { class: "marks" }),
      };
      this.#layers.set(side, { ...layer, dot: appendSvg(group, "circle", { r: 1, class: "dot" }) });
    }
  }

  /** Shows a transition in place of the previous one of this side. */
  set(side: string, { cut, circle }: Transition): void {
    const layer = this.#layers.get(side);
    if (!layer) return;
    const path = toPoints(cut.path);
    layer.path.setAttribute("points", path.map(([x, y]) => `${x.toFixed(3)},${y.toFixed(3)}`).join(" "));
    layer.marks.replaceChildren();
    // The path is the window before the cut, the injected frames, and the window after the cut.
    const window = (path.length - cut.inject) / 2;
    path.forEach(([x, y], n) => {
      const isInjected = n >= window && n < window + cut.inject;
      appendSvg(layer.marks, "circle", {
        cx: x,
        cy: y,
        r: isInjected ? 0.55 : 0.3,
        class: isInjected ? "injected" : "seen",
      });
    });
    this.#paths.set(side, [
      ...path,
      ...toPoints(circle).slice(cut.landing + window, cut.landing + window + TAIL_FRAMES),
    ]);
  }

  /**
   * Starts to move the points, again and again: along the big circle, the transition and the small circle. `bigCircle`:
   * [frames × 3]; its last frame is the take-off.
   */
  play(bigCircle: Float32Array): void {
    // The default window of `lscorePath`: the last frames of the big circle are part of the path of the cut.
    const window = 5;
    const approach = toPoints(bigCircle).slice(-LEAD_FRAMES - window, -window);
    let frame = 0;
    let last = performance.now();
    const step = (now: number): void => {
      if (this.playing) frame += Math.min(0.1, (now - last) / 1000) * FRAMES_PER_SECOND;
      last = now;
      const routes = this.#sides.map((side) => ({ side, route: [...approach, ...(this.#paths.get(side) ?? [])] }));
      const longest = Math.max(...routes.map(({ route }) => route.length));
      // The points rest for half a second at the end.
      if (frame > longest + FRAMES_PER_SECOND / 2) frame = 0;
      for (const { side, route } of routes) {
        const position = Math.min(route.length - 1, frame);
        const [from, to] = [route[Math.floor(position)], route[Math.ceil(position)]];
        if (!from || !to) continue;
        const dot = this.#layers.get(side)?.dot;
        dot?.setAttribute("cx", String(from[0] + (to[0] - from[0]) * (position % 1)));
        dot?.setAttribute("cy", String(from[1] + (to[1] - from[1]) * (position % 1)));
      }
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
}
