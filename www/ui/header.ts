/** The bar at the top of the page: title, modes, open, undo, export, theme, help. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../core/app";
import { save } from "../core/save";
import { isDark } from "../core/settings";
import { icon } from "./icons";

/** Renders the bar at the top of the page. */
export function header(app: App): TemplateResult {
  const { host, undoLabel, redoLabel } = app;
  const hasNoResult = !app.mode.exportable();
  return html`<header class="bar">
    <a class="brand" href="./"
      aria-label="Kinestitch"><span class="mark" aria-hidden="true"></span><h1>Kinestitch</h1></a>
    ${
      app.modes.length > 1
        ? html`<nav class="modes"
          aria-label="Mode">${app.modes.map(
            ({ id, title }) =>
              html`<button type="button" class="mode" aria-pressed=${app.mode.id === id}
                @click=${() => void app.show(id)}>${title}</button>`,
          )}</nav>`
        : nothing
    }
    <div class="group">
      <button class="button primary" type="button"
        @click=${() => host.openFiles()}>${icon("add")}<span>Add BVH</span></button>
      <button class="tool" type="button" title=${undoLabel ? `Undo: ${undoLabel} (Ctrl+Z)` : "Undo (Ctrl+Z)"}
        aria-label=${undoLabel ? `Undo: ${undoLabel}` : "Undo"} ?disabled=${!undoLabel}
        @click=${() => app.undo()}>${icon("undo")}</button>
      <button class="tool" type="button"
        title=${redoLabel ? `Redo: ${redoLabel} (Ctrl+Shift+Z)` : "Redo (Ctrl+Shift+Z)"}
        aria-label=${redoLabel ? `Redo: ${redoLabel}` : "Redo"} ?disabled=${!redoLabel}
        @click=${() => app.redo()}>${icon("redo")}</button>
    </div>
    <p class="private">${icon("lock")}<span>Your files stay in this tab. Nothing is uploaded.</span></p>
    <div class="group end">
      <button class="button" type="button" ?disabled=${hasNoResult} title="Export BVH (Ctrl+S)"
        @click=${() => void save(app, "bvh")}>${icon("save")}<span>BVH</span></button>
      <button class="button" type="button" ?disabled=${hasNoResult} title="Export GLB (Ctrl+Shift+S)"
        @click=${() => void save(app, "glb")}>${icon("save")}<span>GLB</span></button>
      <button class="tool" type="button" title="Export and project (Ctrl+E)" aria-label="Export and project"
        @click=${() => host.toggleExport()}>${icon("more")}</button>
      <a class="tool docs" href="./docs/" title="Documentation" aria-label="Documentation">${icon("book")}</a>
      <button class="tool" type="button" title="Light or dark (T)" aria-label="Light or dark"
        @click=${() => app.set({ theme: isDark(app.settings) ? "light" : "dark" })}>${icon("theme")}</button>
      <button class="tool" type="button" title="Keys (?)" aria-label="Keys and help"
        @click=${() => host.toggleHelp()}>${icon("help")}</button>
    </div>
  </header>`;
}
