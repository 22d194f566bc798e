/** The panels of the in-betweening mode. */
import type { Panel } from "../../../core/panel";
import { characterPanel } from "../../../ui/character";
import type { Inbetween } from "../inbetween";
import { candidatesPanel } from "./candidates";
import { curvesPanel } from "./curves";
import { gapsPanel } from "./gaps";
import { keysPanel } from "./keys";
import { hasAutomatic, pathMethod } from "../methods";
import { optionsPanel } from "./options";

/** Creates the panels, in their order within each region of the page. */
export const createPanels = (mode: Inbetween): Panel[] => [
  keysPanel(mode),
  optionsPanel(mode),
  ...(pathMethod || hasAutomatic ? [candidatesPanel(mode)] : []),
  gapsPanel(mode),
  characterPanel(mode.app),
  curvesPanel(mode),
];
