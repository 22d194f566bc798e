/** Progress and errors, shown over the 3D view. */
import { html, nothing, type TemplateResult } from "lit-html";
import { isLong, type Operation } from "../core/operation";
import { sentence, type Problem } from "../core/engine";
import { loadingText } from "../core/networks";
import { icon } from "./icons";

/** Descriptions of the package's stages of progress. */
const STAGES: Record<string, string> = {
  fetch: "Fetching",
  parse: "Reading",
  align: "Aligning the clips",
  blend: "Blending",
  refine: "Refining the steps",
  "foot-lock": "Locking feet",
  write: "Writing",
  scan: "Searching",
};

/** Renders the progress of a long operation with a button to cancel it; nothing for a short operation. */
export function progressBar(busy: Operation, label: string, cancel: () => void): TemplateResult | typeof nothing {
  if (!isLong(busy)) return nothing;
  const { progress } = busy;
  return html`<div class="progress" role="status">
    <span>${progress.stage === "network" ? loadingText(progress) : `${STAGES[progress.stage] ?? "Working"}…`}</span>
    <progress max="1" .value=${progress.done} aria-label=${label}></progress>
    <button class="button small" type="button" @click=${cancel}>Cancel</button>
  </div>`;
}

/** Renders an error with a button to try again. `more`: contents after the button. */
export const problemBar = (
  problem: Problem,
  retry: () => void,
  more: TemplateResult | typeof nothing = nothing,
): TemplateResult =>
  html`<div class="problem" role="alert">${icon("warn")}<span>${sentence(problem.message)}</span>
    <button class="button small" type="button" @click=${retry}>Try again</button>${more}</div>`;
