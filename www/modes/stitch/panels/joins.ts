/** The join of a seam in words, the next best joins as small moving figures to choose from, and manual settings. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Trial, JoinOptions } from "kinestitch/worker";
import { sentence } from "../../../core/engine";
import { count, jerk, millimetres } from "../../../core/format";
import { loopAround } from "../../../core/marks";
import { hasKnownFeet } from "../../../core/measurements";
import { Mini } from "../../../viewer/mini";
import type { Item } from "../project";
import type { Stitch } from "../stitch";
import type { StitchResult } from "../stitcher";
import { MAX_ALTERNATIVES } from "../joins/alternatives";
import {
  transitionWords,
  pairKey,
  setJoinOptions,
  textOf,
  joinCaption,
  joinOptionsAt,
  joinOptionsWords,
} from "../joins/join-options";
import { seamByHand } from "./seam-by-hand";

/** A seam of the shown result, between two items. */
export interface ShownSeam {
  mode: Stitch;
  result: StitchResult;
  index: number;
  outgoing: Item;
  incoming: Item;
}

/** Returns the join options in force at a seam: set by hand, chosen by "auto", or the options of all seams. */
export function effectiveJoinOptions({ mode, result, index, outgoing, incoming }: ShownSeam): JoinOptions {
  const seam = result.seams[index];
  const { project, stitcher } = mode;
  const isSideA = result.clip === stitcher.jobs.a.result?.clip;
  const seamOptions = (isSideA ? joinOptionsAt(project, outgoing, incoming) : undefined) ?? seam?.options;
  if (seamOptions) return seamOptions;
  const method = seam && seam.method !== "auto" ? seam.method : "inertialize";
  return {
    method,
    seam: result.method === "auto" ? "keep" : result.defaults.seam,
    ...(method !== "rmr" && { blend: result.defaults.blend }),
    ...(seam?.gap !== undefined && { gap: seam.gap, ...(seam.gapMethod && { gapMethod: seam.gapMethod }) }),
  };
}

/** Sets the join options of a seam (`undefined`: those of all seams), and plays the motion around it. */
export function applyJoinOptions(
  { mode, index, outgoing, incoming }: ShownSeam,
  options: JoinOptions | undefined,
): void {
  const label = options ? `seam ${index + 1}: ${transitionWords(options)}` : `seam ${index + 1}: method of all seams`;
  mode.edit(label, (project) => setJoinOptions(project, outgoing, incoming, options));
  mode.onceStitched(() => {
    mode.clock.setRange(undefined);
    loopAround(mode, index);
  });
}

const minis = new Map<string, Mini>();
/** Above this number, small figures outside the page are discarded, the least recently used first. */
const MAX_MINIS = 300;

function miniOf(mode: Stitch, key: string): Mini {
  const cached = minis.get(key);
  const mini = cached ?? new Mini();
  if (!cached) {
    mini.onVisible = () => mode.app.requestUpdate();
    for (const [old, { element }] of minis) if (minis.size >= MAX_MINIS && !element.isConnected) minis.delete(old);
  }
  // A map lists its keys in the order of insertion.
  minis.delete(key);
  minis.set(key, mini);
  return mini;
}

/** The join under the pointer: key of its seam, and text of its options. */
let hovered: { pair: string; text: string } | undefined;

/** Renders a join as a figure. `slot`: its place in the row, by which its canvas is reused; 0 is the current join's. */
function figure(shown: ShownSeam, slot: number, trial: Trial, isCurrent: boolean): TemplateResult {
  const { mode, outgoing, incoming } = shown;
  const pair = pairKey(outgoing, incoming);
  const mini = miniOf(mode, `${pair} ${slot}`);
  if (mini.isVisible) mini.set(mode.alternatives.preview(outgoing, incoming, trial.options));
  const text = textOf(trial.options);
  const hover = (isOver: boolean) => (): void => {
    hovered = isOver ? { pair, text } : undefined;
    mode.app.requestUpdate();
  };
  const words = joinOptionsWords(trial.options);
  const caption = joinCaption(trial.options);
  return html`<button class="join-trial" type="button" aria-pressed=${isCurrent} title=${words} aria-label="${isCurrent ? "Used" : "Use"}: ${words}"
    @pointerenter=${hover(true)} @pointerleave=${hover(false)} @focus=${hover(true)} @blur=${hover(false)}
    @click=${() => !isCurrent && applyJoinOptions(shown, trial.options)}>
    ${mini.element}<span>${caption.transition}</span><span class="unit">${caption.cut}</span>
  </button>`;
}

