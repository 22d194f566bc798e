/** Ways to fill a gap as the page names them. */
import type { InbetweenMethod } from "kinestitch/worker";

export interface MethodEntry {
  id: InbetweenMethod;
  name: string;
  hint: string;
}

export const METHODS: readonly MethodEntry[] = [
  { id: "inertialize", name: "Momentum", hint: "Interpolation that goes on as the keys move: their speed is carried in, and braked." },
  { id: "linear", name: "Interpolation", hint: "Straight from key to key: each joint turns evenly. Speed jumps at the keys." },
];

export const methodName = (id: string): string => METHODS.find((method) => method.id === id)?.name ?? id;
