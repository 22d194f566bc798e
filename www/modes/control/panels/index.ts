/** The panels of the mode, in order. */
import { html } from "lit-html";
import type { Panel } from "../../../core/panel";
import type { Control } from "../control";
import { character } from "./character";
import { motion } from "./motion";

const phases = (mode: Control): Panel => ({
  id: "steer-phases",
  title: "Phases and contacts",
  region: "dock",
  view: () => html`${mode.monitor.canvas}`,
});

/** The panels of the mode, in order. */
export const panels = (mode: Control): Panel[] => [character, motion, phases].map((make) => make(mode));
