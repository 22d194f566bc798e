/** The panel of motion settings: speed, style, variation, action, ground, facing. */
import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import type { Panel } from "../../../core/panel";
import { choice } from "../../../ui/choice";
import type { Control } from "../control";
import { GROUNDS } from "../grounds";

/** Lowest speed that can be chosen, and step of the slider, m/s. */
const [MIN_SPEED, SPEED_STEP] = [0.2, 0.1];

type Setting = Pick<Control, "speed" | "style" | "action" | "strafes" | "noise" | "seed">;

/** Changes settings of the motion. */
function change(mode: Control, settings: Partial<Setting>): void {
  Object.assign(mode, settings);
  mode.app.requestUpdate();
}

function speedField(mode: Control, speed: number, fastest: number): TemplateResult {
  return html`<div class="field">
    <label for="steer-speed">Speed</label>
    <span class="row"><input id="steer-speed" type="range" min=${MIN_SPEED} max=${fastest.toFixed(1)} step=${SPEED_STEP} .value=${String(speed)}
      aria-valuetext="${speed.toFixed(1)} metres per second"
        @input=${(event: Event) => change(mode, { speed: (event.target as HTMLInputElement).valueAsNumber })}>
      <span class="unit">${speed.toFixed(1)} m/s</span></span>
  </div>`;
}

/** Renders the choice of the style; nothing if there is only one. */
function styleField(mode: Control, styles: readonly string[]): TemplateResult | typeof nothing {
  if (styles.length <= 1) return nothing;
  return html`<div class="field inline">
    <label for="steer-style">Style</label>
    <select id="steer-style" ${choice(mode.style ?? styles[0] ?? "")}
      @change=${(event: Event) => change(mode, { style: (event.target as HTMLSelectElement).value })}>
      ${styles.map((style) => html`<option value=${style}>${style}</option>`)}</select>
  </div>`;
}

/** Renders the amplitude of variations, and a button for other variations. */
function variationField(mode: Control): TemplateResult {
  const percent = Math.round(mode.noise * 100);
  return html`<div class="field">
    <label for="steer-noise">Variation</label>
    <span class="row"><input id="steer-noise" type="range" min="0" max="1" step="0.05" .value=${String(mode.noise)}
      aria-valuetext=${mode.noise ? `${percent} percent` : "none"}
        @input=${(event: Event) => change(mode, { noise: (event.target as HTMLInputElement).valueAsNumber })}>
      <span class="unit">${mode.noise ? `${percent} %` : "none"}</span></span>
    <span class="row"><button class="button small" type="button" ?disabled=${!mode.noise}
      title="Another variation of the motion: variation ${mode.seed + 1}"
      @click=${() => change(mode, { seed: mode.seed + 1 })}>Another variation</button></span>
  </div>`;
}

/** Renders the choice of an action; nothing if the character has none. */
function actionField(mode: Control, actions: readonly string[]): TemplateResult | typeof nothing {
  if (actions.length === 0) return nothing;
  return html`<fieldset class="field">
    <legend>Action</legend>
    <div class="row wrap">${["", ...actions].map(
      (action) =>
        html`<button class="button small" type="button" aria-pressed=${(mode.action ?? "") === action}
          @click=${() => change(mode, { action: action || undefined })}>${action || "move"}</button>`,
    )}</div>
  </fieldset>`;
}

/** Creates the panel of the motion settings. */
export const motionPanel = (mode: Control): Panel => ({
  id: "motion",
  title: "Motion",
  region: "right",
  view: () => {
    const { actor, entry } = mode;
    if (!actor || !entry) return html`<p class="quiet">Speed and style appear here when the character is loaded.</p>`;
    const { styles, actions, fastest, scale, varies } = actor.controller;
    const speed = Math.min(fastest, mode.speed ?? entry.walk * scale);
    return html`
      ${speedField(mode, speed, fastest)}
      ${styleField(mode, styles)}
      ${varies ? variationField(mode) : nothing}
      ${actionField(mode, actions)}
      <div class="field inline">
        <label for="steer-ground">Ground</label>
        <select id="steer-ground" ${choice(mode.ground)}
          @change=${(event: Event) => mode.setGround((event.target as HTMLSelectElement).value)}>
          ${GROUNDS.map(({ id, name }) => html`<option value=${id}>${name}</option>`)}</select>
      </div>
      <div class="field inline">
        <label class="switch"><input type="checkbox" role="switch" .checked=${live(mode.strafes)}
          @change=${() => change(mode, { strafes: !mode.strafes })}><span>Face the direction of the camera</span></label>
      </div>`;
  },
});
