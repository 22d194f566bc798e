/** The panel of gaps: number of frames, method and measurements of each gap, compared with plain interpolation. */
import { html, nothing, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import { sentence } from "../../../core/engine";
import { centimetres, count, jerk, millimetres } from "../../../core/format";
import type { Panel } from "../../../core/panel";
import { icon } from "../../../ui/icons";
import { styled } from "../../../ui/style-directive";
import { clipColor } from "../../../viewer/palette";
import { MAX_GAP, MIN_GAP, setGap } from "../document";
import type { Inbetween } from "../inbetween";
import { methodName } from "../methods";
import { chooseMethod } from "../network";
import type { SolvedMotion } from "../solver";

type Gap = SolvedMotion["clip"]["gaps"][number];

const MEASURES: readonly {
  title: string;
  hint: string;
  value: (gap: Gap) => number;
  text: (value: number) => string;
}[] = [
  {
    title: "Foot skate",
    hint: "Distance that a foot slides per frame while it touches the ground. Less is better.",
    value: (gap) => gap.footSkate,
    text: millimetres,
  },
  {
    title: "Peak jerk",
    hint: "The most sudden change of acceleration of any joint, including both ends of the gap. Less is better.",
    value: (gap) => gap.peakJerk,
    text: jerk,
  },
];

function measurementTable(mode: Inbetween, index: number): TemplateResult {
  const { result, plain } = mode;
  const columns = [plain.solved, result.solved]
    .filter((solved) => solved !== undefined)
    .filter((solved, i, all) => i === 0 || solved.method !== all[0].method);
  return html`<table class="figures">
    ${
      columns.length > 1
        ? html`<thead><tr><td></td>${columns.map(({ method }) => html`<th scope="col">${methodName(method)}</th>`)}</tr></thead>`
        : nothing
    }
    <tbody>${MEASURES.map(({ title, hint, value, text }) => {
      const values = columns.map(({ clip }) => (clip.gaps[index] ? value(clip.gaps[index]) : NaN));
      const best = Math.min(...values);
      return html`<tr><th scope="row" title=${hint}>${title}</th>${values.map(
        (number) =>
          html`<td class=${classMap({ best: columns.length > 1 && number === best })}>${Number.isFinite(number) ? text(number) : "–"}</td>`,
      )}</tr>`;
    })}</tbody>
  </table>`;
}

/** Renders the method that "auto" chose for a gap, and a table of the methods that it tried. */
function triedMethods(mode: Inbetween, { method, trials }: Gap): TemplateResult | typeof nothing {
  if (!trials?.length) return nothing;
  return html`<p class="trial-summary">Method: ${methodName(method)}. <span class="unit">Best of ${count(trials.length, "method")}.</span></p>
    <details class="small-print"><summary>All methods, the most natural first</summary>
      <table class="figures">
        <thead><tr><td></td><th scope="col" title="How much the motion differs from recorded motion. Less is better.">Score</th><th
          scope="col">Foot skate</th><th scope="col">Peak jerk</th></tr></thead>
        <tbody>${trials.map(
          (trial) => html`<tr>
            <th scope="row"><button class="link" type="button" title="Fill every gap with this method" @click=${() =>
              void chooseMethod(mode, trial.method)}>${methodName(trial.method)}</button></th>
            <td>${trial.score.toFixed(2)}</td><td>${millimetres(trial.footSkate)}</td><td>${jerk(trial.peakJerk)}</td></tr>`,
        )}</tbody>
      </table></details>`;
}

function card(mode: Inbetween, solved: SolvedMotion, index: number): TemplateResult {
  const gap = solved.clip.gaps[index];
  const { keys, gaps } = mode.document;
  if (!gap || gaps[index] === undefined) return html``;
  const dot = (color: number | undefined): TemplateResult =>
    html`<span class="chip" ${styled({ "--clip": clipColor(color ?? 0) })} aria-hidden="true"></span>`;
  const change = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    if (Number.isFinite(input.valueAsNumber))
      mode.edit("frames between keys", (document) => setGap(document, index, input.valueAsNumber), `gap-${index}`);
    input.value = String(mode.document.gaps[index]);
  };
  return html`<li class="card">
    <div class="card-head">
      <button class="name" type="button" title="Go to frame ${gap.range.from + 1}"
        @click=${() => mode.track.goTo(gap.range.from)}>${dot(keys[index]?.color)} ${index + 1} →
        ${dot(keys[index + 1]?.color)} ${index + 2}</button>
    </div>
    <span class="trim-fields"><label>Frames between <input type="number" min=${MIN_GAP} max=${MAX_GAP} .value=${String(gaps[index])}
      aria-label="Frames between keys ${index + 1} and ${index + 2}" @change=${change}></label></span>
    <span class="facts">${count(gap.range.to - gap.range.from, "frame")} generated, ${gap.range.from + 1} to ${gap.range.to}${
      gap.keyErrorCm > 0.05
        ? html`<br>Before correction, the motion misses the key by ${centimetres(gap.keyErrorCm)} and ${gap.keyErrorDegrees.toFixed(1)}°`
        : nothing
    }</span>
    ${triedMethods(mode, gap)}${measurementTable(mode, index)}
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
    if (!solved) return html`<p class="quiet">Add two keys: the measurements of the gap between them appear here.</p>`;
    return html`<ol class="cards">${solved.clip.gaps.map((_, i) => card(mode, solved, i))}</ol>
      ${
        solved.clip.warnings.length
          ? html`<ul class="remarks">${solved.clip.warnings.map((text) => html`<li>${icon("warn")} ${sentence(text)}</li>`)}</ul>`
          : nothing
      }`;
  },
});
