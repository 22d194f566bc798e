/** The panel of cuts: the map of all cuts at a seam, the poses that would meet, and the best cuts. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Cut } from "kinestitch/worker";
import { isLong } from "../../../core/operation";
import { sentence } from "../../../core/engine";
import { count } from "../../../core/format";
import { lazyCode } from "../../../core/lazy-code";
import type { Panel } from "../../../core/panel";
import { styled } from "../../../ui/style-directive";
import { clipColor } from "../../../viewer/palette";
import { cellOf, cutAt, type CutFrames, type ShownMap } from "../cuts/cuts";
import type { Cell, Heatmap } from "../cuts/heatmap";
import { drawSticks } from "../cuts/stick";
import type { Stitch } from "../stitch";

/** Elements of the panel. */
interface PanelParts {
  heatmap: Heatmap;
  sticks: HTMLCanvasElement;
}

function createParts(mode: Stitch, { Heatmap }: typeof import("../cuts/heatmap")): PanelParts {
  const { cuts } = mode;
  const apply = (cell: Cell): void => {
    if (cuts.shown) cuts.apply(mode, cutAt(cuts.shown.map, cell.row, cell.column));
  };
  const sticks = document.createElement("canvas");
  sticks.className = "sticks";
  sticks.setAttribute("role", "img");
  sticks.setAttribute("aria-label", "Poses of the take-off and of the landing");
  return { heatmap: new Heatmap(() => mode.app.requestUpdate(), apply), sticks };
}

const scoreText = (value: number): string => value.toPrecision(3);

function cutFacts(cut: Omit<Cut, "euclidean">, isCurrent: boolean): TemplateResult {
  return html`<dl id="cut-facts" aria-live="polite">
    <div><dt>${isCurrent ? "Current cut" : "Cut at cursor"}</dt><dd>${cut.takeoff + 1} → ${cut.landing + 1}</dd></div>
    <div><dt>Inserts</dt><dd>${count(cut.inject, "frame")}</dd></div>
    <div><dt title="Work of the transition, in leg lengths² per frame². Lower is better.">L-score</dt><dd>${scoreText(cut.score)}</dd></div>
  </dl>`;
}

function bestRow(mode: Stitch, cut: Cut, index: number, maxScore: number): TemplateResult {
  const label = `Cut ${index + 1}: take off at frame ${cut.takeoff + 1}, land on frame ${cut.landing + 1}, insert ${count(cut.inject, "frame")}`;
  return html`<li><button class="best-cut" type="button" title="${label}; Euclidean distance ${scoreText(cut.euclidean)}" aria-label=${label}
      @click=${() => mode.cuts.apply(mode, cut)}>
    <span class="seam-number">${index + 1}</span>
    <span>${cut.takeoff + 1} → ${cut.landing + 1}</span><span class="unit">+${cut.inject}</span>
    <i class="best-bar" ${styled({ "--part": `${(100 * cut.score) / maxScore}%` })}></i><b>${scoreText(cut.score)}</b>
  </button></li>`;
}

function body(mode: Stitch, { heatmap, sticks }: PanelParts, shown: ShownMap): TemplateResult {
  const [a, b] = shown.items;
  const current = mode.cuts.currentCut(mode, shown.seam, a, b);
  heatmap.set(shown.map, current);
  const cell = heatmap.cursor;
  const hovered = cell && cutAt(shown.map, cell.row, cell.column);
  // Score and number of frames are those of the nearest cell, because the map may not contain every frame.
  const cut = hovered ?? { ...clampToMap(shown, current), takeoff: current.takeoff, landing: current.landing };
  const colors = [clipColor(a.color), clipColor(b.color)];
  queueMicrotask(() =>
    drawSticks(sticks, [
      { poses: shown.poses[0], frame: cut.takeoff, color: colors[0] },
      { poses: shown.poses[1], frame: cut.landing, color: colors[1] },
    ]),
  );
  // All scores are 0 if nothing moves.
  const maxScore = Math.max(...shown.map.best.map((best) => best.score)) || 1;
  const chip = (side: 0 | 1): TemplateResult =>
    html`<span class="chip" ${styled({ "--clip": colors[side] })} aria-hidden="true"></span>`;
  return html`<div class="cuts">
    <div class="cut-map">
      <span class="axis-y"><span>take-off: ${chip(0)}${shown.names[0]}, frames ${shown.map.takeoffs.from + 1} … ${shown.map.takeoffs.to}</span></span>
      ${heatmap.element}
      <span class="axis-x">landing: ${chip(1)}${shown.names[1]},
        frames ${(shown.map.landings[0] ?? 0) + 1} … ${(shown.map.landings.at(-1) ?? 0) + 1}</span>
    </div>
    <div class="cut-side">${sticks}${cutFacts(cut, !hovered)}</div>
    <div class="cut-best">
      <h3>Best cuts</h3>
      <ol>${shown.map.best.map((best, index) => bestRow(mode, best, index, maxScore))}</ol>
      <span class="ramp">Low L-score <i></i> high</span>
      <p class="quiet">Click the map to cut there. Cuts with a lower score are smoother. <a href="lscore.html">How it works</a></p>
    </div>
  </div>`;
}

/** Returns the cut of the map that is nearest to these frames. */
function clampToMap({ map }: ShownMap, { takeoff, landing }: CutFrames): Omit<Cut, "euclidean"> {
  const clamp = (frame: number, first: number, last: number): number => Math.max(first, Math.min(last, frame));
  const cell = cellOf(map, {
    takeoff: clamp(takeoff, map.takeoffs.from, map.takeoffs.to - 1),
    landing: clamp(landing, map.landings[0] ?? 0, map.landings.at(-1) ?? 0),
  });
  return cutAt(map, cell?.row ?? 0, cell?.column ?? 0);
}

function scoringState(mode: Stitch): TemplateResult | typeof nothing {
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

/** Creates the panel of the cuts. */
export function cutsPanel(mode: Stitch): Panel {
  const heatmapCode = lazyCode(mode.app, () => import("../cuts/heatmap"));
  let parts: PanelParts | undefined;
  return {
    id: "cuts",
    title: "Where to cut",
    region: "dock",
    view: () => {
      const { shown, busy } = mode.cuts;
      const state = scoringState(mode);
      if (shown) {
        const code = heatmapCode();
        if (code) parts ??= createParts(mode, code);
        return html`${state}${parts && body(mode, parts, shown)}`;
      }
      if (state !== nothing || busy) return html`${state}`;
      return html`<p class="quiet">Add two clips: the score of every cut from one to the other appears here.</p>`;
    },
  };
}
