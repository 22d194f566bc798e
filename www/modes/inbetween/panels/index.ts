/** The panels of the mode, in order. */
import type { Panel } from "../../../core/panel";
import { characterPanel } from "../../../ui/character";
import type { Inbetween } from "../inbetween";
import { candidatesPanel } from "./candidates";
import { curvesPanel } from "./curves";
import { gapsPanel } from "./gaps";
import { keysPanel } from "./keys";
import { hasAutomatic, pathMethod } from "../methods";
import { optionsPanel } from "./options";

/** Creates the panels of the mode, in order. */
export const createPanels = (mode: Inbetween): Panel[] => [
  keysPanel(mode),
  optionsPanel(mode),
  ...(pathMethod || hasAutomatic ? [candidatesPanel(mode)] : []),
  gapsPanel(mode),
  characterPanel(mode.app),
  curvesPanel(mode),
];
