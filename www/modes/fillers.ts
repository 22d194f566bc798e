/** Gap fillers of the package that this site can run, with display names; fillers without one here use their own. */
import { inbetweenMethods, type InbetweenMethod } from "kinestitch/worker";
import { shippedFor } from "../core/networks";
import { isNetwork } from "./inbetween/methods";

const NAMES: Readonly<Record<string, string>> = {
  delta: "network",
  manifold: "network, frame by frame",
  dcmoe: "network, along a path",
  inertialize: "momentum",
  hermite: "spline",
  linear: "straight interpolation",
};

export const fillerName = (id: string): string => NAMES[id] ?? id;

export interface Filler {
  id: InbetweenMethod;
  name: string;
  /** Download size of its network; 0 without one. */
  bytes: number;
}

export const FILLERS: readonly Filler[] = inbetweenMethods.flatMap((id): Filler[] => {
  if (!isNetwork(id)) return [{ id, name: fillerName(id), bytes: 0 }];
  const [shipped] = shippedFor("inbetween", id);
  return shipped ? [{ id, name: fillerName(id), bytes: shipped.files.reduce((sum, { bytes }) => sum + bytes, 0) }] : [];
});
