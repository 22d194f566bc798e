/** Panels of the page. Each mode lists its panels in the order of display. */
import type { nothing, TemplateResult } from "lit-html";

/** A panel of a mode. */
export interface Panel {
  id: string;
  title: string;
  /** Left column: inputs. Right column: results. Dock: plots under the timeline, one of which is shown. */
  region: "left" | "right" | "dock";
  /** Returns a short text beside the title. */
  note?: () => string;
  view: () => TemplateResult | typeof nothing;
  /** Called after the displayed frame changed. Runs during playback, so it must be fast. */
  onFrame?: () => void;
}
