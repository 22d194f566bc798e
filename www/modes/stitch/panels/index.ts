/** The panels of the mode, in order. */
import type { Panel } from "../../../core/panel";
import { characterPanel } from "../../../ui/character";
import type { Stitch } from "../stitch";
import { clips } from "./clips";
import { curves } from "./curves";
import { cuts } from "./cuts";
import { mapping } from "./mapping";
import { method } from "./method";
import { phases } from "./phases";
import { seams } from "./seams";

/** The panels of the mode, in order. */
export const panels = (mode: Stitch): Panel[] => [
  clips(mode),
  method(mode),
  seams(mode),
  characterPanel(mode.app),
  mapping(mode),
  curves(mode),
  phases(mode),
  cuts(mode),
];
