/** The panels of the page, in the order in which they stand. */
import { clips } from "./clips";
import { curves } from "./curves";
import { cuts } from "./cuts";
import { mapping } from "./mapping";
import { method } from "./method";
import type { Panel } from "./panel";
import { seams } from "./seams";

export const PANELS: readonly Panel[] = [clips, method, seams, mapping, curves, cuts];
