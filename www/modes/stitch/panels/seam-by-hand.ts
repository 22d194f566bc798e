/** Manual settings of one seam: cut and transition. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { InbetweenMethod, SeamChoice, JoinOptions } from "kinestitch/worker";
import { megabytes } from "../../../core/networks";
import { choice } from "../../../ui/choice";
import { areBipeds } from "../refine";
import { pairOf, joinOptionsAt } from "../joins/join-options";
import { fillerOptions, gapOf, SEAMS } from "./by-hand";
import { take, type SeamPlace, effectiveJoinOptions } from "./joins";

/** Kinds of transitions. */
const JOINS = [
  ["inertialize", "Momentum blend"],
  ["crossfade", "Crossfade"],
  ["lscore", "Shortest smooth transition"],
  ["rmr", "Refined by network"],
  ["gap", "New frames"],
] as const;
type Join = (typeof JOINS)[number][0];

/** Default blend length, seconds, and number of inserted frames. */
const [USUAL_BLEND, USUAL_GAP] = [0.5, 15];

/** Returns the join options with another kind of transition, without options of other kinds. */
function withJoin({ seam, blend, gap, gapMethod }: JoinOptions, join: Join): JoinOptions {
  const cut = seam === undefined ? {} : { seam };
  if (join === "gap") return { ...cut, gap: gap ?? USUAL_GAP, ...(gapMethod && { gapMethod }) };
  const hasLength = join === "inertialize" || join === "crossfade";
  return { ...cut, method: join, ...(hasLength && { blend: blend ?? USUAL_BLEND }) };
}

/** Changes the join options of the current document, because edits and results may come between two renders. */
const change = (place: SeamPlace, edit: (options: JoinOptions) => JoinOptions): void =>
  take(place, edit(joinOptionsAt(place.mode.project, place.before, place.after) ?? effectiveJoinOptions(place)));

function lengthField(place: SeamPlace, now: JoinOptions, id: string): TemplateResult {
  const seconds = now.blend ?? USUAL_BLEND;
  return html`<div class="field inline"><label for="${id}-blend">Blend length</label>
    <span class="row"><input id="${id}-blend" type="number" min="0.05" max="2" step="0.05" .value=${seconds.toFixed(2)} @change=${(
      event: Event,
    ) => {
      const input = event.target as HTMLInputElement;
      const blend = Number.isFinite(input.valueAsNumber) ? Math.max(0.05, Math.min(2, input.valueAsNumber)) : seconds;
      input.value = blend.toFixed(2);
      change(place, (options) => ({ ...options, blend }));
    }}><span class="unit">s</span></span></div>`;
}

function gapFields(place: SeamPlace, now: JoinOptions, id: string): TemplateResult {
  const gap = now.gap === "auto" || now.gap === undefined ? USUAL_GAP : now.gap;
  return html`<div class="field inline"><label for="${id}-gap">New frames</label>
      <input id="${id}-gap" type="number" min="1" max="480" .value=${String(gap)}
        @change=${(event: Event) => change(place, (options) => ({ ...options, gap: gapOf(event.target as HTMLInputElement, gap) }))}></div>
    <div class="field inline"><label for="${id}-filler">Made by</label>
      <select id="${id}-filler" ${choice(now.gapMethod ?? "inertialize")} @change=${(event: Event) =>
        change(place, (options) => ({
          ...options,
          gap: options.gap ?? gap,
          gapMethod: (event.target as HTMLSelectElement).value as InbetweenMethod,
        }))}>${fillerOptions()}</select></div>`;
}

export function seamByHand(place: SeamPlace, now: JoinOptions): TemplateResult {
  const { mode, before, after, index } = place;
  const id = `seam-${pairOf(before, after)}`;
  const join: Join = now.gap === undefined ? (now.method ?? "inertialize") : "gap";
  const network = mode.app.networks.shippedNetwork(mode.app.settings.networkSet);
  const size = network ? megabytes(network.files.reduce((sum, { bytes }) => sum + bytes, 0)) : "";
  const isOpen = mode.opened.has(pairOf(before, after));
  const toggle = (event: Event): void => {
    const { open } = event.currentTarget as HTMLDetailsElement;
    if (open === isOpen) return;
    if (open) mode.opened.add(pairOf(before, after));
    else mode.opened.delete(pairOf(before, after));
    mode.app.changed();
  };
  const fields = (): TemplateResult => html`
    <div class="field inline"><label for="${id}-seam">Clips meet</label>
      <select id="${id}-seam" ${choice(now.seam ?? "keep")} @change=${(event: Event) =>
        change(place, (options) => ({ ...options, seam: (event.target as HTMLSelectElement).value as SeamChoice }))}>
        ${SEAMS.map(({ id: seam, name, hint }) => html`<option value=${seam} title=${hint}>${name}</option>`)}</select></div>
    <div class="field inline"><label for="${id}-join">Between them</label>
      <select id="${id}-join" ${choice(join)} @change=${(event: Event) =>
        change(place, (options) => withJoin(options, (event.target as HTMLSelectElement).value as Join))}>
        ${JOINS.filter(([which]) => which !== "rmr" || (network && areBipeds(mode))).map(
          ([which, name]) =>
            html`<option value=${which}>${name}${which === "rmr" && !mode.app.networks.info ? ` (${size} MB)` : ""}</option>`,
        )}</select></div>
    ${join === "gap" ? gapFields(place, now, id) : nothing}
    ${join === "inertialize" || join === "crossfade" ? lengthField(place, now, id) : nothing}`;
  return html`<details class="small-print hand" .open=${isOpen} @toggle=${toggle}>
    <summary aria-label="Set seam ${index + 1} by hand">By hand</summary>
    ${isOpen ? fields() : nothing}
  </details>`;
}
