/** The modes of the page, in the order in which they stand. */
import type { ModeEntry } from "../core/mode";
import { Stitch } from "./stitch/stitch";

export const MODES: readonly ModeEntry[] = [
  { id: "stitch", title: "Stitch", make: (app) => new Stitch(app) },
  { id: "inbetween", title: "In-between", make: async (app) => new (await import("./inbetween/inbetween")).Inbetween(app) },
];
