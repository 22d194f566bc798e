/** The panel of seams: join and measurements of each seam, for the shown and the compared method. */
import { html, nothing, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import type { Seam } from "kinestitch/worker";
import { sentence } from "../../../core/engine";
import { centimetres, count, jerk, millimetres } from "../../../core/format";
import { loopAround, nearestMark } from "../../../core/marks";
import { hasKnownFeet, isBest } from "../../../core/measurements";
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

const MEASURES: readonly {
  title: string;
  hint: string;
  value: (seam: Seam, result: StitchResult) => number;
  text: (value: number) => string;
}[] = [
  {
    title: "Foot skate",
    hint: "Distance that a foot slides per frame while it touches the ground, in the second before and after the seam. Less is better.",
    value: (seam, result) => (hasKnownFeet(result) ? seam.footSkate : NaN),
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

/** Returns the result and the compared result from left to right: "before" is left of "after". */
function resultColumns(mode: Stitch): Column[] {
  const { a, b } = mode.stitcher.jobs;
  const titles = isBeforeAfter(mode) ? { a: "", b: "" } : { a: "A · ", b: "B · " };
  const columns = (["a", "b"] as const).flatMap((side) => {
    const result = { a, b }[side].result;
    return result ? [{ result, title: `${titles[side]}${methodShort(result.method)}` }] : [];
  });
  if (!isCompared(mode)) return columns.slice(0, 1);
  return isBeforeAfter(mode) ? columns.reverse() : columns;
}

function measurementTable(columns: Column[], index: number): TemplateResult {
  return html`<table class="figures">
    ${
      columns.length > 1
        ? html`<thead><tr><td></td>${columns.map(({ title }) => html`<th scope="col">${title}</th>`)}</tr></thead>`
        : nothing
    }
    <tbody>${MEASURES.map(({ title, hint, value, text }) => {
      const values = columns.map(({ result }) => (result.seams[index] ? value(result.seams[index], result) : NaN));
      return html`<tr><th scope="row" title=${hint}>${title}</th>${values.map(
        (number) =>
          html`<td class=${classMap({ best: isBest(number, values, text) })}>${Number.isFinite(number) ? text(number) : "–"}</td>`,
      )}</tr>`;
    })}</tbody>
  </table>`;
}

/** Renders the changed and measured ranges of frames, in small print. */
function frameDetails(seam: Seam): TemplateResult {
  return html`<details class="small-print facts"><summary>Frames</summary>
    <p>Frame ${seam.frame + 1}; frames ${seam.editedRange.from + 1} to ${seam.editedRange.to} changed${
      seam.method === "rmr" ? " by the network" : ""
    }</p>
    ${
      seam.driftCm === undefined
        ? nothing
        : html`<p
          title="Distance between the end of the path that the network predicts and the end of the path of the clips"
          >The path of the clips is kept; the path of the network would drift by ${centimetres(seam.driftCm)}</p>`
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

/** Renders the visible faults of a seam, and what to try. */
function faultList({ faults }: Seam): TemplateResult | typeof nothing {
  if (faults.length === 0) return nothing;
  return html`<ul class="faults facts">${faults.map(
    ({ text, remedy }) => html`<li title=${remedy}>${sentence(text)} <span class="quiet">${remedy}</span></li>`,
  )}</ul>`;
}

function seamCard(mode: Stitch, columns: Column[], index: number, isCurrent: boolean): TemplateResult {
  const result = mode.shownResult();
  const seam = result?.seams[index];
  if (!result || !seam) return html``;
  const [outgoing, incoming] = [result.items[index], result.items[index + 1]];
  const dot = (item: typeof outgoing) =>
    html`<span class="chip" ${styled({ "--clip": clipColor(item?.color ?? 0) })} aria-hidden="true"></span>`;
  const name = (item: typeof outgoing): string => mode.sourceOf(item)?.name ?? "";
  const goToSeam = (): void => {
    mode.clock.play(false);
    mode.clock.seek(seam.frame);
  };
  const isLooped =
    mode.clock.range !== undefined && mode.clock.range.from <= seam.frame && seam.frame < mode.clock.range.to;
  return html`<li class=${classMap({ card: true, selected: isCurrent })}>
    <div class="card-head">
      <span class="seam-number">${index + 1}</span>
      <button class="name" type="button" @click=${goToSeam}
        title="Go to frame ${seam.frame + 1}">${dot(outgoing)}<span>${name(outgoing)}</span> →
        ${dot(incoming)}<span>${name(incoming)}</span></button>
      <button class="tool small" type="button" aria-pressed=${isLooped} title="Loop around this seam"
        aria-label="Loop around seam ${index + 1}" @click=${() => loopAround(mode, index)}>${icon("loop")}</button>
    </div>
    ${joinCard(mode, result, index)}
    ${seam.fallbackReason ? html`<span class="facts">Not refined: ${seam.fallbackReason}</span>` : nothing}
    ${faultList(seam)}
    ${measurementTable(columns, index)}
    ${frameDetails(seam)}
  </li>`;
}

/** Renders a button that refines a blend by the network. */
function refineButton(mode: Stitch): TemplateResult | typeof nothing {
  const { busy, info } = mode.app.networks;
  const network = mode.app.networks.shippedNetwork(mode.app.settings.networkSet);
  // "Automatic" tries the network itself, and offers to load it.
  if (!network || busy || ["rmr", "auto"].includes(mode.project.method) || !areBipeds(mode)) return nothing;
  return html`<button class="button" type="button" title="Adjusts the steps around each seam (R)"
    @click=${() => chooseMethod(mode, "rmr")}>Refine by the network${
      info ? nothing : html` <span class="unit">up to ${downloadSize(network)}, once</span>`
    }</button>`;
}

/** Number of cards that are rendered at first, and that "Show more" adds: rendering hundreds takes too long. */
const CARD_STEP = 50;
/** Maximum number of cards, once "Show more" was pressed. */
const cardLimits = new WeakMap<Stitch, number>();

/** Renders the cards of the first seams and of the current seam, and a button that shows more. */
function seamCards(mode: Stitch, columns: Column[], total: number): TemplateResult {
  const current = nearestMark(mode);
  const limit = Math.min(total, cardLimits.get(mode) ?? CARD_STEP);
  const listed = Array.from({ length: limit }, (_, i) => i);
  if (current >= limit && current < total) listed.push(current);
  const showMore = (): void => {
    cardLimits.set(mode, limit + CARD_STEP);
    mode.app.requestUpdate();
  };
  return html`<ol class="cards">${listed.map((i) => seamCard(mode, columns, i, i === current))}</ol>
    ${
      total > listed.length
        ? html`<button class="button" type="button" @click=${showMore}>Show more:
          ${total - listed.length} of ${total} seams are not listed</button>`
        : nothing
    }`;
}

/** Creates the panel of the seams. */
export const seamsPanel = (mode: Stitch): Panel => ({
  id: "seams",
  title: "Seams",
  region: "right",
  note: () => String(mode.shownResult()?.seams.length || ""),
  view: () => {
    const columns = resultColumns(mode);
    const result = mode.shownResult();
    if (!result?.seams.length)
      return html`<p class="quiet">Add two clips: the measurements of the seam between them appear here.</p>`;
    return html`${refineButton(mode)}
      ${seamCards(mode, columns, result.seams.length)}
      ${
        result.warnings.length
          ? html`<ul class="remarks">${result.warnings.map((text) => html`<li>${icon("warn")} ${sentence(text)}</li>`)}</ul>`
          : nothing
      }`;
  },
});
