/** The switches over the 3D view. */
import { html, type TemplateResult } from "lit-html";
import type { App } from "../core/app";

const SWITCHES = [
  { id: "ghosts", name: "Ghosts", title: "Show the source clips faintly beside the result (G)" },
  { id: "path", name: "Path", title: "Show the root's path and the seams (P)" },
  { id: "contacts", name: "Feet", title: "Show footprints, highlighted while a foot touches the ground (F)" },
  { id: "follow", name: "Follow", title: "The camera follows the figure (C)" },
  { id: "body", name: "Body", title: "Show a body or bones (B)" },
] as const;

/** Renders the switches of the view. */
export function switches(app: App): TemplateResult {
  const view = (name: string, title: string, id: (typeof SWITCHES)[number]["id"] | "followKeys"): TemplateResult =>
    html`<button class="chip-button" type="button" title=${title} aria-pressed=${app.settings[id]}
      @click=${() => app.set({ [id]: !app.settings[id] })}>${name}</button>`;
  return html`<div class="switches" role="group" aria-label="Shown in the view">
    ${SWITCHES.filter(({ id }) => id !== "ghosts" || !app.mode.realTime).map(({ id, name, title }) =>
      view(name, title, id === "follow" ? app.mode.followSetting : id),
    )}
  </div>`;
}
