/** Choice of the method, and download state and description of its network. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { NetworkMethodName } from "kinestitch/worker";
import { methodTexts, networkMethods } from "kinestitch/ui";
import { sentence } from "../../core/engine";
import { downloadSize, loadingText, type ShippedNetwork } from "../../core/networks";
import { automaticState } from "../../ui/automatic";
import { icon } from "../../ui/icons";
import type { Inbetween } from "./inbetween";
import { isNetwork } from "../fillers";
import { hasOption, type Method, methodName, PLAIN_METHOD } from "./methods";

/**
 * Chooses a method. Its network is loaded first; until then, the motion does not change. Resolves to whether the method
 * is available. Until the judge is loaded, another method replaces "auto" (see {@link effectiveMethod}).
 */
export async function chooseMethod(mode: Inbetween, method: Method): Promise<boolean> {
  if (method === "auto") void mode.app.auto.load();
  if (!(await loadNetwork(mode, method))) return false;
  if (mode.document.method !== method)
    mode.edit(`method: ${methodName(method)}`, (document) => ({ ...document, method }));
  return true;
}

/**
 * Loads the network of a method, if it has one, and cancels the loading of other networks. Resolves to whether the
 * method is available.
 */
export async function loadNetwork(mode: Inbetween, method: Method): Promise<boolean> {
  for (const networks of Object.values(mode.networks)) {
    networks.cancel();
    networks.problem = undefined;
  }
  if (isNetwork(method) && !mode.networks[method].info) {
    const { device, networkSet } = mode.app.settings;
    return mode.networks[method].load({ device, set: networkSet });
  }
  return true;
}

/** Returns the effective method: {@link PLAIN_METHOD} instead of "auto" until the judge is loaded. */
export function effectiveMethod({ app, document }: Inbetween): Method {
  return document.method === "auto" && !app.auto.isReady ? PLAIN_METHOD : document.method;
}

/** Returns a text that changes whenever "auto" may choose another method, because networks were loaded. */
export function automaticVersion({ app, networks }: Inbetween): string {
  const sets = networkMethods.map((method) => networks[method].info?.set ?? "");
  return [app.auto.version, ...sets].join();
}

/** Returns the method whose network is being loaded. */
export const loadingMethod = ({ networks }: Inbetween): NetworkMethodName | undefined =>
  networkMethods.find((method) => networks[method].busy);

function downloadState(
  mode: Inbetween,
  method: NetworkMethodName,
  network: ShippedNetwork,
): TemplateResult | typeof nothing {
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
  return info ? nothing : html`<p>Downloaded once when you choose it: ${downloadSize(network)}.</p>`;
}

/** Renders the download state of "auto" if it is selected. */
export function automaticFields(mode: Inbetween): TemplateResult | typeof nothing {
  if (mode.document.method !== "auto") return nothing;
  const areBipeds = mode.document.keys.every((key) => mode.sourceOf(key)?.info?.kind === "biped");
  return automaticState(mode.app, { plain: "inertialization", areBipeds });
}

/** Renders the fields below a method with a network; nothing if the site lacks its weights. */
export function networkFields(mode: Inbetween, method: Method): TemplateResult | typeof nothing {
  if (!isNetwork(method)) return nothing;
  // A loaded network stays in use if the user chooses other training data later.
  const { info } = mode.networks[method];
  const network = mode.networks[method].shippedNetwork(info?.set ?? mode.app.settings.networkSet);
  if (!network) return nothing;
  return html`<div class="network">${downloadState(mode, method, network)}
    <details class="small-print">
      <summary>About the network: ${network.licence}</summary>
      <p>${methodTexts[method].about}, ${network.set} set
        (<a href=${hasOption(method, "path") ? "phases.html" : "inbetween.html"}>how it works</a>). Training data:</p>
      <ul>${network.data.map(({ name, licence }) => html`<li>${name}: ${licence}</li>`)}</ul>
    </details></div>`;
}
