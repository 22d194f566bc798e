/**
 * The page on the L-score: the three circles of the paper with two transitions, their work, and the numbers of injected
 * frames. Computed by the package.
 */
import "../style/story.css";
import { init, lscorePath } from "kinestitch";
import type { PathCut } from "kinestitch";
import { drawCurves } from "./story/curves";
import { Scene, type Transition } from "./story/scene";

const ANGLE_PER_FRAME = (2 * Math.PI) / 64;
/** Number of frames of the big circle, which ends at the take-off at (20, 0), and of a small circle. */
const [BIG_FRAMES, SMALL_FRAMES] = [65, 133];

const circle = (
  x: number,
  y: number,
  radius: number,
  startAngle: number,
  direction: 1 | -1,
  frames: number,
): Float32Array =>
  Float32Array.from(
    Array.from({ length: frames }, (_, n) => {
      const angle = startAngle + direction * ANGLE_PER_FRAME * n;
      return [x + radius * Math.cos(angle), y + radius * Math.sin(angle), 0];
    }).flat(),
  );

const bigCircle = circle(0, 0, 20, 0, 1, BIG_FRAMES);
const smallCircles = {
  forward: circle(30, 10, 10, Math.PI, -1, SMALL_FRAMES),
  backward: circle(30, -10, 10, Math.PI, 1, SMALL_FRAMES),
};
const NAMES = { forward: "To the upper circle", backward: "To the lower circle" };
type Side = keyof typeof smallCircles;
const SIDES = ["forward", "backward"] as const;

function findElement<T extends Element>(selector: string): T {
  const element = document.querySelector<T>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

/** Computes the Euclidean distance of the windows around the take-off (big circle) and the landing (small circle). */
async function euclideanDistance(side: Side): Promise<number> {
  // Each circle is at x = 20 in its frame 64, after a full turn. The window on the big circle extends beyond it.
  const extendedCircle = circle(0, 0, 20, 0, 1, BIG_FRAMES + 8);
  return (await lscorePath(extendedCircle, smallCircles[side], { takeoff: 64, landing: 64 })).euclidean;
}

function showResult(side: Side, cut: PathCut, distance: number, isCheapest: boolean): void {
  const element = findElement<HTMLElement>(`#${side}`);
  const rows: [string, string][] = [
    ["L-score", cut.score.toFixed(3)],
    ["Injected", `${cut.inject} ${cut.inject === 1 ? "frame" : "frames"}${isCheapest ? ", the best number" : ""}`],
    ["Euclidean", distance.toFixed(0)],
  ];
  const heading = document.createElement("h2");
  heading.textContent = NAMES[side];
  const list = document.createElement("dl");
  for (const [name, value] of rows) {
    const row = document.createElement("div");
    row.append(
      Object.assign(document.createElement("dt"), { textContent: name }),
      Object.assign(document.createElement("dd"), { textContent: value }),
    );
    list.append(row);
  }
  element.replaceChildren(heading, list);
}

async function start(): Promise<void> {
  await init();
  const distances = { forward: await euclideanDistance("forward"), backward: await euclideanDistance("backward") };
  const best = {
    forward: await lscorePath(bigCircle, smallCircles.forward),
    backward: await lscorePath(bigCircle, smallCircles.backward),
  };
  const scene = new Scene(findElement("#scene"), SIDES);
  const slider = findElement<HTMLInputElement>("#inject");
  const pause = findElement<HTMLButtonElement>("#pause");

  /** Shows the transitions with this number of injected frames; without a number, those with the lowest L-score. */
  async function show(inject?: number): Promise<void> {
    if (inject === undefined) slider.value = String(best.forward.inject);
    for (const side of SIDES) {
      const cut =
        inject === undefined
          ? best[side]
          : await lscorePath(bigCircle, smallCircles[side], { minInject: inject, maxInject: inject });
      showResult(side, cut, distances[side], inject === undefined);
      scene.set(side, { cut, circle: smallCircles[side] } satisfies Transition);
    }
  }

  slider.addEventListener("input", () => void show(slider.valueAsNumber));
  findElement("#cheapest").addEventListener("click", () => void show());
  pause.addEventListener("click", () => {
    scene.playing = !scene.playing;
    pause.textContent = scene.playing ? "Pause" : "Play";
  });
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) pause.click();
  await show();
  drawCurves(
    findElement("#plot"),
    SIDES.map((side) => {
      const { curve, inject } = best[side];
      const points = Array.from(curve, (score, frames) => [frames, score] as const);
      return {
        side,
        points,
        markIndex: inject,
        label: `${NAMES[side]}: ${(curve[inject] ?? 0).toFixed(3)} at ${inject}`,
      };
    }),
    { label: "injected frames", ticks: [1, 1.5, 2, 3, 5, 10, 20, 50, 100], tickSpacing: 5, isLogarithmic: true },
  );
  scene.play(bigCircle);
}

start().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  findElement<HTMLElement>("#forward").textContent = `This page could not be computed: ${message}`;
});
