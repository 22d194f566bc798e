/** The panels of the mode "Control", in their order within each region of the page. */
import { html } from "lit-html";
import type { Panel } from "../../../core/panel";
import type { Control } from "../control";
import { characterPanel } from "./character";
import { motionPanel } from "./motion";

const monitorPanel = (mode: Control): Panel => ({
  id: "steer-phases",
  title: "Phases and contacts",
  region: "dock",
  view: () => html`${mode.monitor.canvas}`,
});

/** Creates the panels, in their order within each region of the page. */
export const createPanels = (mode: Control): Panel[] =>
  [characterPanel, motionPanel, monitorPanel].map((createPanel) => createPanel(mode));
