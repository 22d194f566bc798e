/** Display names of stitching methods; a new method is one entry. */
import type { Method } from "kinestitch/worker";
import { shippedFor } from "../../core/networks";

/** A method in the menu. */
export interface MethodEntry {
  id: Method;
  name: string;
  short: string;
  hint: string;
}

const ALL: readonly MethodEntry[] = [
  {
    id: "auto",
    name: "Automatic",
    short: "Automatic",
    hint: "Tries many joins at each seam, and keeps the one that is most like recorded motion.",
  },
  {
    id: "rmr",
    name: "Refined by network",
    short: "Refined",
    hint: "A trained network adjusts the steps around a seam where a blend would let feet slide; it uses its own blend length.",
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
    hint: "Inserts the number of frames with the least work, on the smoothest path; it chooses its own blend length.",
  },
];

/** Methods of this site: the network only if the site has its weights. */
export const METHODS = ALL.filter(({ id }) => id !== "rmr" || shippedFor("stitch").length > 0);

/** Display name of a method. */
export const methodName = (id: Method): string => METHODS.find((method) => method.id === id)?.name ?? id;
/** Short display name of a method, for columns. */
export const methodShort = (id: Method): string => METHODS.find((method) => method.id === id)?.short ?? id;