/** Renders the measurements of the join under the pointer; a hint if there is none. */
function pointedJoin(shown: ShownSeam, trials: readonly Trial[], currentText: string): TemplateResult {
  const pair = pairKey(shown.outgoing, shown.incoming);
  const pointed = hovered?.pair === pair ? trials.find(({ options }) => textOf(options) === hovered?.text) : undefined;
  if (!pointed) return html`<span class="facts trial-facts">Point at a figure to compare; click to use it.</span>`;
  const peakJerk = jerk(pointed.peakJerk);
  const measurements = hasKnownFeet(shown.result)
    ? `Foot skate ${millimetres(pointed.footSkate)}, peak jerk ${peakJerk}`
    : `Peak jerk ${peakJerk}`;
  return html`<span
    class="facts trial-facts">${textOf(pointed.options) === currentText ? "Now: " : ""}${joinOptionsWords(pointed.options)}.
    ${measurements}.</span>`;
}

/** Renders the button that searches for alternatives, for a seam without stored ones. */
function searchButton({ mode, outgoing, incoming }: ShownSeam, busy: boolean): TemplateResult | typeof nothing {
  if (busy) return html`<span class="facts">Trying other joins…</span>`;
  if (!mode.app.auto.isReady) return nothing;
  return html`<button class="button small" type="button" @click=${() => mode.alternatives.search(outgoing, incoming)}>Show other joins</button>`;
}

function joinFigures(shown: ShownSeam, options: JoinOptions): TemplateResult | typeof nothing {
  const { mode, outgoing, incoming } = shown;
  if (shown.result.clip !== mode.stitcher.jobs.a.result?.clip) return nothing;
  const { trials, busy, problem } = mode.alternatives.of(outgoing, incoming);
  if (problem) return html`<p class="facts" role="alert">${sentence(problem.message)}</p>${searchButton(shown, busy)}`;
  if (!trials?.length) return searchButton(shown, busy);
  const text = textOf(options);
  const current = trials.find(({ options }) => textOf(options) === text);
  const others = trials.filter((trial) => trial !== current).slice(0, MAX_ALTERNATIVES);
  const figures = [...(current ? [current] : []), ...others];
  return html`<div class="join-trials" role="group" aria-label="Joins for seam ${shown.index + 1}, the best first">
      ${figures.map((trial, slot) => figure(shown, current ? slot : slot + 1, trial, trial === current))}
    </div>
    ${pointedJoin(shown, figures, text)}`;
}

/** Renders the part of a seam's card that concerns its join: description, alternatives, manual settings. */
export function joinCard(mode: Stitch, shownResult: StitchResult, index: number): TemplateResult | typeof nothing {
  const [outgoing, incoming] = [shownResult.items[index], shownResult.items[index + 1]];
  if (!outgoing || !incoming) return nothing;
  const shown: ShownSeam = { mode, result: shownResult, index, outgoing, incoming };
  const options = effectiveJoinOptions(shown);
  const manualOptions = joinOptionsAt(mode.project, outgoing, incoming);
  const seam = shownResult.seams[index];
  const origin = manualOptions
    ? "Your choice"
    : seam?.options && seam.trials
      ? `Best of ${count(seam.trials.length, "join")}`
      : "";
  return html`<p class="trial-summary">${joinOptionsWords(options)}.${origin ? html` <span class="unit">${origin}.</span>` : nothing}
      ${
        manualOptions
          ? html`<button class="link" type="button" @click=${() => applyJoinOptions(shown, undefined)}>${
              mode.project.method === "auto" ? "Back to automatic" : "Use the method of all seams"
            }</button>`
          : nothing
      }</p>
    ${joinFigures(shown, options)}
    ${seamByHand(shown, options)}`;
}
