/** The panel of gaps: number of frames, method and measurements of each gap, compared with plain interpolation. */
import { html, nothing, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import { sentence } from "../../../core/engine";
import { centimetres, count, jerk, millimetres } from "../../../core/format";
import { hasKnownFeet, isBest } from "../../../core/measurements";
import type { Panel } from "../../../core/panel";
import { icon } from "../../../ui/icons";
import { styled } from "../../../ui/style-directive";
import { clipColor } from "../../../viewer/palette";
import { MAX_GAP, MIN_GAP, setGap, taskOf } from "../document";
import type { Inbetween } from "../inbetween";
import { methodName } from "../methods";
import { chooseMethod } from "../network";
import type { SolvedMotion } from "../solver";
import { emptyText } from "./empty-text";

type Gap = SolvedMotion["clip"]["gaps"][number];

const MEASURES: readonly {
  title: string;
  hint: string;
  value: (gap: Gap, solved: SolvedMotion) => number;
  text: (value: number) => string;
}[] = [
  {
    title: "Foot skate",
    hint: "Distance that a foot slides per frame while it touches the ground. Less is better.",
    value: (gap, solved) => (hasKnownFeet(solved) ? gap.footSkate : NaN),
    text: millimetres,
  },
  {
    title: "Peak jerk",
    hint: "The most sudden change of acceleration of any joint, including both ends of the gap. Less is better.",
    value: (gap) => gap.peakJerk,
    text: jerk,
  },
];

function measurementTable(mode: Inbetween, solved: SolvedMotion, index: number): TemplateResult {
  const plain = mode.plain.solved;
  // The faster of the two methods may already have finished a newer document, whose gaps differ.
  const isComparable = plain && plain.method !== solved.method && taskOf(plain.document) === taskOf(solved.document);
  const columns = isComparable ? [plain, solved] : [solved];
  return html`<table class="figures">
    ${
      columns.length > 1
        ? html`<thead><tr><td></td>${columns.map(({ method }) => html`<th scope="col">${methodName(method)}</th>`)}</tr></thead>`
        : nothing
    }
    <tbody>${MEASURES.map(({ title, hint, value, text }) => {
      const values = columns.map((column) => {
        const gap = column.clip.gaps[index];
        return gap ? value(gap, column) : NaN;
      });
      return html`<tr><th scope="row" title=${hint}>${title}</th>${values.map(
        (number) =>
          html`<td class=${classMap({ best: isBest(number, values, text) })}>${Number.isFinite(number) ? text(number) : "–"}</td>`,
      )}</tr>`;
    })}</tbody>
  </table>`;
}

/** Renders the method that "auto" chose for a gap, and a table of the methods that it tried. */
function triedMethods(mode: Inbetween, { method, trials }: Gap, hasFeet: boolean): TemplateResult | typeof nothing {
  if (!trials?.length) return nothing;
  return html`<p class="trial-summary">Method: ${methodName(method)}. <span class="unit">Best of ${count(trials.length, "method")}.</span></p>
    <details class="small-print"><summary>All tried methods, the most natural first</summary>
      <table class="figures">
        <thead><tr><td></td><th scope="col" title="How much the motion differs from recorded motion. Less is better.">Score</th><th
          scope="col">Foot skate</th><th scope="col">Peak jerk</th></tr></thead>
        <tbody>${trials.map(
          (trial) => html`<tr>
            <th scope="row"><button class="link" type="button" title="Fill every gap with this method" @click=${() =>
              void chooseMethod(mode, trial.method)}>${methodName(trial.method)}</button></th>
            <td>${trial.score.toFixed(2)}</td><td>${hasFeet ? millimetres(trial.footSkate) : "–"}</td><td>${jerk(trial.peakJerk)}</td></tr>`,
        )}</tbody>
      </table></details>`;
}

function card(mode: Inbetween, solved: SolvedMotion, index: number): TemplateResult {
  const gap = solved.clip.gaps[index];
  const [before, after] = solved.document.keys.slice(index, index + 2);
  const { keys, gaps } = mode.document;
  // The document may be newer than the motion: then the gap may have another index, or none.
  const current = keys.findIndex(({ id }, i) => id === before?.id && keys[i + 1]?.id === after?.id);
  if (!gap || gaps[current] === undefined) return html``;
  const dot = (color: number | undefined): TemplateResult =>
    html`<span class="chip" ${styled({ "--clip": clipColor(color ?? 0) })} aria-hidden="true"></span>`;
  const change = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    if (Number.isFinite(input.valueAsNumber))
      mode.edit("frames between keys", (document) => setGap(document, current, input.valueAsNumber), `gap-${current}`);
    input.value = String(mode.document.gaps[current]);
  };
  return html`<li class="card">
    <div class="card-head">
      <button class="name" type="button" title="Go to frame ${gap.range.from + 1}"
        @click=${() => mode.track.goTo(gap.range.from)}>${dot(keys[current]?.color)} ${current + 1} →
        ${dot(keys[current + 1]?.color)} ${current + 2}</button>
    </div>
    <span class="trim-fields"><label>Frames between <input type="number" min=${MIN_GAP} max=${Math.max(MAX_GAP, gaps[current])}
      .value=${String(gaps[current])} aria-label="Frames between keys ${current + 1} and ${current + 2}" @change=${change}></label></span>
    <span class="facts">${count(gap.range.to - gap.range.from, "frame")} generated: frames ${gap.range.from + 1} to ${gap.range.to}${
      gap.keyErrorCm > 0.05 || gap.keyErrorDegrees > 0.05
        ? html`<br>Before correction, the motion missed the next key by ${centimetres(gap.keyErrorCm)} and ${gap.keyErrorDegrees.toFixed(1)}°`
        : nothing
    }</span>
    ${triedMethods(mode, gap, hasKnownFeet(solved))}${measurementTable(mode, solved, index)}
  </li>`;
}

/** Creates the panel of the gaps. */
export const gapsPanel = (mode: Inbetween): Panel => ({
  id: "gaps",
  title: "Gaps",
  region: "right",
  note: () => String(mode.document.gaps.length || ""),
  view: () => {
    const { solved } = mode.result;
    if (!solved) return html`<p class="quiet">${emptyText(mode, "measurements")}</p>`;
    return html`<ol class="cards">${solved.clip.gaps.map((_, i) => card(mode, solved, i))}</ol>
      ${
        solved.clip.warnings.length
          ? html`<ul class="remarks">${solved.clip.warnings.map((text) => html`<li>${icon("warn")} ${sentence(text)}</li>`)}</ul>`
          : nothing
      }`;
  },
});
