/** Manual settings of one seam: cut and transition. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { InbetweenMethod, SeamChoice, JoinOptions } from "kinestitch/worker";
import { defaultBlend } from "kinestitch/ui";
import { bytesOf, megabytes } from "../../../core/networks";
import { choice } from "../../../ui/choice";
import { areBipeds } from "../method-choice";
import { hasBlendLength } from "../methods";
import { pairKey, joinOptionsAt, textOf } from "../joins/join-options";
import { blendOf, fillerOptions, gapOf, CUT_RULES, DEFAULT_GAP, MAX_BLEND, MAX_GAP, MIN_BLEND } from "./by-hand";
import { applyJoinOptions, type ShownSeam, effectiveJoinOptions } from "./joins";

/** Kinds of transitions. */
const JOINS = [
  ["inertialize", "Inertialization"],
  ["crossfade", "Crossfade"],
  ["lscore", "L-score transition"],
  ["rmr", "Refined by network"],
  ["gap", "Inserted frames"],
] as const;
type Join = (typeof JOINS)[number][0];

/** Returns the join options with another kind of transition, without options of other kinds. */
function withJoin({ seam, blend, gap, gapMethod }: JoinOptions, join: Join): JoinOptions {
  const cut = seam === undefined ? {} : { seam };
  if (join === "gap") return { ...cut, gap: gap ?? DEFAULT_GAP, ...(gapMethod && { gapMethod }) };
  return { ...cut, method: join, ...(hasBlendLength(join) && { blend: blend ?? defaultBlend }) };
}

/**
 * Edits the current join options, which may be newer than those of the last render. An edit without effect is not an
 * undo step.
 */
function change(shown: ShownSeam, edit: (options: JoinOptions) => JoinOptions): void {
  const current = joinOptionsAt(shown.mode.project, shown.outgoing, shown.incoming) ?? effectiveJoinOptions(shown);
  const edited = edit(current);
  if (textOf(edited) !== textOf(current)) applyJoinOptions(shown, edited);
}

function lengthField(shown: ShownSeam, options: JoinOptions, id: string): TemplateResult {
  const seconds = options.blend ?? defaultBlend;
  return html`<div class="field inline"><label for="${id}-blend">Blend length</label>
    <span class="row"><input id="${id}-blend" type="number" min=${MIN_BLEND} max=${MAX_BLEND} step="0.05" .value=${seconds.toFixed(2)} @change=${(
      event: Event,
    ) => {
      const blend = blendOf(event.target as HTMLInputElement, seconds);
      change(shown, (current) => ({ ...current, blend }));
    }}><span class="unit">s</span></span></div>`;
}

function gapFields(shown: ShownSeam, options: JoinOptions, id: string): TemplateResult {
  const gap = options.gap === "auto" || options.gap === undefined ? DEFAULT_GAP : options.gap;
  return html`<div class="field inline"><label for="${id}-gap">New frames</label>
      <input id="${id}-gap" type="number" min="1" max=${MAX_GAP} .value=${String(gap)}
        @change=${(event: Event) => change(shown, (current) => ({ ...current, gap: gapOf(event.target as HTMLInputElement, gap) }))}></div>
    <div class="field inline"><label for="${id}-filler">Made by</label>
      <select id="${id}-filler" ${choice(options.gapMethod ?? "inertialize")} @change=${(event: Event) =>
        change(shown, (current) => ({
          ...current,
          gap: current.gap ?? gap,
          gapMethod: (event.target as HTMLSelectElement).value as InbetweenMethod,
        }))}>${fillerOptions()}</select></div>`;
}

/** Renders the manual settings of a seam. `options`: those in force. */
export function seamByHand(shown: ShownSeam, options: JoinOptions): TemplateResult {
  const { mode, outgoing, incoming, index } = shown;
  const id = `seam-${pairKey(outgoing, incoming)}`;
  const join: Join = options.gap === undefined ? (options.method ?? "inertialize") : "gap";
  const network = mode.app.networks.shippedNetwork(mode.app.settings.networkSet);
  const size = network ? megabytes(bytesOf(network)) : "";
  const isOpen = mode.opened.has(pairKey(outgoing, incoming));
  const toggle = (event: Event): void => {
    const { open } = event.currentTarget as HTMLDetailsElement;
    if (open === isOpen) return;
    if (open) mode.opened.add(pairKey(outgoing, incoming));
    else mode.opened.delete(pairKey(outgoing, incoming));
    mode.app.requestUpdate();
  };
  const fields = (): TemplateResult => html`
    <div class="field inline"><label for="${id}-seam">Clips meet</label>
      <select id="${id}-seam" ${choice(options.seam ?? "keep")} @change=${(event: Event) =>
        change(shown, (current) => ({ ...current, seam: (event.target as HTMLSelectElement).value as SeamChoice }))}>
        ${CUT_RULES.map(({ id: seam, name, hint }) => html`<option value=${seam} title=${hint}>${name}</option>`)}</select></div>
    <div class="field inline"><label for="${id}-join">Between them</label>
      <select id="${id}-join" ${choice(join)} @change=${(event: Event) =>
        change(shown, (current) => withJoin(current, (event.target as HTMLSelectElement).value as Join))}>
        ${JOINS.filter(([kind]) => kind !== "rmr" || (network && areBipeds(mode))).map(
          ([kind, name]) =>
            html`<option value=${kind}>${name}${kind === "rmr" && !mode.app.networks.info ? ` (${size} MB)` : ""}</option>`,
        )}</select></div>
    ${join === "gap" ? gapFields(shown, options, id) : nothing}
    ${hasBlendLength(join) ? lengthField(shown, options, id) : nothing}`;
  return html`<details class="small-print hand" .open=${isOpen} @toggle=${toggle}>
    <summary aria-label="Set seam ${index + 1} by hand">By hand</summary>
    ${isOpen ? fields() : nothing}
  </details>`;
}
