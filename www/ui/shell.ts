/** The layout of the page: header, columns of panels, stage, timeline and dock, with contents from the current mode. */
import { html, nothing, render, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import { keyed } from "lit-html/directives/keyed.js";
import type { App } from "../core/app";
import type { Panel } from "../core/panel";
import { exportSheet } from "./export";
import { footer } from "./footer";
import { header } from "./header";
import { helpSheet } from "./help";
import { noticeArea } from "./notices";
import { switches } from "./switches";
import { showFrame, transport } from "./transport";

/** Matches wide windows, in which results have a separate column. */
const WIDE = matchMedia("(min-width: 1200px)");

/** Sets an attribute of the stage by which tests and scripts see whether it shows the current document. */
export function markState(state: "pending" | "busy" | "settled"): void {
  const stage = document.querySelector<HTMLElement>("main.stage");
  if (stage) stage.dataset.state = state;
}

/** The layout of the page. */
export class Shell {
  readonly stage = document.createElement("div");
  #app: App;

  constructor(app: App) {
    this.#app = app;
    this.stage.className = "stage-canvas";
    WIDE.addEventListener("change", () => app.requestUpdate());
    window.addEventListener("resize", () => app.requestUpdate());
  }

  #panel(panel: Panel): TemplateResult {
    const isOpen = !this.#app.settings.folded.includes(panel.id);
    const toggle = (event: Event): void => {
      const isOpenNow = (event.currentTarget as HTMLDetailsElement).open;
      if (isOpenNow === isOpen) return;
      const { folded } = this.#app.settings;
      this.#app.set({ folded: isOpenNow ? folded.filter((id) => id !== panel.id) : [...folded, panel.id] });
    };
    return html`<details class="panel" id="panel-${panel.id}" .open=${isOpen} @toggle=${toggle}>
      <summary><h2>${panel.title}</h2><span class="note">${panel.note?.() ?? ""}</span></summary>
      <div class="panel-body">${isOpen ? panel.view() : nothing}</div>
    </details>`;
  }

  #column(regions: Panel["region"][]): TemplateResult {
    const { id, panels } = this.#app.mode;
    return html`${keyed(
      id,
      panels.filter((panel) => regions.includes(panel.region)).map((panel) => this.#panel(panel)),
    )}`;
  }

  #dock(): TemplateResult | typeof nothing {
    const { id, panels: allPanels } = this.#app.mode;
    const panels = allPanels.filter((panel) => panel.region === "dock");
    const shown = panels.find((panel) => panel.id === this.#app.settings.dock) ?? panels[0];
    if (!shown) return nothing;
    return html`<section class="dock" aria-label="Plots">
      ${
        panels.length > 1
          ? html`<div class="tabs" role="group"
            aria-label="Plots">${panels.map(
              (panel) =>
                html`<button type="button" class="tab" aria-pressed=${panel === shown}
                  @click=${() => this.#app.set({ dock: panel.id })}>${panel.title}</button>`,
            )}</div>`
          : nothing
      }
      <div class="dock-body" id="panel-${shown.id}">${keyed(id, shown.view())}</div>
    </section>`;
  }

  /** Renders the page. */
  render(): void {
    const app = this.#app;
    const { mode } = app;
    render(
      html`
      ${header(app)}
      <div class=${classMap({ columns: true, wide: WIDE.matches })}>
        <aside class="side left"
          aria-label="Clips and method">${this.#column(WIDE.matches ? ["left"] : ["left", "right"])}</aside>
        <main class="stage" aria-label="Motion">${this.stage}${switches(app)}${mode.overlay()}</main>
        <div class="lower">
          ${mode.realTime ? nothing : transport(app)}
          <section class="timeline"
            aria-label=${mode.realTime ? "Steering" : "Timeline"}>${keyed(mode.id, mode.timeline())}</section>
          ${this.#dock()}
        </div>
        ${
          WIDE.matches
            ? html`<aside class="side right" aria-label="Results">${this.#column(["right"])}</aside>`
            : nothing
        }
      </div>
      ${footer(app)}
      ${noticeArea(app)}
      ${helpSheet(app)}
      ${exportSheet(app)}`,
      document.body,
    );
    markState(mode.settled ? "settled" : "busy");
    this.onFrame();
  }

  /** Updates everything that depends on the current frame, without a new render. */
  onFrame(): void {
    const { mode } = this.#app;
    mode.onFrame();
    showFrame(this.#app);
    mode.track.onFrame();
    for (const panel of mode.panels) panel.onFrame?.();
  }
}
