/** How to stitch, and what to compare with. */
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import type { Method, SeamChoice } from "kinestitch/worker";
import type { Panel } from "../../../core/panel";
import type { Compare } from "../../../core/settings";
import { choice } from "../../../ui/choice";
import { METHODS } from "../methods";
import { chooseMethod } from "../refine";
import type { Stitch } from "../stitch";
import { networkFields } from "./network";

const RATES = [24, 25, 30, 50, 60, 120];
const MAX_BLEND = 60;

const COMPARES: readonly { id: Compare; name: string; title: string }[] = [
  { id: "off", name: "Off", title: "Show the result alone" },
  { id: "swap", name: "A / B", title: "Flip between two methods (X)" },
  { id: "split", name: "Side by side", title: "Two methods next to each other (V)" },
];

/** Where one clip is left for the next. */
const SEAMS: readonly { id: SeamChoice; name: string; hint: string }[] = [
  { id: "keep", name: "End to end", hint: "The last frame of one meets the first of the next" },
  {
    id: "best",
    name: "With the least work",
    hint: "Each clip leaves and lands where the least work joins them; the map shows where that is",
  },
  {
    id: "phase",
    name: "Feet in step",
    hint: "Each clip leaves and lands where its feet are in the same phase of their steps",
  },
];

function setBlend(mode: Stitch, input: HTMLInputElement): void {
  const value = input.valueAsNumber;
  const blend = Number.isFinite(value) ? Math.round(Math.max(1, Math.min(MAX_BLEND, value))) : mode.project.blend;
  input.value = String(blend);
  mode.edit(
    `blend of ${blend} frames`,
    (project) => (project.blend === blend ? project : { ...project, blend }),
    "blend",
    Infinity,
  );
}

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
          mode.edit("compare with another method", (now) => ({ ...now, compare }));
        }}>${others.map(({ id, name }) => html`<option value=${id}>${name}</option>`)}</select>
      </div>`
    }`;
}

export const method = (mode: Stitch): Panel => ({
  id: "method",
  title: "Stitch",
  place: "left",
  note: () => {
    const take = mode.shownTake();
    return take ? `${take.milliseconds < 10 ? take.milliseconds.toFixed(1) : Math.round(take.milliseconds)} ms` : "";
  },
  view: () => {
    const { project } = mode;
    // While the network is fetched, it is what was chosen.
    const chosen = mode.app.networks.busy ? "rmr" : project.method;
    return html`
      <fieldset class="field">
        <legend>Method</legend>
        <div class="choices">
          ${METHODS.map(
            ({ id, name, hint }) => html`<label class="choice">
              <input type="radio" name="method" .checked=${live(chosen === id)} @change=${() => chooseMethod(mode, id)}>
              <span><strong>${name}</strong><small>${hint}</small></span></label>
            ${id === "rmr" ? networkFields(mode) : nothing}`,
          )}
        </div>
      </fieldset>
      <div class="field">
        <label for="blend">Blend length</label>
        <span class="row">
          <input id="blend" type="range" min="1" max=${MAX_BLEND} .value=${String(project.blend)} aria-valuetext="${project.blend} frames"
            @input=${(event: Event) => setBlend(mode, event.target as HTMLInputElement)}
            @change=${() => mode.history.seal()}>
          <input type="number" min="1" max=${MAX_BLEND} .value=${String(project.blend)} aria-label="Blend length in frames"
            @change=${(event: Event) => setBlend(mode, event.target as HTMLInputElement)}>
          <span class="unit">frames</span>
        </span>
      </div>
      <div class="field inline">
        <label for="seam">Clips meet</label>
        <select id="seam" title=${SEAMS.find(({ id }) => id === project.seam)?.hint ?? ""} ${choice(project.seam)} @change=${(
          event: Event,
        ) => {
          const seam = (event.target as HTMLSelectElement).value as SeamChoice;
          mode.edit("where clips meet", (now) => ({ ...now, seam }));
        }}>${SEAMS.map(({ id, name, hint }) => html`<option value=${id} title=${hint}>${name}</option>`)}</select>
      </div>
      ${
        project.seam !== "keep" || project.method === "auto"
          ? html`<div class="field">
        <label for="max-cut">Cut away at most</label>
        <span class="row"><input id="max-cut" type="range" min="0.1" max="5" step="0.1" .value=${String(project.maxCut)}
          aria-valuetext="${project.maxCut.toFixed(1)} seconds of a clip"
          @input=${(event: Event) => {
            const maxCut = (event.target as HTMLInputElement).valueAsNumber;
            mode.edit("how much may be cut", (now) => ({ ...now, maxCut }), "max-cut");
          }} @change=${() => mode.history.seal()}>
          <span class="unit">${project.maxCut.toFixed(1)} s of a clip</span></span>
      </div>`
          : nothing
      }
      <div class="field inline">
        <label class="switch"><input type="checkbox" role="switch" .checked=${project.footLock}
          @change=${() => mode.edit("foot lock", (now) => ({ ...now, footLock: !now.footLock }))}><span>Lock feet to the ground</span></label>
      </div>
      <div class="field inline">
        <label for="fps">Frames a second</label>
        <select id="fps" ${choice(String(project.fps ?? 0))} @change=${(event: Event) => {
          const fps = Number((event.target as HTMLSelectElement).value) || undefined;
          mode.edit("frame rate", (now) => ({ ...now, fps }));
        }}>
          <option value="0">as the first clip</option>
          ${RATES.map((fps) => html`<option value=${fps}>${fps}</option>`)}
        </select>
      </div>
      ${compareFields(mode)}`;
  },
});
