/** What happened at each seam, in numbers, for the shown method and the one it is compared with. */
import { html, nothing, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import type { Seam } from "kinestitch/worker";
import type { App } from "../app/app";
import { sentence } from "../app/engine";
import { centimetres, count, jerk, millimetres } from "../app/format";
import { methodShort } from "../app/methods";
import { downloadSize } from "../app/networks";
import { areBipeds, chooseMethod, isBeforeAfter, isCompared } from "../app/refine";
import { loopSeam, nearestSeam } from "../app/seams";
import type { Take } from "../app/stitcher";
import { icon } from "../ui/icons";
import { styled } from "../ui/styled";
import { clipColor } from "../viewer/palette";
import type { Panel } from "./panel";

const FIGURES: readonly { title: string; hint: string; value: (seam: Seam) => number; text: (value: number) => string }[] = [
  {
    title: "Foot skate",
    hint: "How far a foot slides, a frame, while it touches the ground around the seam. Less is better.",
    value: (seam) => seam.footSkate,
    text: millimetres,
  },
  {
    title: "Peak jerk",
    hint: "The most sudden change of acceleration of any joint around the seam. Less is better.",
    value: (seam) => seam.peakJerk,
    text: jerk,
  },
];

/** A result, and what it is called beside another. */
interface Column {
  take: Take;
  title: string;
}

/** The result, and the one it is compared with; before the network stands before after it. */
function columns(app: App): Column[] {
  const { a, b } = app.stitcher.jobs;
  const titles = isBeforeAfter(app) ? { a: "", b: "" } : { a: "A · ", b: "B · " };
  const found = (["a", "b"] as const).flatMap((side) => {
    const take = { a, b }[side].take;
    return take ? [{ take, title: `${titles[side]}${methodShort(take.method)}` }] : [];
  });
  if (!isCompared(app)) return found.slice(0, 1);
  return isBeforeAfter(app) ? found.reverse() : found;
}

function figures(takes: Column[], index: number): TemplateResult {
  return html`<table class="figures">
    ${takes.length > 1
      ? html`<thead><tr><td></td>${takes.map(({ title }) => html`<th scope="col">${title}</th>`)}</tr></thead>`
      : nothing}
    <tbody>${FIGURES.map(({ title, hint, value, text }) => {
      const values = takes.map(({ take }) => (take.seams[index] ? value(take.seams[index]) : NaN));
      const best = Math.min(...values);
      return html`<tr><th scope="row" title=${hint}>${title}</th>${values.map(
        (number) => html`<td class=${classMap({ best: takes.length > 1 && number === best })}>${Number.isFinite(number) ? text(number) : "–"}</td>`,
      )}</tr>`;
    })}</tbody>
  </table>`;
}

function seamCard(app: App, takes: Column[], index: number, current: boolean): TemplateResult {
  const take = app.shownTake();
  const seam = take?.seams[index];
  if (!take || !seam) return html``;
  const [before, after] = [take.items[index], take.items[index + 1]];
  const dot = (item: typeof before) => html`<span class="chip" ${styled({ "--clip": clipColor(item?.color ?? 0) })} aria-hidden="true"></span>`;
  const name = (item: typeof before): string => app.sourceOf(item)?.name ?? "";
  const go = (): void => {
    app.playback.play(false);
    app.playback.seek(seam.frame);
  };
  const looped = app.playback.range !== undefined && app.playback.range.from <= seam.frame && seam.frame < app.playback.range.to;
  return html`<li class=${classMap({ card: true, selected: current })}>
    <div class="card-head">
      <span class="seam-number">${index + 1}</span>
      <button class="name" type="button" @click=${go} title="Go to frame ${seam.frame + 1}">${dot(before)}<span>${name(before)}</span> → ${dot(after)}<span>${name(after)}</span></button>
      <button class="tool small" type="button" aria-pressed=${looped} title="Loop around this seam" aria-label="Loop around seam ${index + 1}" @click=${() => loopSeam(app, index)}>${icon("loop")}</button>
    </div>
    <span class="facts">Frame ${seam.frame + 1}; frames ${seam.edited[0] + 1} to ${seam.edited[1]} changed${seam.method === "rmr" ? " by the network" : ""}
      ${seam.driftCm === undefined
        ? nothing
        : html`<br><span title="The network's own path would end that far from where the clips lead; the clips' path is used">Path kept; the network alone would drift ${centimetres(seam.driftCm)}</span>`}
      ${seam.cut
        ? html`<br><span title="Where the files are cut, and the work that takes (L-score; less is better)">Cut from ${seam.cut.takeoff + 1} to ${seam.cut.landing + 1}${
            seam.method === "lscore" ? ` with ${count(seam.cut.inject, "frame")} between` : ""}; L-score ${seam.cut.score.toPrecision(3)}</span>`
        : nothing}</span>
    ${figures(takes, index)}
  </li>`;
}

/** The way to the network, for those who look at what a blend does to the feet. */
function offer(app: App): TemplateResult | typeof nothing {
  const { busy, info } = app.networks;
  const network = app.networks.shipped(app.settings.networkSet);
  if (!network || busy || app.project.method === "rmr" || !areBipeds(app)) return nothing;
  return html`<button class="button" type="button" title="Changes the steps around each seam to fit (R)" @click=${() => chooseMethod(app, "rmr")}>Refine by the network${
    info ? nothing : html` <span class="unit">up to ${downloadSize(network)}, once</span>`}</button>`;
}

export const seams: Panel = {
  id: "seams",
  title: "Seams",
  place: "right",
  note: (app) => String(app.shownTake()?.seams.length || ""),
  view: (app) => {
    const takes = columns(app);
    const take = app.shownTake();
    if (!take?.seams.length) return html`<p class="quiet">Two clips make a seam. Its figures appear here.</p>`;
    const current = nearestSeam(app);
    return html`${offer(app)}
      <ol class="cards">${take.seams.map((_, i) => seamCard(app, takes, i, i === current))}</ol>
      ${take.warnings.length
        ? html`<ul class="remarks">${take.warnings.map((text) => html`<li>${icon("warn")} ${sentence(text)}</li>`)}</ul>`
        : nothing}`;
  },
};
