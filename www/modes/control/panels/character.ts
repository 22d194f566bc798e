/** The panel of the character: choice of character and body, and licence of its network. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { CharacterName } from "kinestitch/worker";
import { live } from "lit-html/directives/live.js";
import { bytesOf, megabytes, type ShippedNetwork } from "../../../core/networks";
import type { Panel } from "../../../core/panel";
import { choice } from "../../../ui/choice";
import { bodiesFor, OWN_BODY } from "../bodies";
import { CHARACTERS, shippedOf } from "../characters";
import type { Control } from "../control";

/** Returns the loaded or the default network of a character. */
function networkOf(mode: Control, id: CharacterName): ShippedNetwork | undefined {
  const networks = shippedOf(id);
  return (
    networks.find(({ set }) => set === (mode.cast.actors.get(id)?.controller.set ?? mode.app.settings.controlSet)) ??
    networks[0]
  );
}

function smallPrint(mode: Control, id: CharacterName, name: string): TemplateResult | typeof nothing {
  const network = networkOf(mode, id);
  if (!network) return nothing;
  return html`<details class="small-print">
    <summary>About the ${name.toLowerCase()}: ${network.licence}</summary>
    <p>Experts mixed by the phases of the limbs (Starke et al. 2020), ${network.set} set. Training data:</p>
    <ul>${network.data.map((data) => html`<li>${data.name}: ${data.licence}</li>`)}</ul>
  </details>`;
}

/** Creates the panel of the character. */
export const characterPanel = (mode: Control): Panel => ({
  id: "character",
  title: "Character",
  region: "left",
  note: () => (mode.running && mode.milliseconds > 0 ? `${mode.milliseconds.toFixed(1)} ms per frame` : ""),
  view: () => {
    const networks = shippedOf(mode.lead);
    const network = networkOf(mode, mode.lead);
    const sizeOf = (id: CharacterName): number => bytesOf(networkOf(mode, id) ?? { files: [] });
    const userBodies = bodiesFor(mode.app, mode.lead);
    return html`
      <fieldset class="field">
        <legend>Character to steer</legend>
        <div class="choices">
          ${CHARACTERS.map(
            ({ id, name }) => html`<label class="choice">
            <input type="radio" name="character" .checked=${live(mode.lead === id)} @change=${() => void mode.steer(id)}>
            <span><strong>${name}</strong><small>${
              mode.cast.actors.has(id)
                ? "On the stage"
                : `Downloaded once when you choose it: ${megabytes(sizeOf(id))} MB`
            }</small></span></label>`,
          )}
        </div>
      </fieldset>
      ${
        userBodies.length > 0
          ? html`<div class="field inline">
        <label for="control-body">Body</label>
        <select id="control-body" ${choice(mode.body)} ?disabled=${!mode.actor}
          @change=${(event: Event) => mode.setBody((event.target as HTMLSelectElement).value)}>
          <option value=${OWN_BODY}>its own</option>
          ${userBodies.map(({ id, name }) => html`<option value=${id}>${name}</option>`)}
        </select>
      </div>`
          : nothing
      }
      ${
        CHARACTERS.length > 1
          ? html`<div class="field inline">
        <label class="switch"><input type="checkbox" role="switch" .checked=${live(mode.both)} ?disabled=${!mode.actor}
          @change=${() => void mode.showBoth(!mode.both)}><span>Show both characters</span></label>
      </div>`
          : nothing
      }
      ${
        networks.length > 1
          ? html`<div class="field inline">
        <label for="control-set">Training data</label>
        <select id="control-set" ${choice(network?.set ?? "")}
          @change=${(event: Event) => mode.setTrainingData((event.target as HTMLSelectElement).value)}>
          ${networks.map(({ set }) => html`<option value=${set}>${set} recordings</option>`)}
        </select>
      </div>`
          : nothing
      }
      ${CHARACTERS.filter(({ id }) => id === mode.lead || mode.both).map(({ id, name }) => smallPrint(mode, id, name))}`;
  },
});
