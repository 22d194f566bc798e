/** Panels. A mode creates its own, in order. */
import type { nothing, TemplateResult } from "lit-html";

/** A panel of a mode. */
export interface Panel {
  id: string;
  title: string;
  /** Left: inputs. Right: results. Dock: wide panels under the timeline, one at a time. */
  place: "left" | "right" | "dock";
  /** A word or two beside the title. */
  note?: () => string;
  view: () => TemplateResult | typeof nothing;
  /** Called when the shown frame changes; must be quick. */
  onFrame?: () => void;
}
