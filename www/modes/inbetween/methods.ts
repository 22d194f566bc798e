/** Display names of gap methods. */
import type { InbetweenMethod } from "kinestitch/worker";
import { shippedFor } from "../../core/networks";

export interface MethodEntry {
  id: InbetweenMethod;
  name: string;
  hint: string;
}

/** Methods that are networks. */
export const NETWORKS = ["delta", "manifold", "dcmoe"] as const;
export type NetworkMethod = (typeof NETWORKS)[number];

export const isNetwork = (method: InbetweenMethod): method is NetworkMethod =>
  NETWORKS.some((network) => network === method);

const ALL: readonly MethodEntry[] = [
  {
    id: "delta",
    name: "Network",
    hint: "As people move: a network that learned from recordings changes the interpolation. Human bodies only.",
  },
  {
    id: "manifold",
    name: "Many ways",
    hint: "A network that goes frame by frame, and knows more than one way: three of them side by side. Human bodies only.",
  },
  {
    id: "dcmoe",
    name: "Along a path",
    hint: "A network that goes along a path: several motions to choose from. Human bodies only.",
  },
  {
    id: "inertialize",
    name: "Momentum",
    hint: "Interpolation that goes on as the keys move: their speed is carried in, and braked.",
  },
  {
    id: "linear",
    name: "Interpolation",
    hint: "Straight from key to key: each joint turns evenly. Speed jumps at the keys.",
  },
];

/** Networks that the site lacks are left out. */
export const METHODS = ALL.filter(({ id }) => !isNetwork(id) || shippedFor("inbetween", id).length > 0);

export const methodName = (id: string): string => ALL.find((method) => method.id === id)?.name ?? id;
