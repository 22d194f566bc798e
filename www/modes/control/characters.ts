/** The characters in the menu: names, default speeds, and the networks that the site has for them. */
import type { CharacterName } from "kinestitch/worker";
import { type ShippedNetwork, shippedFor } from "../../core/networks";
import { CLIP_COLORS } from "../../viewer/palette";

/** A character in the menu. */
export interface CharacterEntry {
  id: CharacterName;
  name: string;
  color: string;
  /** Default speeds of walking and running, metres per second. */
  walk: number;
  run: number;
  /** Half length and half width of the demo path, metres. */
  demo: readonly [number, number];
}

const ALL: readonly CharacterEntry[] = [
  { id: "biped", name: "Person", color: CLIP_COLORS[0], walk: 1.3, run: 3.2, demo: [3.2, 1.7] },
  { id: "dog", name: "Dog", color: CLIP_COLORS[1], walk: 0.9, run: 2.6, demo: [2.8, 1.4] },
];

const shipped = shippedFor("control");

/** Returns the site's networks for a character. */
export const shippedOf = (id: CharacterName): readonly ShippedNetwork[] =>
  shipped.filter(({ character = "biped" }) => character === id);

/** The characters for which the site has a network. */
export const CHARACTERS = ALL.filter(({ id }) => shippedOf(id).length > 0);
