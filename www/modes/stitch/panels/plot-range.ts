/** Range of a plot: around a seam, or all frames. */
import { html, nothing, type TemplateResult } from "lit-html";
import { nearestMark } from "../../../core/marks";
import { choice } from "../../../ui/choice";
import { pairKey } from "../joins/join-options";
import type { Stitch } from "../stitch";
import type { StitchResult } from "../stitcher";

/** Time shown before and after a seam, seconds. */
const MARGIN_SECS = 1.2;

/** Returns the keys of the seams of a result, by which a seam is found again if clips are moved. */
const seamKeys = ({ seams, items }: StitchResult): string[] => seams.map((_, i) => pairKey(items[i], items[i + 1]));

/** Selects the range of a plot. */
export class PlotRange {
  /** Key of the two clips of a seam; "near": the seam nearest to the playhead; "all": all frames. */
  shown: string;
  #mode: Stitch;

  constructor(mode: Stitch, shown: "near" | "all") {
    this.#mode = mode;
    this.shown = shown;
  }

  /** Returns the frames of a result that are shown, [from, to); all frames if the selected seam does not exist. */
  range(result: StitchResult): { from: number; to: number } {
    const { frames, fps } = result.motion;
    const seam = result.seams[this.shown === "near" ? nearestMark(this.#mode) : seamKeys(result).indexOf(this.shown)];
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
      this.shown = (event.target as HTMLSelectElement).value;
      this.#mode.app.requestUpdate();
    };
    const keys = seamKeys(result);
    // Without the selected seam all frames are shown. If the choice were kept, the menu would be blank.
    if (this.shown !== "near" && !keys.includes(this.shown)) this.shown = "all";
    return html`<select aria-label="Displayed range" ${choice(this.shown)} @change=${choose}>
      <option value="near">Seam near the playhead</option>
      ${keys.map((key, i) => html`<option value=${key}>Seam ${i + 1}</option>`)}
      <option value="all">All frames</option>
    </select>`;
  }
}
