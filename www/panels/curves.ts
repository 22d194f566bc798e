/** Foot speed and joint jerk over time, around a seam or over everything; the compared method as dashed lines. */
import { html, nothing } from "lit-html";
import type { App } from "../app/app";
import { matchFrame } from "../app/match";
import { methodShort } from "../app/methods";
import { isCompared } from "../app/refine";
import { nearestSeam } from "../app/seams";
import type { Take } from "../app/stitcher";
import { Plot, type Inks, type Line } from "../plot/plot";
import { choice } from "../ui/choice";
import type { Panel } from "./panel";

interface Plots {
  speed: Plot;
  jerk: Plot;
  drawn: string;
}

let plots: Plots | undefined;
/** Which seam is shown: one of them, the one near the playhead, or all frames. */
let shown: number | "near" | "all" = "near";

const ids = new WeakMap<Take, number>();
let serial = 0;
function takeId(take: Take | undefined): number {
  if (!take) return 0;
  const known = ids.get(take) ?? ++serial;
  ids.set(take, known);
  return known;
}

const ink = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Colours as the canvas wants them: `light-dark()` resolved by an element that uses them. */
function inks(): Inks & Record<"left" | "right" | "jerk", string> {
  const probe = document.createElement("span");
  document.body.append(probe);
  const color = (name: string): string => {
    probe.style.color = ink(name);
    return getComputedStyle(probe).color;
  };
  const found = {
    text: color("--text-2"), grid: color("--plot-grid"), seam: color("--text-2"), band: color("--plot-band"),
    left: color("--plot-left"), right: color("--plot-right"), jerk: color("--plot-jerk"),
  };
  probe.remove();
  return found;
}

/** The shown result, and the one it is compared with. */
function takes(app: App): Take[] {
  const shown = app.shownTake();
  const { a, b } = app.stitcher.jobs;
  const other = !isCompared(app) ? undefined : shown === a.take ? b.take : a.take;
  return [shown, other].filter((take) => take !== undefined);
}

/** The compared result's values at the frames of the first that show the same moment. */
function matched(a: Take, b: Take, values: Float32Array): Float32Array {
  return Float32Array.from({ length: a.motion.frames }, (_, frame) => values[Math.round(matchFrame(a, b, frame))] ?? 0);
}

function draw(app: App): Plots {
  const seek = (frame: number): void => {
    app.playback.play(false);
    app.playback.seek(frame);
  };
  plots ??= { speed: new Plot("Foot speed over frames", "m/s", seek), jerk: new Plot("Largest joint jerk over frames", "m/s³", seek), drawn: "" };
  const [a, b] = takes(app);
  if (!a) return plots;
  const seam = shown === "all" ? undefined : a.seams[shown === "near" ? nearestSeam(app) : shown];
  const margin = Math.round(a.motion.fps * 1.2);
  const from = seam ? Math.max(0, Math.min(seam.frame, seam.edited[0]) - margin) : 0;
  const to = seam ? Math.min(a.motion.frames, Math.max(seam.frame, seam.edited[1]) + margin) : a.motion.frames;
  const key = [takeId(a), takeId(b), from, to, getComputedStyle(document.documentElement).colorScheme].join();
  if (plots.drawn !== key) {
    plots.drawn = key;
    const colors = inks();
    const lines = (pick: (take: Take) => [string, Float32Array | undefined, string][]): Line[] =>
      [a, b].flatMap((take, side) => !take ? [] : pick(take).flatMap(([label, values, color]) =>
        values?.length ? [{ label: `${label} ${methodShort(take.method)}`, values: side === 0 ? values : matched(a, take, values), color, dashed: side === 1 }] : []));
    const data = { from, to, seams: a.seams };
    plots.speed.set({ ...data, lines: lines(({ motion }) => [["Left", motion.curves.footSpeed[0], colors.left], ["Right", motion.curves.footSpeed[1], colors.right]]) }, colors);
    plots.jerk.set({ ...data, lines: lines(({ motion }) => [["Jerk", motion.curves.jerk, colors.jerk]]) }, colors);
  }
  frame(app);
  return plots;
}

function frame(app: App): void {
  plots?.speed.setFrame(app.playback.frame);
  plots?.jerk.setFrame(app.playback.frame);
}

export const curves: Panel = {
  id: "curves",
  title: "Curves",
  place: "dock",
  view: (app) => {
    const [a, b] = takes(app);
    if (!a) return html`<p class="quiet">Foot speed and joint jerk appear here.</p>`;
    const { speed, jerk } = draw(app);
    const choose = (event: Event): void => {
      const { value } = event.target as HTMLSelectElement;
      shown = value === "near" || value === "all" ? value : Number(value);
      app.changed();
    };
    return html`<div class="curves">
      <div class="curve-head">
        ${a.seams.length
          ? html`<select aria-label="Part shown" ${choice(String(shown))} @change=${choose}>
              <option value="near">Seam near the playhead</option>
              ${a.seams.map((_, i) => html`<option value=${i}>Seam ${i + 1}</option>`)}
              <option value="all">All frames</option>
            </select>`
          : nothing}
        <span class="key"><i class="swatch left"></i>Left foot</span>
        <span class="key"><i class="swatch right"></i>Right foot</span>
        <span class="key"><i class="swatch jerk"></i>Jerk</span>
        <span class="key"><i class="swatch band"></i>${a.method === "rmr" ? "Changed by the network" : "Blend"}</span>
        ${b ? html`<span class="key"><i class="swatch dashed"></i>${methodShort(b.method)}</span>` : nothing}
      </div>
      <figure><figcaption>Foot speed</figcaption>${speed.element}</figure>
      <figure><figcaption>Joint jerk</figcaption>${jerk.element}</figure>
    </div>`;
  },
  onFrame: (app) => {
    if (shown === "near" && (app.shownTake()?.seams.length ?? 0) > 1) draw(app);
    else frame(app);
  },
};
