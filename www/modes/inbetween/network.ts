/** Networks among the methods: loaded when chosen; with licence and description. */
import { html, nothing, type TemplateResult } from "lit-html";
import { type InbetweenMethod, methodTexts, type NetworkMethodName, networkMethods } from "kinestitch/worker";
import { sentence } from "../../core/engine";
import { downloadSize, loadingText, type Shipped } from "../../core/networks";
import { icon } from "../../ui/icons";
import type { Inbetween } from "./inbetween";
import { hasOption, isNetwork, methodName } from "./methods";

/**
 * Chooses a method. Its network is loaded first, and the motion does not change until then; resolves to whether it
 * is available.
 */
export async function chooseMethod(mode: Inbetween, method: InbetweenMethod): Promise<boolean> {
  for (const networks of Object.values(mode.networks)) {
    networks.cancel();
    networks.problem = undefined;
  }
  if (isNetwork(method) && !mode.networks[method].info) {
    const { device, networkSet } = mode.app.settings;
    if (!(await mode.networks[method].load({ device, set: networkSet }))) return false;
  }
  if (mode.document.method !== method)
    mode.edit(`method: ${methodName(method)}`, (document) => ({ ...document, method }));
  return true;
}

/** The method whose network is being loaded. */
export const busyMethod = ({ networks }: Inbetween): NetworkMethodName | undefined =>
  networkMethods.find((method) => networks[method].busy);

function state(mode: Inbetween, method: NetworkMethodName, network: Shipped): TemplateResult | typeof nothing {
  const { busy, problem, info } = mode.networks[method];
  if (busy) {
    return html`<div class="row"><progress max="1" .value=${busy.progress.done} aria-label="Fetching the network"></progress>
      <button class="link" type="button" @click=${() => mode.networks[method].cancel()}>Cancel</button></div>
      <p>${loadingText(busy.progress)}</p>`;
  }
  if (problem) {
    return html`<div class="trouble" role="alert"><p>${icon("warn")} ${sentence(problem.message)}</p>
      <span class="row"><button class="button small" type="button" @click=${() => void chooseMethod(mode, method)}>Try again</button></span></div>`;
  }
  return info ? nothing : html`<p>Fetched when you choose it: ${downloadSize(network)}, once.</p>`;
}

/** Fields below a method with a network; nothing where the site lacks it. */
export function networkFields(mode: Inbetween, method: InbetweenMethod): TemplateResult | typeof nothing {
  if (!isNetwork(method)) return nothing;
  const network = mode.networks[method].shipped(mode.app.settings.networkSet);
  if (!network) return nothing;
  return html`<div class="network">${state(mode, method, network)}
    <details class="small-print">
      <summary>About the network: ${network.licence}</summary>
      <p>${methodTexts[method].about}, ${network.set} set
        (<a href=${hasOption(method, "path") ? "phases.html" : "inbetween.html"}>how it works</a>). Training data:</p>
      <ul>${network.data.map(({ name, licence }) => html`<li>${name}: ${licence}</li>`)}</ul>
    </details></div>`;
}
