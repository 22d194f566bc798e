/** Stitching methods in the menu: display names and descriptions. */
import type { Method } from "kinestitch/worker";
import { shippedFor } from "../../core/networks";

/** A method in the menu. */
export interface MethodEntry {
  id: Method;
  name: string;
  /** Name for columns and plots. */
  short: string;
  hint: string;
}

const ALL_METHODS: readonly MethodEntry[] = [
  {
    id: "auto",
    name: "Automatic",
    short: "Automatic",
    hint: "Tries many joins at each seam, and keeps the join that is most like recorded motion.",
  },
  {
    id: "rmr",
    name: "Refined by network",
    short: "Refined",
    hint: "A network adjusts the steps around a seam, where feet would slide in a blend. It uses its own blend length.",
  },
  {
    id: "inertialize",
    name: "Inertialization",
    short: "Inertialize",
    hint: "The next clip starts at once; the difference in pose and speed fades out over the blend.",
  },
  {
    id: "crossfade",
    name: "Crossfade",
    short: "Crossfade",
    hint: "Both clips play at the same time; one fades into the other over the blend.",
  },
  {
    id: "lscore",
    name: "L-score transition",
    short: "L-score",
    hint: "Inserts the number of frames that makes the smoothest transition. It chooses its own blend length.",
  },
];

/** Methods of this site: the refiner only if the site has its weights. */
export const METHODS = ALL_METHODS.filter(({ id }) => id !== "rmr" || shippedFor("stitch").length > 0);

/** Whether a join has a blend length that can be set; the others choose their own. */
export const hasBlendLength = (join: Method | "gap"): boolean => join === "inertialize" || join === "crossfade";

/** Returns the display name of a method. */
export const methodName = (id: Method): string => METHODS.find((method) => method.id === id)?.name ?? id;
/** Returns the short display name of a method. */
export const methodShort = (id: Method): string => METHODS.find((method) => method.id === id)?.short ?? id;
