/** Contents over the 3D view: shown motion, progress, errors. */
import { html, nothing, type TemplateResult } from "lit-html";
import { problemBar, progressBar } from "../../ui/messages";
import type { Inbetween } from "./inbetween";
import { methodName } from "./methods";

function sides(mode: Inbetween): TemplateResult | typeof nothing {
  const { document, plain } = mode;
  if (!plain.solved || document.method === "linear") return nothing;
  const side = (isPlain: boolean, name: string, method: string): TemplateResult =>
    html`<button class="side-name" type="button" aria-pressed=${mode.showsPlain === isPlain} @click=${() => {
      mode.showsPlain = isPlain;
      mode.app.requestUpdate();
    }}><b>${name}</b> ${methodName(method)}</button>`;
  return html`<div class="sides swap" role="group"
    aria-label="Displayed motion (X)">${side(true, "Before", "linear")}${side(false, "After", mode.result.solved?.method ?? document.method)}</div>`;
}

/** Renders the contents over the view. */
export function renderOverlay(mode: Inbetween): TemplateResult {
  const { result, document } = mode;
  const { busy, problem } = result;
  return html`
    ${sides(mode)}
    ${
      document.keys.length === 0
        ? html`<p class="empty">Drop motion files here.<br>
          <small>One pose of each becomes a key; the motion between the keys is generated.</small></p>`
        : nothing
    }
    <div class="messages">
      ${busy && !mode.dragging ? progressBar(busy, "Generating the motion", () => result.cancel()) : nothing}
      ${problem ? problemBar(problem, () => result.retry()) : nothing}
    </div>`;
}
