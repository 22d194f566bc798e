/** What a panel is. A mode makes its own, in the order in which they stand. */
import type { nothing, TemplateResult } from "lit-html";

export interface Panel {
  id: string;
  title: string;
  /** Left: what goes in. Right: what came out. Dock: wide panels under the timeline, one at a time. */
  place: "left" | "right" | "dock";
  /** A word or two beside the title. */
  note?: () => string;
  view: () => TemplateResult | typeof nothing;
  /** Called when the shown frame changes; must be quick. */
  onFrame?: () => void;
}
