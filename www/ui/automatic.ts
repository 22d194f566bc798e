/** Download state of "Automatic", shown below its entry in the list of methods of a mode. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../core/app";
import { type Automatic, JUDGE_BYTES, NETWORK_BYTES } from "../core/automatic";
import { sentence } from "../core/engine";
import { megabytes } from "../core/networks";
import { icon } from "./icons";

/**
 * Method of the current motion. `plain`: name of the method that is used until "Automatic" is ready. `areBipeds`:
 * whether all bodies are bipeds, which the optional networks require.
 */
export interface CurrentMethod {
  plain: string;
  areBipeds: boolean;
}

function loadButton(auto: Automatic, { plain, areBipeds }: CurrentMethod): TemplateResult | typeof nothing {
  if (!auto.isReady)
    return html`<p>Current method: ${plain}. The automatic choice needs a download of ${megabytes(JUDGE_BYTES)} MB.</p>
      <span class="row"><button class="button small" type="button"
        @click=${() => void auto.load()}>Improve the result</button></span>`;
  if (auto.hasNetworks || NETWORK_BYTES === 0 || !areBipeds) return nothing;
  return html`<span class="row"><button class="button small" type="button"
    title="Also try networks that refine steps and generate frames"
    @click=${() => void auto.loadNetworks()}>Also try networks (${megabytes(NETWORK_BYTES)} MB)</button></span>`;
}

/** Renders the state of "Automatic": its progress, its error, or the button for the next download. */
export function automaticState({ auto }: App, method: CurrentMethod): TemplateResult | typeof nothing {
  const { busy, problem } = auto;
  if (busy) {
    const { bytes = 0, totalBytes = 0 } = busy;
    return html`<div class="network automatic"><div class="row"><progress max="1" .value=${busy.done}
      aria-label="Loading the files of Automatic"></progress>
      <button class="link" type="button" @click=${() => auto.cancel()}>Cancel</button></div>
      <p>${totalBytes > 0 ? `Fetching: ${megabytes(bytes)} of ${megabytes(totalBytes)} MB` : "Fetching…"}</p></div>`;
  }
  const button = loadButton(auto, method);
  if (!problem) return button === nothing ? nothing : html`<div class="network automatic">${button}</div>`;
  return html`<div class="network automatic"><div class="trouble"
    role="alert"><p>${icon("warn")} ${sentence(problem.message)}</p></div>${button}</div>`;
}
