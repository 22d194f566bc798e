/** The network among the methods: fetched when it is chosen, and in small print what it is and what it may be used for. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { InbetweenMethod } from "kinestitch/worker";
import { sentence } from "../../core/engine";
import { downloadSize, loadingText, type Shipped } from "../../core/networks";
import { icon } from "../../ui/icons";
import type { Inbetween } from "./inbetween";
import { methodName } from "./methods";

/** Chooses a method; the network is fetched first, and the motion stays as it was until it is there. */
export async function chooseMethod(mode: Inbetween, method: InbetweenMethod): Promise<void> {
  const { networks } = mode;
  networks.cancel();
  networks.problem = undefined;
  if (method === "delta" && !networks.info) {
    const { device, networkSet } = mode.app.settings;
    if (!(await networks.load({ device, set: networkSet }))) return;
  }
  mode.edit(`method: ${methodName(method)}`, (document) => ({ ...document, method }));
}

function state(mode: Inbetween, network: Shipped): TemplateResult | typeof nothing {
  const { busy, problem, info } = mode.networks;
  if (busy) {
    return html`<div class="row"><progress max="1" .value=${busy.progress.done} aria-label="Fetching the network"></progress>
      <button class="link" type="button" @click=${() => mode.networks.cancel()}>Cancel</button></div>
      <p>${loadingText(busy.progress)}</p>`;
  }
  if (problem) {
    return html`<div class="trouble" role="alert"><p>${icon("warn")} ${sentence(problem.message)}</p>
      <span class="row"><button class="button small" type="button" @click=${() => void chooseMethod(mode, "delta")}>Try again</button></span></div>`;
  }
  return info ? nothing : html`<p>Fetched when you choose it: ${downloadSize(network)}, once.</p>`;
}

/** What stands below the methods where the site ships a network; nothing where it does not. */
export function networkFields(mode: Inbetween): TemplateResult | typeof nothing {
  const network = mode.networks.shipped(mode.app.settings.networkSet);
  if (!network) return nothing;
  return html`<div class="network">${state(mode, network)}
    <details class="small-print">
      <summary>About it: ${network.licence}</summary>
      <p>A transformer that predicts how far people are from plain interpolation, ${network.set} set
        (<a href="inbetween.html">how it works</a>). It learned from:</p>
      <ul>${network.data.map(({ name, licence }) => html`<li>${name}: ${licence}</li>`)}</ul>
    </details></div>`;
}
