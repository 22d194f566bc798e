/** The map of all cuts at a seam, the poses that would meet, and the best cuts. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Cut } from "kinestitch/worker";
import { isLong } from "../../../core/operation";
import { sentence } from "../../../core/engine";
import { count } from "../../../core/format";
import type { Panel } from "../../../core/panel";
import { styled } from "../../../ui/style-directive";
import { clipColor } from "../../../viewer/palette";
import { cutAt, type CutsView } from "../cuts/cuts";
import { Heatmap, type Cell } from "../cuts/heatmap";
import { drawSticks } from "../cuts/stick";
import type { Stitch } from "../stitch";

interface Parts {
  map: Heatmap;
  sticks: HTMLCanvasElement;
  spot: Cell | undefined;
}

function partsOf(mode: Stitch): Parts {
  const { cuts } = mode;
  const use = (spot: Cell): void => {
    if (cuts.view) cuts.use(mode, cutAt(cuts.view.map, spot.row, spot.column));
  };
  const hover = (spot: Cell | undefined): void => {
    parts.spot = spot;
    mode.app.changed();
  };
  const sticks = document.createElement("canvas");
  sticks.className = "sticks";
  sticks.setAttribute("role", "img");
  sticks.setAttribute("aria-label", "The pose that is left and the pose that is reached");
  const parts: Parts = { map: new Heatmap(hover, use), sticks, spot: undefined };
  return parts;
}

const score = (value: number): string => value.toPrecision(3);

function facts(_view: CutsView, cut: Omit<Cut, "euclidean">, here: boolean): TemplateResult {
  return html`<dl id="cut-facts" aria-live="polite">
    <div><dt>${here ? "Cut now" : "Cut there"}</dt><dd>${cut.takeoff + 1} → ${cut.landing + 1}</dd></div>
    <div><dt>Inject</dt><dd>${count(cut.inject, "frame")}</dd></div>
    <div><dt title="Work of the transition, in leg lengths² per frame². Lower is better.">L-score</dt><dd>${score(cut.score)}</dd></div>
  </dl>`;
}

function bestRow(mode: Stitch, cut: Cut, index: number, dearest: number): TemplateResult {
  const label = `Cut ${index + 1}: leave at frame ${cut.takeoff + 1}, land on frame ${cut.landing + 1}, inject ${count(cut.inject, "frame")}`;
  return html`<li><button class="best-cut" type="button" title="${label}; Euclidean distance ${score(cut.euclidean)}" aria-label=${label}
      @click=${() => mode.cuts.use(mode, cut)}>
    <span class="seam-number">${index + 1}</span>
    <span>${cut.takeoff + 1} → ${cut.landing + 1}</span><span class="unit">+${cut.inject}</span>
    <i class="best-bar" ${styled({ "--part": `${(100 * cut.score) / dearest}%` })}></i><b>${score(cut.score)}</b>
  </button></li>`;
}

function body(mode: Stitch, { map, sticks, spot }: Parts, view: CutsView): TemplateResult {
  const [a, b] = view.items;
  const present = mode.cuts.present(mode, view.seam, a, b);
  map.set(view.map, present);
  const inMap = spot && cutAt(view.map, spot.row, spot.column);
  const cut = inMap ?? nearestIn(view, present);
  const colors = [clipColor(a.color), clipColor(b.color)];
  queueMicrotask(() =>
    drawSticks(sticks, [
      { poses: view.poses[0], frame: cut.takeoff, color: colors[0] },
      { poses: view.poses[1], frame: cut.landing, color: colors[1] },
    ]),
  );
  const dearest = Math.max(...view.map.best.map((best) => best.score));
  const chip = (side: 0 | 1): TemplateResult =>
    html`<span class="chip" ${styled({ "--clip": colors[side] })} aria-hidden="true"></span>`;
  return html`<div class="cuts">
    <div class="cut-map">
      <span class="axis-y"><span>leaves ${chip(0)}${view.names[0]} at ${view.map.takeoffs.from + 1} … ${view.map.takeoffs.to}</span></span>
      ${map.element}
      <span class="axis-x">lands in ${chip(1)}${view.names[1]} at ${(view.map.landings[0] ?? 0) + 1} … ${(view.map.landings.at(-1) ?? 0) + 1}</span>
    </div>
    <div class="cut-side">${sticks}${facts(view, cut, !inMap)}</div>
    <div class="cut-best">
      <h3>Best cuts</h3>
      <ol>${view.map.best.map((best, index) => bestRow(mode, best, index, dearest))}</ol>
      <span class="ramp">Low L-score <i></i> high</span>
      <p class="quiet">Click the map to cut there. Cuts with a lower score are smoother. <a href="lscore.html">Why it works</a></p>
    </div>
  </div>`;
}

/** The present cut in the map, or only its frames outside the map. */
function nearestIn(view: CutsView, { takeoff, landing }: { takeoff: number; landing: number }): Omit<Cut, "euclidean"> {
  const row = Math.max(
    0,
    Math.min(view.map.takeoffs.to - view.map.takeoffs.from - 1, takeoff - view.map.takeoffs.from),
  );
  const found = view.map.landings.findIndex((frame) => frame >= landing);
  return cutAt(view.map, row, found < 0 ? view.map.landings.length - 1 : found);
}

function waiting(mode: Stitch): TemplateResult | typeof nothing {
  const { cuts } = mode;
  if (cuts.problem) {
    return html`<div class="row" role="alert"><span>${sentence(cuts.problem.message)}</span>
      <button class="button small" type="button" @click=${() => cuts.retry(mode)}>Compute scores</button></div>`;
  }
  if (!cuts.busy || !isLong(cuts.busy)) return nothing;
  return html`<div class="row" role="status"><span>Scoring every cut…</span>
    <progress max="1" .value=${cuts.busy.progress.done} aria-label="Scoring cuts"></progress>
    <button class="button small" type="button" @click=${() => cuts.cancel(mode)}>Cancel</button></div>`;
}

/** The panel of the cuts. */
export function cuts(mode: Stitch): Panel {
  let parts: Parts | undefined;
  return {
    id: "cuts",
    title: "Where to cut",
    place: "dock",
    view: () => {
      const { view, busy } = mode.cuts;
      const wait = waiting(mode);
      if (view) return html`${wait}${body(mode, (parts ??= partsOf(mode)), view)}`;
      if (wait !== nothing || busy) return html`${wait}`;
      return html`<p class="quiet">Add two clips: the score of every cut from one to the other appears here.</p>`;
    },
  };
}
