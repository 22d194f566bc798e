/** Demo clips of our own gait generator (research/lab/src/gait): two characters with different skeletons. */
import turn from "../../../tests/fixtures/ada-turn.bvh";
import walk from "../../../tests/fixtures/ada-walk.bvh";
import jog from "../../../tests/fixtures/bo-jog.bvh";
import { namedUrl } from "../../core/named-url";

/** Files of the demo, in order. */
export const DEMO: readonly URL[] = [
  namedUrl(walk, "Ada walks"),
  namedUrl(jog, "Bo jogs"),
  namedUrl(turn, "Ada turns"),
];
