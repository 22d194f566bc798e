/** Contents over the 3D view: A and B, progress, errors. */
import { html, nothing, type TemplateResult } from "lit-html";
import { progressBar, problemBar } from "../../ui/messages";
import { methodName } from "./methods";
import { chooseMethod, comparedMethod, isBeforeAfter, isCompared, effectiveMethod, sideOrder } from "./method-choice";
import type { Stitch } from "./stitch";

function progress(mode: Stitch): TemplateResult | typeof nothing {
  const { a, b } = mode.stitcher.jobs;
  const { networks } = mode.app;
  const busy = networks.busy ?? a.busy ?? b.busy;
  if (mode.prepared && !networks.busy)
    return html`<p class="prepared" role="status">Loading the stitcher. Editing begins when it is here.</p>`;
  return busy ? progressBar(busy, "Stitching", () => (networks.busy ? networks : mode.stitcher).cancel()) : nothing;
}

function problem(mode: Stitch): TemplateResult | typeof nothing {
  const { problem } = mode.shownJob();
  if (!problem) return nothing;
  const continueButton = html`<button class="button small" type="button"
    @click=${() => chooseMethod(mode, "inertialize")}>Continue without the network</button>`;
  return problemBar(problem, () => mode.stitcher.retry(), mode.project.method === "rmr" ? continueButton : nothing);
}

function sides(mode: Stitch): TemplateResult | typeof nothing {
  const { settings } = mode.app;
  const compared = comparedMethod(mode);
  const showsBeforeAfter = isBeforeAfter(mode);
  if ((settings.compare === "off" && !showsBeforeAfter) || !compared || !isCompared(mode)) return nothing;
  const names = showsBeforeAfter ? { a: "After", b: "Before" } : { a: "A", b: "B" };
  const label = (side: "a" | "b"): TemplateResult =>
    html`<b>${names[side]}</b> ${methodName(side === "a" ? effectiveMethod(mode) : compared)}`;
  const order = sideOrder(mode);
  if (settings.compare === "split") {
    return html`<div class="sides split">${order.map((side) => html`<span class="side-name">${label(side)}</span>`)}</div>`;
  }
  return html`<div class="sides swap" role="group" aria-label=${showsBeforeAfter ? "Before or after (X)" : "Displayed method (X)"}>
    ${order.map(
      (side) => html`<button class="side-name" type="button" aria-pressed=${settings.side === side}
      @click=${() => mode.app.set({ side })}>${label(side)}</button>`,
    )}
  </div>`;
}

/** Renders the contents over the view. */
export function renderOverlay(mode: Stitch): TemplateResult {
  const empty = mode.project.items.length === 0 && !mode.prepared;
  return html`
    ${sides(mode)}
    ${empty ? html`<p class="empty">Drop two or more motion files here.<br><small>They become one continuous motion.</small></p>` : nothing}
    <div class="messages">${progress(mode)}${problem(mode)}</div>`;
}
