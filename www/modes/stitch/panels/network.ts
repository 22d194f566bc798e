/** Fields of the refiner below its entry among the methods: download state, licence, scores and device. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Device } from "kinestitch/worker";
import { sentence } from "../../../core/engine";
import { downloadSize, loadingText, type ShippedNetwork } from "../../../core/networks";
import { choice } from "../../../ui/choice";
import { icon } from "../../../ui/icons";
import { areBipeds, changeNetwork, chooseMethod } from "../method-choice";
import type { Stitch } from "../stitch";

const SETS: Record<string, string> = { open: "Open recordings", research: "Research recordings" };
const DEVICE_NAMES = { webgpu: "graphics card (WebGPU)", cpu: "processor" };
const DEVICES: readonly { id: Device; name: string }[] = [
  { id: "auto", name: "the faster one" },
  { id: "webgpu", name: DEVICE_NAMES.webgpu },
  { id: "cpu", name: DEVICE_NAMES.cpu },
];

/** Measures and their display names; lower is better in all. */
const MEASURES: readonly { id: string; name: string; hint: string; text: (value: number) => string }[] = [
  {
    id: "mse",
    name: "Error",
    hint: "Mean squared distance of the joints from the real motion, in units of 0.001 m²",
    text: (value) => value.toFixed(2),
  },
  {
    id: "npss",
    name: "NPSS",
    hint: "Difference from the power spectra of the real motion",
    text: (value) => value.toFixed(3),
  },
  {
    id: "slide",
    name: "Foot skate",
    hint: "Distance that a foot slides per frame while it touches the ground",
    text: (value) => `${(value * 1000).toFixed(1)} mm`,
  },
  {
    id: "peakJerk",
    name: "Peak jerk",
    hint: "The most sudden change of acceleration of any joint, m/s³",
    text: (value) => value.toFixed(0),
  },
];

/** Renders one table for each set of held-out recordings: scores of inertialization and of the network. */
function scoreTables(network: ShippedNetwork): TemplateResult[] {
  return Object.entries(network.scores ?? {}).map(
    ([recordings, { inertialize, rmr }]) => html`<table class="figures">
    <caption>${sentence(recordings.replace(/\b(lafan1|cmu)\b/gi, (name) => name.toUpperCase()))}</caption>
    <thead><tr><td></td><th scope="col">Inertialized</th><th scope="col">Refined</th></tr></thead>
    <tbody>${MEASURES.map(({ id, name, hint, text }) => {
      const [blended, refined] = [inertialize?.[id], rmr?.[id]];
      if (blended === undefined || refined === undefined) return nothing;
      return html`<tr><th scope="row" title=${hint}>${name}</th>
        <td class=${blended < refined ? "best" : ""}>${text(blended)}</td><td class=${refined < blended ? "best" : ""}>${text(refined)}</td></tr>`;
    })}</tbody>
  </table>`,
  );
}

function deviceFields(mode: Stitch): TemplateResult {
  const { info } = mode.app.networks;
  const { device } = mode.app.settings;
  return html`<div class="field inline"><label for="network-device">Run on</label>
      <select id="network-device" ${choice(device)}
        @change=${(event: Event) => void changeNetwork(mode, { device: (event.target as HTMLSelectElement).value as Device })}>
        ${DEVICES.map(({ id, name }) => html`<option value=${id}>${name}</option>`)}
      </select></div>
    ${info ? html`<p id="network-device-used">Runs on the ${DEVICE_NAMES[info.device.used]} (${info.device.reason}).</p>` : nothing}`;
}

function networkDetails(mode: Stitch, network: ShippedNetwork): TemplateResult {
  const sets = [...new Set(mode.app.networks.shippedNetworks.map(({ set }) => set))];
  return html`<details class="small-print">
    <summary>About the network: ${network.licence}</summary>
    <p>Recurrent motion refiner, ${network.set} set. Training data:</p>
    <ul>${network.data.map(({ name, licence }) => html`<li>${name}: ${licence}</li>`)}</ul>
    ${
      sets.length > 1
        ? html`<div class="field inline"><label for="network-set">Network</label>
      <select id="network-set" ${choice(network.set)}
        @change=${(event: Event) => void changeNetwork(mode, { networkSet: (event.target as HTMLSelectElement).value })}>
        ${sets.map((set) => html`<option value=${set}>${SETS[set] ?? set}</option>`)}
      </select></div>`
        : nothing
    }
    ${deviceFields(mode)}
    <p>Measured on held-out recordings, without foot lock; lower is better.</p>
    ${scoreTables(network)}
  </details>`;
}

function downloadState(mode: Stitch, network: ShippedNetwork): TemplateResult | typeof nothing {
  const { busy, problem, info } = mode.app.networks;
  if (busy) {
    return html`<div class="row"><progress max="1" .value=${busy.progress.done} aria-label="Fetching the network"></progress>
      <button class="link" type="button" @click=${() => mode.app.networks.cancel()}>Cancel</button></div>
      <p>${loadingText(busy.progress)}</p>`;
  }
  if (problem) {
    return html`<div class="trouble" role="alert"><p>${icon("warn")} ${sentence(problem.message)}</p><p>Clips are joined without the network.</p>
      <span class="row"><button class="button small" type="button" @click=${() => chooseMethod(mode, "rmr")}>Try again</button></span></div>`;
  }
  if (!areBipeds(mode))
    return html`<p>The network supports human bodies only: these clips are joined by inertialization.</p>`;
  if (info) return nothing;
  // Stored work may use the network, but the browser's cache may lack it.
  if (mode.project.method === "rmr")
    return html`<p>Clips are joined without the network until it is downloaded: ${downloadSize(network)}.</p>
      <span class="row"><button class="button small" type="button" @click=${() => chooseMethod(mode, "rmr")}>Download the network</button></span>`;
  return html`<p>Downloaded once when you choose it: ${downloadSize(network)}.</p>`;
}

/** Renders the fields; nothing if the site lacks the network. */
export function networkFields(mode: Stitch): TemplateResult | typeof nothing {
  const network = mode.app.networks.shippedNetwork(mode.app.settings.networkSet);
  return network
    ? html`<div class="network">${downloadState(mode, network)}${networkDetails(mode, network)}</div>`
    : nothing;
}
