/** Range of a plot: around a seam, or all frames. */
import { html, nothing, type TemplateResult } from "lit-html";
import { nearestMark } from "../../../core/marks";
import { choice } from "../../../ui/choice";
import type { Stitch } from "../stitch";
import type { StitchResult } from "../stitcher";

/** Time shown before and after a seam, seconds. */
const MARGIN_SECS = 1.2;

/** Selects the range of a plot. */
export class PlotRange {
  /** Index of a seam; "near": the seam nearest to the playhead; "all": all frames. */
  shown: number | "near" | "all";
  #mode: Stitch;

  constructor(mode: Stitch, shown: "near" | "all") {
    this.#mode = mode;
    this.shown = shown;
  }

  /** Returns the frames of a result that are shown, [from, to); all frames if the selected seam does not exist. */
  range(result: StitchResult): { from: number; to: number } {
    const { frames, fps } = result.motion;
    const seam =
      this.shown === "all" ? undefined : result.seams[this.shown === "near" ? nearestMark(this.#mode) : this.shown];
    if (!seam) return { from: 0, to: frames };
    const margin = Math.round(fps * MARGIN_SECS);
    return {
      from: Math.max(0, Math.min(seam.frame, seam.editedRange.from) - margin),
      to: Math.min(frames, Math.max(seam.frame, seam.editedRange.to) + margin),
    };
  }

  /** Renders the menu of ranges; nothing if there are no seams. */
  view(result: StitchResult): TemplateResult | typeof nothing {
    if (result.seams.length === 0) return nothing;
    const choose = (event: Event): void => {
      const { value } = event.target as HTMLSelectElement;
      this.shown = value === "near" || value === "all" ? value : Number(value);
      this.#mode.app.requestUpdate();
    };
    // As in `range`, a selected seam that does not exist means all frames; the menu would be blank.
    const isMissing = typeof this.shown === "number" && this.shown >= result.seams.length;
    return html`<select aria-label="Displayed range" ${choice(isMissing ? "all" : String(this.shown))} @change=${choose}>
      <option value="near">Seam near the playhead</option>
      ${result.seams.map((_, i) => html`<option value=${i}>Seam ${i + 1}</option>`)}
      <option value="all">All frames</option>
    </select>`;
  }
}
