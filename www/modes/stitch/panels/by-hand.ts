/** Manual settings for all seams: method, inserted frames, blend length, cut. */
import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import type { InbetweenMethod, Method, SeamChoice } from "kinestitch/worker";
import { count } from "../../../core/format";
import { megabytes } from "../../../core/networks";
import { choice } from "../../../ui/choice";
import { FILLERS } from "../../fillers";
import { hasBlendLength, methodName, METHODS } from "../methods";
import { chooseInsertedFrames, chooseMethod, comparedMethod, effectiveMethod } from "../method-choice";
import { isDraft } from "../results";
import type { Stitch } from "../stitch";
import { resultFps } from "../stitchable";
import { networkFields } from "./network";

/** Shortest and longest blend that the page offers, seconds. */
export const [MIN_BLEND, MAX_BLEND] = [0.05, 2];
/** Frame rate by which a blend is shown in seconds as long as there is no clip, frames per second. */
const DEFAULT_FPS = 30;
/** Default and maximum number of inserted frames. */
export const [DEFAULT_GAP, MAX_GAP] = [15, 480];

/** Rules that choose the cut. */
export const CUT_RULES: readonly { id: SeamChoice; name: string; hint: string }[] = [
  { id: "keep", name: "End to end", hint: "The last frame of each clip meets the first frame of the next" },
  {
    id: "best",
    name: "At the lowest L-score",
    hint: "Cuts where the L-score is lowest, as on the map of cuts",
  },
  {
    id: "phase",
    name: "Feet in step",
    hint: "Cuts where the feet of both clips are in the same phase of a step",
  },
];

/** Reads a blend length in seconds and limits it; `fallback` if the input is empty. */
export function blendOf(input: HTMLInputElement, fallback: number): number {
  const value = input.valueAsNumber;
  const seconds = Number.isFinite(value) ? Math.max(MIN_BLEND, Math.min(MAX_BLEND, value)) : fallback;
  input.value = seconds.toFixed(2);
  return seconds;
}

/** Returns the blend length of all seams, seconds. */
const blendSeconds = ({ project, app }: Stitch): number =>
  project.blend / (resultFps(project, app.library) ?? DEFAULT_FPS);

/** Sets the blend length. All edits until the history is sealed are one undo step, as a drag of the slider needs. */
function setBlend(mode: Stitch, input: HTMLInputElement): void {
  const current = blendSeconds(mode);
  const seconds = blendOf(input, current);
  // The document has frames, at the frame rate of the result.
  const blend = mode.project.blend * (seconds / current);
  mode.edit(
    `blend of ${seconds.toFixed(2)} s`,
    (project) => (seconds === current ? project : { ...project, blend }),
    "blend",
    Infinity,
  );
}

/** Renders the gap fillers as options of a `<select>`; networks with their download size. */
export const fillerOptions = (): TemplateResult[] =>
  FILLERS.map(
    ({ id, name, bytes }) =>
      html`<option value=${id}>${name.charAt(0).toUpperCase()}${name.slice(1)}${bytes ? ` (${megabytes(bytes)} MB)` : ""}</option>`,
  );

/** Reads a number of inserted frames and limits it; `fallback` if the input is empty. */
export function gapOf(input: HTMLInputElement, fallback: number): number {
  const value = input.valueAsNumber;
  const gap = Number.isFinite(value) ? Math.round(Math.max(1, Math.min(MAX_GAP, value))) : fallback;
  input.value = String(gap);
  return gap;
}

