/** The join of a seam in words, the next best joins as small moving figures to choose from, and manual settings. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Trial, JoinOptions } from "kinestitch/worker";
import { sentence } from "../../../core/engine";
import { count, jerk, millimetres } from "../../../core/format";
import { loopAround } from "../../../core/marks";
import { Mini } from "../../../viewer/mini";
import type { Item } from "../project";
import type { Stitch } from "../stitch";
import type { Take } from "../stitcher";
import { SHOWN } from "../joins/alternatives";
import { joinWords, pairOf, setJoinOptions, textOf, joinOptionsAt, joinOptionsWords } from "../joins/join-options";
import { seamByHand } from "./seam-by-hand";

/** A seam of the shown result. */
export interface SeamPlace {
  mode: Stitch;
  take: Take;
  index: number;
  before: Item;
  after: Item;
}

/** Returns the join options in force at a seam: set by hand, chosen by "auto", or those of all seams. */
export function effectiveJoinOptions({ mode, take, index, before, after }: SeamPlace): JoinOptions {
  const seam = take.seams[index];
  const { project, stitcher } = mode;
  const isResult = take.clip === stitcher.jobs.a.take?.clip;
  const ofSeam = isResult ? (joinOptionsAt(project, before, after) ?? seam?.options) : undefined;
  if (ofSeam) return ofSeam;
  const method = seam && seam.method !== "auto" ? seam.method : "inertialize";
  return {
    method,
    seam: isResult && project.method !== "auto" ? project.seam : "keep",
    ...(method !== "rmr" && { blend: project.blend / take.motion.fps }),
    ...(seam?.gap !== undefined && { gap: seam.gap, ...(seam.gapMethod && { gapMethod: seam.gapMethod }) }),
  };
}

/** Sets the join options of a seam, and plays the seam; `undefined`: the seam uses the method of all seams. */
export function take({ mode, index, before, after }: SeamPlace, options: JoinOptions | undefined): void {
  const label = options ? `seam ${index + 1}: ${joinWords(options)}` : `seam ${index + 1} as the others`;
  mode.edit(label, (project) => setJoinOptions(project, before, after, options));
  mode.onceStitched(() => {
    mode.clock.setRange(undefined);
    loopAround(mode, index);
  });
}

const minis = new Map<string, Mini>();
/** Number of stored pictures: more than fit on a screen. */
const MAX_MINIS = 300;

function miniOf(mode: Stitch, key: string): Mini {
  const known = minis.get(key);
  if (known) return known;
  const mini = new Mini();
  mini.onWanted = () => mode.app.changed();
  minis.set(key, mini);
  for (const old of minis.keys()) if (minis.size > MAX_MINIS) minis.delete(old);
  return mini;
}

/** The join under the pointer: its seam and key. */
let hovered: { pair: string; text: string } | undefined;

function figure(place: SeamPlace, slot: number, trial: Trial, isTaken: boolean): TemplateResult {
  const { mode, before, after } = place;
  const pair = pairOf(before, after);
  const mini = miniOf(mode, `${pair} ${slot}`);
  if (mini.isVisible) mini.set(mode.alternatives.preview(before, after, trial.options));
  const text = textOf(trial.options);
  const hover = (now: boolean) => (): void => {
    hovered = now ? { pair, text } : undefined;
    mode.app.changed();
  };
  const words = joinOptionsWords(trial.options);
  return html`<button class="way" type="button" aria-pressed=${isTaken} title=${words} aria-label="${isTaken ? "Taken" : "Take"}: ${words}"
    @pointerenter=${hover(true)} @pointerleave=${hover(false)} @focus=${hover(true)} @blur=${hover(false)}
    @click=${() => !isTaken && take(place, trial.options)}>${mini.element}<span>${joinShort(trial.options)}</span></button>`;
}

/** Label below a small figure. */
function joinShort({ method = "inertialize", gap }: JoinOptions): string {
  if (gap !== undefined) return `+${gap} frames`;
  return { inertialize: "Momentum", crossfade: "Crossfade", lscore: "Transition", rmr: "Refined" }[method];
}

/** Measurements of the join under the pointer; else a hint. */
function pointedJoin(place: SeamPlace, trials: readonly Trial[], now: string): TemplateResult {
  const pair = pairOf(place.before, place.after);
  const shown = hovered?.pair === pair ? trials.find(({ options }) => textOf(options) === hovered?.text) : undefined;
  if (!shown) return html`<span class="facts way-line">Point at a figure to compare; click to take it.</span>`;
  return html`<span
    class="facts way-line">${textOf(shown.options) === now ? "Now: " : ""}${joinOptionsWords(shown.options)}. Foot skate ${millimetres(shown.footSkate)}, peak jerk ${jerk(shown.peakJerk)}.</span>`;
}

/** Button that searches for alternatives, before a search or if the result was made by hand. */
function searchButton({ mode, before, after }: SeamPlace, busy: boolean): TemplateResult | typeof nothing {
  if (busy) return html`<span class="facts">Trying other joins…</span>`;
  if (!mode.app.auto.isReady) return nothing;
  return html`<button class="button small" type="button" @click=${() => mode.alternatives.search(before, after)}>Show other joins</button>`;
}

function joinFigures(place: SeamPlace, now: JoinOptions): TemplateResult | typeof nothing {
  const { mode, before, after, take: shown } = place;
  if (shown.clip !== mode.stitcher.jobs.a.take?.clip) return nothing;
  const { trials, busy, problem } = mode.alternatives.of(before, after);
  if (problem) return html`<p class="facts" role="alert">${sentence(problem.message)}</p>`;
  if (!trials?.length) return searchButton(place, busy);
  const text = textOf(now);
  const current = trials.find(({ options }) => textOf(options) === text);
  const others = trials.filter((trial) => trial !== current).slice(0, SHOWN);
  const figures = [...(current ? [current] : []), ...others];
  return html`<div class="ways" role="group" aria-label="Joins for seam ${place.index + 1}, the best first">
      ${figures.map((trial, slot) => figure(place, current ? slot : slot + 1, trial, trial === current))}
    </div>
    ${pointedJoin(place, figures, text)}`;
}

/** The part of a seam's card about its join: description, alternatives, manual settings. */
export function joinCard(mode: Stitch, shownTake: Take, index: number): TemplateResult | typeof nothing {
  const [before, after] = [shownTake.items[index], shownTake.items[index + 1]];
  if (!before || !after) return nothing;
  const place: SeamPlace = { mode, take: shownTake, index, before, after };
  const now = effectiveJoinOptions(place);
  const own = joinOptionsAt(mode.project, before, after);
  const seam = shownTake.seams[index];
  const chosen = own ? "Yours" : seam?.options && seam.trials ? `Best of ${count(seam.trials.length, "join")}` : "";
  return html`<p class="way-words">${joinOptionsWords(now)}.${chosen ? html` <span class="unit">${chosen}.</span>` : nothing}
      ${own ? html`<button class="link" type="button" @click=${() => take(place, undefined)}>${mode.project.method === "auto" ? "Back to automatic" : "As the others"}</button>` : nothing}</p>
    ${joinFigures(place, now)}
    ${seamByHand(place, now)}`;
}
