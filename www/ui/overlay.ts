/** What lies over the 3D view: view switches, A and B, progress, errors. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app/app";
import { sentence } from "../app/engine";
import { methodName } from "../app/methods";
import { loadingText } from "../app/networks";
import { chooseMethod, comparedMethod, isBeforeAfter, isCompared, methodInForce, sideOrder } from "../app/refine";
import type { Settings } from "../app/settings";
import { icon } from "./icons";

const SWITCHES: readonly { id: keyof Settings & ("ghosts" | "path" | "contacts" | "follow" | "body"); name: string; title: string }[] = [
  { id: "ghosts", name: "Ghosts", title: "The inputs, where the blend leaves them (G)" },
  { id: "path", name: "Path", title: "The root's path and the seams (P)" },
  { id: "contacts", name: "Feet", title: "Footprints, lit while a foot touches the ground (F)" },
  { id: "follow", name: "Follow", title: "The camera follows the figure (C)" },
  { id: "body", name: "Body", title: "A body, or plain bones (B)" },
];

/** Work shorter than this shows no bar. */
const PATIENCE_MS = 200;

const STAGES: Record<string, string> = {
  fetch: "Fetching", parse: "Reading", align: "Placing the clips", blend: "Blending", refine: "Refining the steps", "foot-lock": "Locking feet", write: "Writing", scan: "Searching",
};

function progress(app: App): TemplateResult | typeof nothing {
  const { a, b } = app.stitcher.jobs;
  const busy = app.networks.busy ?? a.busy ?? b.busy;
  if (!busy) return nothing;
  const { stage, done } = busy.progress;
  const waited = performance.now() - busy.since;
  if (waited < PATIENCE_MS) {
    setTimeout(() => app.changed(), PATIENCE_MS - waited + 5);
    return nothing;
  }
  return html`<div class="progress" role="status">
    <span>${stage === "network" ? loadingText(busy.progress) : `${STAGES[stage] ?? "Working"}…`}</span>
    <progress max="1" .value=${done} aria-label="Stitching"></progress>
    <button class="button small" type="button" @click=${() => (app.networks.busy ? app.networks : app.stitcher).cancel()}>Cancel</button>
  </div>`;
}

function problem(app: App): TemplateResult | typeof nothing {
  const { problem } = app.shownJob();
  if (!problem) return nothing;
  return html`<div class="problem" role="alert">${icon("warn")}<span>${sentence(problem.message)}</span>
    <button class="button small" type="button" @click=${() => app.stitcher.retry()}>Try again</button>
    ${app.project.method === "rmr" ? html`<button class="button small" type="button" @click=${() => chooseMethod(app, "inertialize")}>Go on without the network</button>` : nothing}</div>`;
}

function sides(app: App): TemplateResult | typeof nothing {
  const { settings } = app;
  const other = comparedMethod(app);
  if (settings.compare === "off" || !other || !isCompared(app)) return nothing;
  const beforeAfter = isBeforeAfter(app);
  const names = beforeAfter ? { a: "After", b: "Before" } : { a: "A", b: "B" };
  const label = (side: "a" | "b"): TemplateResult =>
    html`<b>${names[side]}</b> ${methodName(side === "a" ? methodInForce(app) : other)}`;
  const order = sideOrder(app);
  if (settings.compare === "split") {
    return html`<div class="sides split">${order.map((side) => html`<span class="side-name">${label(side)}</span>`)}</div>`;
  }
  return html`<div class="sides swap" role="group" aria-label=${beforeAfter ? "Before or after the network (X)" : "Shown method (X)"}>
    ${order.map((side) => html`<button class="side-name" type="button" aria-pressed=${settings.side === side} @click=${() => app.set({ side })}>${label(side)}</button>`)}
  </div>`;
}

export function overlay(app: App): TemplateResult {
  const empty = app.project.items.length === 0;
  return html`
    ${sides(app)}
    <div class="switches" role="group" aria-label="Shown in the view">
      ${SWITCHES.map(({ id, name, title }) => html`<button class="chip-button" type="button" title=${title} aria-pressed=${app.settings[id]}
        @click=${() => app.set({ [id]: !app.settings[id] })}>${name}</button>`)}
    </div>
    ${empty ? html`<p class="empty">Drop two or more BVH files here.<br><small>They become one continuous motion.</small></p>` : nothing}
    <div class="messages">${progress(app)}${problem(app)}</div>`;
}
