/** The frame of the page: header, columns of panels, stage, timeline, dock. */
import { html, nothing, render, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import type { App } from "../app/app";
import type { Host } from "../app/commands";
import { nearestSeam } from "../app/seams";
import { PANELS } from "../panels";
import type { Panel } from "../panels/panel";
import { Timeline } from "../timeline/timeline";
import { header } from "./header";
import { helpSheet } from "./help";
import { overlay } from "./overlay";
import { showFrame, transport } from "./transport";

/** Above this width the results have a column of their own. */
const WIDE = matchMedia("(min-width: 1200px)");

export class Shell {
  readonly stage = document.createElement("div");
  #app: App;
  #host: Host;
  #timeline: Timeline;
  /** The seam near the playhead when the panels were drawn. */
  #seam = -1;

  constructor(app: App, host: Host) {
    this.#app = app;
    this.#host = host;
    this.#timeline = new Timeline(app);
    this.stage.className = "stage-canvas";
    WIDE.addEventListener("change", () => app.changed());
    window.addEventListener("resize", () => app.changed());
  }

  #panel(panel: Panel): TemplateResult {
    const { folded } = this.#app.settings;
    const open = !folded.includes(panel.id);
    const toggle = (event: Event): void => {
      const now = (event.currentTarget as HTMLDetailsElement).open;
      if (now === open) return;
      this.#app.set({ folded: now ? folded.filter((id) => id !== panel.id) : [...folded, panel.id] });
    };
    return html`<details class="panel" id="panel-${panel.id}" .open=${open} @toggle=${toggle}>
      <summary><h2>${panel.title}</h2><span class="note">${panel.note?.(this.#app) ?? ""}</span></summary>
      <div class="panel-body">${open ? panel.view(this.#app, this.#host) : nothing}</div>
    </details>`;
  }

  #column(places: Panel["place"][]): TemplateResult[] {
    return PANELS.filter((panel) => places.includes(panel.place)).map((panel) => this.#panel(panel));
  }

  #dock(): TemplateResult {
    const panels = PANELS.filter((panel) => panel.place === "dock");
    const shown = panels.find((panel) => panel.id === this.#app.settings.dock) ?? panels[0];
    return html`<section class="dock" aria-label="Plots">
      ${panels.length > 1
        ? html`<div class="tabs" role="group" aria-label="Plots">${panels.map((panel) => html`<button type="button" class="tab" aria-pressed=${panel === shown} @click=${() => this.#app.set({ dock: panel.id })}>${panel.title}</button>`)}</div>`
        : nothing}
      <div class="dock-body" id="panel-${shown?.id}">${shown?.view(this.#app, this.#host) ?? nothing}</div>
    </section>`;
  }

  render(): void {
    const app = this.#app;
    const { notice } = app;
    render(html`
      ${header(app, this.#host)}
      <div class=${classMap({ columns: true, wide: WIDE.matches })}>
        <aside class="side left" aria-label="Clips and method">${this.#column(WIDE.matches ? ["left"] : ["left", "right"])}</aside>
        <main class="stage" aria-label="Motion">${this.stage}${overlay(app)}</main>
        <div class="lower">
          ${transport(app, this.#timeline)}
          <section class="timeline" aria-label="Timeline">${this.#timeline.view()}</section>
          ${this.#dock()}
        </div>
        ${WIDE.matches ? html`<aside class="side right" aria-label="Results">${this.#column(["right"])}</aside>` : nothing}
      </div>
      <div class="notice-area" aria-live="polite">${notice ? html`<p class="notice ${notice.kind}">${notice.text}</p>` : nothing}</div>
      ${helpSheet(app)}`, document.body);
    this.onFrame();
  }

  onFrame(): void {
    const seam = nearestSeam(this.#app);
    if (seam !== this.#seam) this.#app.changed();
    this.#seam = seam;
    showFrame(this.#app);
    this.#timeline.onFrame();
    for (const panel of PANELS) panel.onFrame?.(this.#app);
  }
}
