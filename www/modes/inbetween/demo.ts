/** Demo keys from our own clips: a walk, a turn, and a jog away. */
import jog from "../../../tests/fixtures/ada-jog.bvh";
import turn from "../../../tests/fixtures/ada-turn.bvh";
import walk from "../../../tests/fixtures/ada-walk.bvh";
import type { Source } from "../../core/library";
import { namedUrl } from "../../core/named-url";
import { addKey, EMPTY, type Document } from "./document";

/** Files of the demo. */
export const DEMO: readonly URL[] = [
  namedUrl(walk, "Ada walks"),
  namedUrl(turn, "Ada turns"),
  namedUrl(jog, "Ada jogs"),
];

/** Creates the demo document, with gaps of 16 and 12 frames. `sources`: the files of {@link DEMO}, in their order. */
export function createDemo([walkSource, turnSource, jogSource]: readonly Source[]): Document {
  const oneKey = addKey(EMPTY, { source: walkSource.id, from: 20, to: 36 });
  const twoKeys = addKey(oneKey, { source: turnSource.id, from: 40, to: 41 }, 0, 16);
  return addKey(twoKeys, { source: jogSource.id, from: 22, to: 46 }, 1, 12);
}
