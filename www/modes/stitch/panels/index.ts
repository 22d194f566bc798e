/** The panels of the mode, in order. */
import type { Panel } from "../../../core/panel";
import { characterPanel } from "../../../ui/character";
import type { Stitch } from "../stitch";
import { clipsPanel } from "./clips";
import { curvesPanel } from "./curves";
import { cutsPanel } from "./cuts";
import { mappingPanel } from "./mapping";
import { methodPanel } from "./method";
import { phasesPanel } from "./phases";
import { seamsPanel } from "./seams";

/** Creates the panels of the mode, in order. */
export const createPanels = (mode: Stitch): Panel[] => [
  clipsPanel(mode),
  methodPanel(mode),
  seamsPanel(mode),
  characterPanel(mode.app),
  mappingPanel(mode),
  curvesPanel(mode),
  phasesPanel(mode),
  cutsPanel(mode),
];
