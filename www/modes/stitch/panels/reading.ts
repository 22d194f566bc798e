/** How the file of a clip was read: guesses with their reasons, corrections, and contents that were left out. */
import type { BvhOptions } from "kinestitch/worker";
import { html, nothing, type TemplateResult } from "lit-html";
import { sentence } from "../../../core/engine";
import type { Source } from "../../../core/library";
import { icon } from "../../../ui/icons";
import type { Stitch } from "../stitch";

/** A correction: its option, its label, and the values with their names. */
type Choice = [option: keyof BvhOptions, label: string, values: readonly (readonly [value: string, name: string])[]];

const CHOICES: readonly Choice[] = [
  [
    "unit",
    "Unit",
    [
      ["m", "metres"],
      ["dm", "decimetres"],
      ["cm", "centimetres"],
      ["mm", "millimetres"],
      ["inch", "inches"],
      ["ft", "feet"],
    ],
  ],
  [
    "up",
    "Up axis",
    [
      ["Y", "Y up"],
      ["Z", "Z up"],
    ],
  ],
  [
    "rootOffset",
    "Root position",
    [
      ["replace", "replaces the offset"],
      ["add", "added to the offset"],
    ],
  ],
];

function select(mode: Stitch, { id, name, reading }: Source, [option, label, values]: Choice): TemplateResult {
  const chosen = reading?.[option];
  const change = (event: Event): void => {
    const { value } = event.target as HTMLSelectElement;
    void mode.app.library.correct(id, { [option]: value === "" ? undefined : value });
  };
  return html`<label>${label} <select aria-label="${label} of ${name}" @change=${change}>
    <option value="" ?selected=${chosen === undefined}>automatic</option>
    ${values.map(([value, text]) => html`<option value=${value} ?selected=${chosen === value}>${text}</option>`)}
  </select></label>`;
}

/** Renders the row of a clip that was read from a BVH file; nothing for other formats. */
export function readingRow(mode: Stitch, source: Source): TemplateResult | typeof nothing {
  const { guesses, bodies = [] } = source.info ?? {};
  if (!guesses) return nothing;
  const body: Choice = ["root", "Body", bodies.map((name) => [name, name] as const)];
  return html`<details class="reading"><summary>How the file is read</summary>
    <ul><li>${guesses.unit}</li><li>${guesses.up}</li><li>Root position ${guesses.rootOffset}</li></ul>
    <span class="reading-fields">${CHOICES.map((choice) => select(mode, source, choice))}${
      bodies.length > 1 ? select(mode, source, body) : nothing
    }</span>
  </details>`;
}

/** Renders what the file has and the clip has not. */
export function leftOutList({ info }: Source): TemplateResult | typeof nothing {
  const parts = info?.leftOut ?? [];
  if (parts.length === 0) return nothing;
  return html`<details class="warnings"><summary>${icon("warn")} Left out</summary><ul>${parts.map(
    (part) => html`<li>${sentence(part)}</li>`,
  )}</ul></details>`;
}
