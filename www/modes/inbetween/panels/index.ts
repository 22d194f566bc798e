/** The panels of the mode, in order. */
import type { Panel } from "../../../core/panel";
import { characterPanel } from "../../../ui/character";
import type { Inbetween } from "../inbetween";
import { candidates } from "./candidates";
import { curves } from "./curves";
import { gaps } from "./gaps";
import { keys } from "./keys";
import { hasAutomatic, pathMethod } from "../methods";
import { options } from "./options";

/** The panels of the mode, in order. */
export const panels = (mode: Inbetween): Panel[] => [
  keys(mode),
  options(mode),
  ...(pathMethod || hasAutomatic ? [candidates(mode)] : []),
  gaps(mode),
  characterPanel(mode.app),
  curves(mode),
];
