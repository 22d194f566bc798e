/** Whom one steers, and what its network may be used for. */
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import type { Panel } from "../../../core/panel";
import { choice } from "../../../ui/choice";
import { CHARACTERS, shippedOf } from "../characters";
import type { Control } from "../control";

const megabytes = (files: readonly { bytes: number }[] = []): string => `${(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(1)} MB`;

export const character = (mode: Control): Panel => ({
  id: "character",
  title: "Character",
  place: "left",
  note: () => (mode.running && mode.milliseconds > 0 ? `${mode.milliseconds.toFixed(1)} ms a frame` : ""),
  view: () => {
    const networks = shippedOf(mode.lead);
    const network = networks.find(({ set }) => set === (mode.actor?.controller.set ?? mode.app.settings.controlSet)) ?? networks[0];
    return html`
      <fieldset class="field">
        <legend>You steer</legend>
        <div class="choices">
          ${CHARACTERS.map(({ id, name }) => html`<label class="choice">
            <input type="radio" name="character" .checked=${live(mode.lead === id)} @change=${() => void mode.steer(id)}>
            <span><strong>${name}</strong><small>${mode.cast.actors.has(id) ? "On the stage" : `Fetched when you choose it: ${megabytes(shippedOf(id)[0]?.files)}, once`}</small></span></label>`)}
        </div>
      </fieldset>
      ${CHARACTERS.length > 1 ? html`<div class="field inline">
        <label class="switch"><input type="checkbox" role="switch" .checked=${live(mode.both)} ?disabled=${!mode.actor}
          @change=${() => void mode.bring(!mode.both)}><span>The other comes along</span></label>
      </div>` : nothing}
      ${networks.length > 1 ? html`<div class="field inline">
        <label for="control-set">Learned from</label>
        <select id="control-set" ${choice(network?.set ?? "")} @change=${(event: Event) => mode.learnFrom((event.target as HTMLSelectElement).value)}>
          ${networks.map(({ set }) => html`<option value=${set}>${set} recordings</option>`)}
        </select>
      </div>` : nothing}
      ${network ? html`<details class="small-print">
        <summary>About it: ${network.licence}</summary>
        <p>Experts mixed by the phases of the limbs (Starke et al. 2020), ${network.set} set. It learned from:</p>
        <ul>${network.data.map(({ name, licence }) => html`<li>${name}: ${licence}</li>`)}</ul>
      </details>` : nothing}`;
  },
});
