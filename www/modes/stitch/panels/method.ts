/** The panel "Stitch": choice of the method and of the compared method, and options for all methods. */
import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import type { Method } from "kinestitch/worker";
import type { Panel } from "../../../core/panel";
import type { Compare } from "../../../core/settings";
import { automaticState } from "../../../ui/automatic";
import { choice } from "../../../ui/choice";
import { METHODS } from "../methods";
import { areBipeds, chooseMethod, selectedMethod } from "../method-choice";
import { MAX_CUT_SECS } from "../project";
import type { Stitch } from "../stitch";
import { withFrameRate } from "../stitchable";
import { handFields } from "./by-hand";

const RATES = [24, 25, 30, 50, 60, 120];

const COMPARES: readonly { id: Compare; name: string; title: string }[] = [
  { id: "off", name: "Off", title: "Show the result alone" },
  { id: "swap", name: "A / B", title: "Switch between two methods (X)" },
  { id: "split", name: "Side by side", title: "Two methods next to each other (V)" },
];

function compareFields(mode: Stitch) {
  const {
    project,
    app: { settings },
  } = mode;
  const others = METHODS.filter(({ id }) => id !== project.method && (id !== "rmr" || mode.app.networks.info));
  return html`
    <fieldset class="field">
      <legend>Compare</legend>
      <div class="segments">
        ${COMPARES.map(
          ({
            id,
            name,
            title,
          }) => html`<label title=${title}><input type="radio" name="compare" .checked=${settings.compare === id}
            @change=${() => mode.app.set({ compare: id, side: "a" })}><span>${name}</span></label>`,
        )}
      </div>
    </fieldset>
    ${
      settings.compare === "off"
        ? nothing
        : html`
      <div class="field inline">
        <label for="compare-with">B is</label>
        <select id="compare-with" ${choice(project.compare)} @change=${(event: Event) => {
          const compare = (event.target as HTMLSelectElement).value as Method;
          mode.edit("compare with another method", (current) => ({ ...current, compare }));
        }}>${others.map(({ id, name }) => html`<option value=${id}>${name}</option>`)}</select>
      </div>`
    }`;
}

function methodCards(mode: Stitch): TemplateResult {
  const selected = selectedMethod(mode);
  const [auto] = METHODS;
  const isManual = selected !== "auto";
  return html`<fieldset class="field">
    <legend>Method</legend>
    <div class="choices">
      <label class="choice">
        <input type="radio" name="method" .checked=${live(!isManual)} @change=${() => chooseMethod(mode, "auto")}>
        <span><strong>${auto.name}</strong><small>${auto.hint}</small></span></label>
      ${isManual ? nothing : automaticState(mode.app, { plain: "inertialization", areBipeds: areBipeds(mode) })}
      <details class="by-hand" .open=${isManual || mode.app.networks.problem !== undefined}>
        <summary>By hand</summary>
        ${handFields(mode, selected)}
      </details>
    </div>
  </fieldset>`;
}

/** Creates the panel of the method. */
export const methodPanel = (mode: Stitch): Panel => ({
  id: "method",
  title: "Stitch",
  region: "left",
  note: () => {
    const result = mode.shownResult();
    return result
      ? `${result.milliseconds < 10 ? result.milliseconds.toFixed(1) : Math.round(result.milliseconds)} ms`
      : "";
  },
  view: () => {
    const { project } = mode;
    const mayCut = project.seam !== "keep" || project.method === "auto" || Object.keys(project.joins).length > 0;
    return html`
      ${methodCards(mode)}
      ${
        mayCut
          ? html`<div class="field">
        <label for="max-cut">Cut away at most</label>
        <span class="row"><input id="max-cut" type="range" min="0.1" max=${MAX_CUT_SECS} step="0.1" .value=${String(project.maxCut)}
          aria-valuetext="${project.maxCut.toFixed(1)} seconds of a clip"
          @input=${(event: Event) => {
            const maxCut = (event.target as HTMLInputElement).valueAsNumber;
            mode.edit("maximum cut", (current) => ({ ...current, maxCut }), "max-cut");
          }} @change=${() => mode.history.seal()}>
          <span class="unit">${project.maxCut.toFixed(1)} s of a clip</span></span>
      </div>`
          : nothing
      }
      <div class="field inline">
        <label class="switch"><input type="checkbox" role="switch" .checked=${project.footLock}
          @change=${() => mode.edit("foot lock", (current) => ({ ...current, footLock: !current.footLock }))}
          ><span>Lock feet to the ground</span></label>
      </div>
      <div class="field inline">
        <label for="fps">Frames a second</label>
        <select id="fps" ${choice(String(project.fps ?? 0))} @change=${(event: Event) => {
          const fps = Number((event.target as HTMLSelectElement).value) || undefined;
          mode.edit("frame rate", (now) => withFrameRate(now, fps, mode.app.library));
        }}>
          <option value="0">as the first clip</option>
          ${RATES.map((fps) => html`<option value=${fps}>${fps}</option>`)}
        </select>
      </div>
      ${compareFields(mode)}`;
  },
});
