/** The panels of the mode, in the order in which they stand. */
import type { Panel } from "../../../core/panel";
import { character } from "../../../ui/character";
import type { Inbetween } from "../inbetween";
import { curves } from "./curves";
import { gaps } from "./gaps";
import { keys } from "./keys";
import { options } from "./options";

export const panels = (mode: Inbetween): Panel[] => [keys(mode), options(mode), gaps(mode), character(mode.app), curves(mode)];