/** Renders the number of inserted frames, and the choice of the gap filler. */
function insertFields(mode: Stitch, gap: number): TemplateResult {
  const { gapMethod = "inertialize" } = mode.project;
  return html`<div class="network">
    <div class="field inline"><label for="gap">New frames</label>
      <input id="gap" type="number" min="1" max=${MAX_GAP} .value=${String(gap)} @change=${(event: Event) => {
        const frames = gapOf(event.target as HTMLInputElement, gap);
        mode.edit(
          `insert ${count(frames, "frame")}`,
          (project) => (project.gap === frames ? project : { ...project, gap: frames }),
          "gap",
        );
      }}></div>
    <div class="field inline"><label for="gap-method">Made by</label>
      <select id="gap-method" ${choice(gapMethod)} @change=${(event: Event) => {
        const gapMethod = (event.target as HTMLSelectElement).value as InbetweenMethod;
        mode.edit("method of inserted frames", (project) => ({ ...project, gapMethod }));
      }}>${fillerOptions()}</select></div>
  </div>`;
}

/** Returns whether the blend length affects a shown result, and a note if the result of the method ignores it. */
function blendUse(mode: Stitch): { isUsed: boolean; note: string } {
  const [method, compared] = [effectiveMethod(mode), comparedMethod(mode)];
  if (hasBlendLength(method)) return { isUsed: true, note: "" };
  const note = `"${methodName(method)}" has its own blend length`;
  return compared && hasBlendLength(compared) && !isDraft(compared, method)
    ? { isUsed: true, note: `${note}; this one is for "${methodName(compared)}".` }
    : { isUsed: false, note: `${note}.` };
}

/** Renders the blend length. */
function blendField(mode: Stitch): TemplateResult {
  const text = blendSeconds(mode).toFixed(2);
  const { isUsed, note } = blendUse(mode);
  return html`<div class="field">
    <label for="blend">Blend length</label>
    <span class="row">
      <input id="blend" type="range" min=${MIN_BLEND} max=${MAX_BLEND} step="0.05" .value=${text} aria-valuetext="${text} seconds"
        ?disabled=${!isUsed} aria-describedby="blend-note"
        @input=${(event: Event) => setBlend(mode, event.target as HTMLInputElement)}
        @change=${() => mode.history.seal()}>
      <input type="number" min=${MIN_BLEND} max=${MAX_BLEND} step="0.05" .value=${text} aria-label="Blend length in seconds"
        ?disabled=${!isUsed} aria-describedby="blend-note"
        @change=${(event: Event) => {
          setBlend(mode, event.target as HTMLInputElement);
          mode.history.seal();
        }}>
      <span class="unit">s</span>
    </span>
    <small id="blend-note">${note}</small>
  </div>`;
}

/** Renders all manual settings. `selected`: the selected method. */
export function handFields(mode: Stitch, selected: Method): TemplateResult {
  const { project } = mode;
  const inserts = project.gap !== undefined && selected !== "auto" && selected !== "rmr";
  return html`<div class="choices">
    ${METHODS.filter(({ id }) => id !== "auto").map(
      ({ id, name, hint }) => html`<label class="choice">
        <input type="radio" name="method" .checked=${live(selected === id && !inserts)} @change=${() => chooseMethod(mode, id)}>
        <span><strong>${name}</strong><small>${hint}</small></span></label>
      ${id === "rmr" ? networkFields(mode) : nothing}`,
    )}
    <label class="choice">
      <input type="radio" name="method" .checked=${live(inserts)}
        @change=${() => chooseInsertedFrames(mode, DEFAULT_GAP)}>
      <span><strong>Insert frames</strong><small>New frames are inserted between the clips, instead of a blend.</small></span></label>
    ${inserts ? insertFields(mode, project.gap ?? DEFAULT_GAP) : nothing}
  </div>
  ${inserts ? nothing : blendField(mode)}
  <div class="field inline">
    <label for="seam">Clips meet</label>
    <select id="seam" title=${CUT_RULES.find(({ id }) => id === project.seam)?.hint ?? ""} ${choice(project.seam)} @change=${(
      event: Event,
    ) => {
      const seam = (event.target as HTMLSelectElement).value as SeamChoice;
      mode.edit("where clips meet", (current) => ({ ...current, seam }));
    }}>${CUT_RULES.map(({ id, name, hint }) => html`<option value=${id} title=${hint}>${name}</option>`)}</select>
  </div>`;
}
