/** Contents over the view: help for steering, touch stick, progress, errors. */
import { html, nothing, type TemplateResult } from "lit-html";
import { problemBar, progressBar } from "../../ui/messages";
import type { Control } from "./control";

function hint(mode: Control): TemplateResult | typeof nothing {
  if (!mode.actor || (mode.wasSteered && !mode.isDemo && !mode.paused)) return nothing;
  return html`<p class="steer-hint">${mode.paused ? "Paused. " : ""}<span
    class="with-keys"><kbd>W</kbd> <kbd>A</kbd> <kbd>S</kbd> <kbd>D</kbd> or arrows to steer,
    <kbd>Shift</kbd> to run; or click the ground.</span><span
    class="with-thumb">Use the stick, or tap the ground.</span></p>`;
}

/** Renders the contents over the view. */
export function renderOverlay(mode: Control): TemplateResult {
  const { busy, problem: loadingProblem } = mode.cast;
  const { problem } = mode;
  return html`
    ${mode.actor ? mode.stick.view() : nothing}
    ${hint(mode)}
    <div class="messages">
      ${busy ? progressBar(busy, "Fetching the network", () => mode.cast.cancel()) : nothing}
      ${loadingProblem ? problemBar(loadingProblem, () => void mode.loadCharacters()) : nothing}
      ${problem ? problemBar(problem, () => mode.restart()) : nothing}
      ${
        !busy && !loadingProblem && !mode.actor
          ? html`<button class="button primary" type="button" @click=${() => void mode.loadCharacters()}>Download the network</button>`
          : nothing
      }
    </div>`;
}
