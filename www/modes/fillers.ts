/** Gap fillers that this site can run: methods of the package that generate the frames between two clips or keys. */
import type { InbetweenMethod, NetworkMethodName } from "kinestitch/worker";
import { inbetweenMethods, methodTexts, networkMethods, defaultNetwork } from "kinestitch/ui";
import { bytesOf, shippedFor } from "../core/networks";

/** Whether a method is a gap filler with a network. */
export const isNetwork = (method: string): method is NetworkMethodName =>
  networkMethods.some((network) => network === method);

/** Returns the display name of a gap filler in lower case, for use within a sentence. */
export function fillerName(id: InbetweenMethod): string {
  if (id === defaultNetwork) return "network";
  const label = methodTexts[id].label.toLowerCase();
  return isNetwork(id) ? `network, ${label}` : label;
}

/** A gap filler in a menu. */
export interface Filler {
  id: InbetweenMethod;
  name: string;
  /** Download size of its network; 0 if it has none. */
  bytes: number;
}

/** Gap fillers in menu order; networks that the site lacks are left out. */
export const FILLERS: readonly Filler[] = inbetweenMethods.flatMap((id): Filler[] => {
  if (!isNetwork(id)) return [{ id, name: fillerName(id), bytes: 0 }];
  const [shipped] = shippedFor("inbetween", id);
  return shipped ? [{ id, name: fillerName(id), bytes: bytesOf(shipped) }] : [];
});
