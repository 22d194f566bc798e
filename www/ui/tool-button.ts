/** A small button with an icon, on a card. */
import { html, type TemplateResult } from "lit-html";
import { icon, type IconName } from "./icons";

/** Renders a button with a label for screen readers. Its click does not reach the card. */
export const toolButton = (label: string, name: IconName, run: () => void, disabled = false): TemplateResult =>
  html`<button class="tool small" type="button" title=${label} aria-label=${label} ?disabled=${disabled} @click=${(
    event: Event,
  ) => {
    event.stopPropagation();
    run();
  }}>${icon(name)}</button>`;
