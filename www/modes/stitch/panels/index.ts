/** The panels of the mode, in the order in which they stand. */
import type { Panel } from "../../../core/panel";
import type { Stitch } from "../stitch";
import { clips } from "./clips";
import { curves } from "./curves";
import { cuts } from "./cuts";
import { mapping } from "./mapping";
import { method } from "./method";
import { phases } from "./phases";
import { seams } from "./seams";

export const panels = (mode: Stitch): Panel[] => [clips, method, seams, mapping, curves, phases, cuts].map((make) => make(mode));
