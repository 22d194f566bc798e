/** The panels of the mode, in order. */
import { html } from "lit-html";
import type { Panel } from "../../../core/panel";
import type { Control } from "../control";
import { characterPanel } from "./character";
import { motionPanel } from "./motion";

const phasesPanel = (mode: Control): Panel => ({
  id: "steer-phases",
  title: "Phases and contacts",
  region: "dock",
  view: () => html`${mode.monitor.canvas}`,
});

/** Creates the panels of the mode, in order. */
export const createPanels = (mode: Control): Panel[] =>
  [characterPanel, motionPanel, phasesPanel].map((createPanel) => createPanel(mode));
