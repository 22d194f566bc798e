/** The panel "In-between": method, foot lock, and sending the result to the mode "Stitch". */
import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import type { Panel } from "../../../core/panel";
import { sendToStitch } from "../../../core/send";
import type { Inbetween } from "../inbetween";
import { hasOption, METHODS } from "../methods";
import { automaticFields, loadingMethod, chooseMethod, networkFields } from "../network";
import { variantFields } from "../variants";

/** Creates the panel of the method. */
export const optionsPanel = (mode: Inbetween): Panel => ({
  id: "between",
  title: "In-between",
  region: "left",
  note: () => {
    const clip = mode.solved?.clip;
    return clip ? `${clip.milliseconds < 10 ? clip.milliseconds.toFixed(1) : Math.round(clip.milliseconds)} ms` : "";
  },
  view: () => {
    const { document } = mode;
    return html`
      <fieldset class="field">
        <legend>Method</legend>
        <div class="choices">
          ${METHODS.map(
            ({ id, name, hint }) => html`<label class="choice">
            <input type="radio" name="between-method" .checked=${live((loadingMethod(mode) ?? document.method) === id)} @change=${() =>
              void chooseMethod(mode, id)}>
            <span><strong>${name}</strong><small>${hint}</small></span></label>${
              id === "auto" ? automaticFields(mode) : networkFields(mode, id)
            }${hasOption(id, "seed") && document.method === id ? variantFields(mode) : nothing}`,
          )}
        </div>
      </fieldset>
      <div class="field inline">
        <label class="switch"><input type="checkbox" role="switch" .checked=${document.footLock}
          @change=${() => mode.edit("foot lock", (current) => ({ ...current, footLock: !current.footLock }))}
          ><span>Lock feet to the ground</span></label>
      </div>
      <button class="button" type="button" ?disabled=${!mode.solved}
        title="Use the motion as a clip in Stitch (Ctrl+Enter)"
        @click=${() => void sendToStitch(mode.app)}>Send to Stitch</button>`;
  },
});
