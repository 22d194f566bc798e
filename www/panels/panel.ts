/** What a panel is. To add one, write a file beside this one and name it in `index.ts`. */
import type { nothing, TemplateResult } from "lit-html";
import type { App } from "../app/app";
import type { Host } from "../app/commands";

export interface Panel {
  id: string;
  title: string;
  /** Left: what goes in. Right: what came out. Dock: wide panels under the timeline, one at a time. */
  place: "left" | "right" | "dock";
  /** A word or two beside the title. */
  note?: (app: App) => string;
  view: (app: App, host: Host) => TemplateResult | typeof nothing;
  /** Called when the shown frame changes; must be quick. */
  onFrame?: (app: App) => void;
}
