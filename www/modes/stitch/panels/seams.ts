/** Measurements of each seam, for the shown method and the compared one. */
import { html, nothing, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import type { Seam } from "kinestitch/worker";
import { sentence } from "../../../core/engine";
import { centimetres, count, jerk, millimetres } from "../../../core/format";
import { loopAround, nearestMark } from "../../../core/marks";
import { downloadSize } from "../../../core/networks";
import type { Panel } from "../../../core/panel";
import { icon } from "../../../ui/icons";
import { styled } from "../../../ui/style-directive";
import { clipColor } from "../../../viewer/palette";
import { methodShort } from "../methods";
import { areBipeds, chooseMethod, isBeforeAfter, isCompared } from "../method-choice";
import type { Stitch } from "../stitch";
import type { StitchResult } from "../stitcher";
import { joinCard } from "./joins";

const FIGURES: readonly {
  title: string;
  hint: string;
  value: (seam: Seam) => number;
  text: (value: number) => string;
}[] = [
  {
    title: "Foot skate",
    hint: "Distance that a foot slides per frame while it touches the ground, in the second before and after the seam. Less is better.",
    value: (seam) => seam.footSkate,
    text: millimetres,
  },
  {
    title: "Peak jerk",
    hint: "The most sudden change of acceleration of any joint in the second before and after the seam. Less is better.",
    value: (seam) => seam.peakJerk,
    text: jerk,
  },
];

/** A result with its column title. */
interface Column {
  result: StitchResult;
  title: string;
}

/** The result, and the compared one; a draft comes before its refinement. */
function columns(mode: Stitch): Column[] {
  const { a, b } = mode.stitcher.jobs;
  const titles = isBeforeAfter(mode) ? { a: "", b: "" } : { a: "A · ", b: "B · " };
  const found = (["a", "b"] as const).flatMap((side) => {
    const result = { a, b }[side].result;
    return result ? [{ result, title: `${titles[side]}${methodShort(result.method)}` }] : [];
  });
  if (!isCompared(mode)) return found.slice(0, 1);
  return isBeforeAfter(mode) ? found.reverse() : found;
}

function figures(results: Column[], index: number): TemplateResult {
  return html`<table class="figures">
    ${
      results.length > 1
        ? html`<thead><tr><td></td>${results.map(({ title }) => html`<th scope="col">${title}</th>`)}</tr></thead>`
        : nothing
    }
    <tbody>${FIGURES.map(({ title, hint, value, text }) => {
      const values = results.map(({ result }) => (result.seams[index] ? value(result.seams[index]) : NaN));
      const best = Math.min(...values);
      return html`<tr><th scope="row" title=${hint}>${title}</th>${values.map(
        (number) =>
          html`<td class=${classMap({ best: results.length > 1 && number === best })}>${Number.isFinite(number) ? text(number) : "–"}</td>`,
      )}</tr>`;
    })}</tbody>
  </table>`;
}

/** Changed and measured ranges, in small print. */
function small(seam: Seam): TemplateResult {
  return html`<details class="small-print facts"><summary>Frames</summary>
    <p>Frame ${seam.frame + 1}; frames ${seam.editedRange.from + 1} to ${seam.editedRange.to} changed${seam.method === "rmr" ? " by the network" : ""}</p>
    ${
      seam.driftCm === undefined
        ? nothing
        : html`<p
          title="Distance between the ends of the network's own path and of the clips' path, which is used">Path kept; the network alone would drift ${centimetres(seam.driftCm)}</p>`
    }
    ${
      seam.cut
        ? html`<p title="Frames of the cut, and its L-score (lower is better)">Cut from ${seam.cut.takeoff + 1} to ${seam.cut.landing + 1}${
            seam.method === "lscore" ? ` with ${count(seam.cut.inject, "frame")} between` : ""
          }; L-score ${seam.cut.score.toPrecision(3)}</p>`
        : nothing
    }
    <p>Measured over frames ${seam.measuredRange.from + 1} to ${seam.measuredRange.to}, a second on each side, for every method</p>
  </details>`;
}

function seamCard(mode: Stitch, results: Column[], index: number, current: boolean): TemplateResult {
  const result = mode.shownResult();
  const seam = result?.seams[index];
  if (!result || !seam) return html``;
  const [before, after] = [result.items[index], result.items[index + 1]];
  const dot = (item: typeof before) =>
    html`<span class="chip" ${styled({ "--clip": clipColor(item?.color ?? 0) })} aria-hidden="true"></span>`;
  const name = (item: typeof before): string => mode.sourceOf(item)?.name ?? "";
  const go = (): void => {
    mode.clock.play(false);
    mode.clock.seek(seam.frame);
  };
  const looped =
    mode.clock.range !== undefined && mode.clock.range.from <= seam.frame && seam.frame < mode.clock.range.to;
  return html`<li class=${classMap({ card: true, selected: current })}>
    <div class="card-head">
      <span class="seam-number">${index + 1}</span>
      <button class="name" type="button" @click=${go}
        title="Go to frame ${seam.frame + 1}">${dot(before)}<span>${name(before)}</span> → ${dot(after)}<span>${name(after)}</span></button>
      <button class="tool small" type="button" aria-pressed=${looped} title="Loop around this seam"
        aria-label="Loop around seam ${index + 1}" @click=${() => loopAround(mode, index)}>${icon("loop")}</button>
    </div>
    ${joinCard(mode, result, index)}
    ${seam.fallbackReason ? html`<span class="facts">Not refined: ${seam.fallbackReason}</span>` : nothing}
    ${figures(results, index)}
    ${small(seam)}
  </li>`;
}

/** Offers the network next to the foot measurements of a blend. */
function offer(mode: Stitch): TemplateResult | typeof nothing {
  const { busy, info } = mode.app.networks;
  const network = mode.app.networks.shippedNetwork(mode.app.settings.networkSet);
  // "Automatic" tries it anyway, and offers to load it.
  if (!network || busy || ["rmr", "auto"].includes(mode.project.method) || !areBipeds(mode)) return nothing;
  return html`<button class="button" type="button" title="Adjusts the steps around each seam (R)" @click=${() => chooseMethod(mode, "rmr")}>Refine by the network${
    info ? nothing : html` <span class="unit">up to ${downloadSize(network)}, once</span>`
  }</button>`;
}

/** Cards that are drawn at first, and that each press adds: hundreds, each with the figures of its joins, would hold up the page. */
const CARDS = 50;
/** Number of cards to draw at most. */
const cardLimits = new WeakMap<Stitch, number>();

/** The cards of the first seams and of the current one, and a button for more. */
function seamCards(mode: Stitch, results: Column[], total: number): TemplateResult {
  const current = nearestMark(mode);
  const most = Math.min(total, cardLimits.get(mode) ?? CARDS);
  const listed = Array.from({ length: most }, (_, i) => i);
  if (current >= most && current < total) listed.push(current);
  const more = (): void => {
    cardLimits.set(mode, most + CARDS);
    mode.app.requestUpdate();
  };
  return html`<ol class="cards">${listed.map((i) => seamCard(mode, results, i, i === current))}</ol>
    ${total > listed.length ? html`<button class="button" type="button" @click=${more}>Show more: ${total - listed.length} of ${total} seams are not listed</button>` : nothing}`;
}

/** The panel of the seams. */
export const seams = (mode: Stitch): Panel => ({
  id: "seams",
  title: "Seams",
  region: "right",
  note: () => String(mode.shownResult()?.seams.length || ""),
  view: () => {
    const results = columns(mode);
    const result = mode.shownResult();
    if (!result?.seams.length)
      return html`<p class="quiet">Add two clips: the figures of the seam between them appear here.</p>`;
    return html`${offer(mode)}
      ${seamCards(mode, results, result.seams.length)}
      ${
        result.warnings.length
          ? html`<ul class="remarks">${result.warnings.map((text) => html`<li>${icon("warn")} ${sentence(text)}</li>`)}</ul>`
          : nothing
      }`;
  },
});
