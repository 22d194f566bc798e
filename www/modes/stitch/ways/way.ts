/** Ways of joining two clips: those of single seams, and their description in words. */
import type { JoinOptions } from "kinestitch/worker";
import { count } from "../../../core/format";
import { fillerName } from "../../fillers";
import type { Item, Project } from "../project";

/** Key of a way in the document: the two adjacent clips, wherever they are moved together. */
export const pairOf = (before: Item, after: Item): string => `${before.id}>${after.id}`;

/** Default blend length of ways, seconds. */
const USUAL_BLEND = 2 / 3;

/** Returns the way that is set for a seam, if any. */
export const wayAt = ({ ways }: Project, before: Item | undefined, after: Item | undefined): JoinOptions | undefined =>
  before && after ? ways[pairOf(before, after)] : undefined;

/** Sets the way of a seam; `undefined` uses the method of all seams. */
export function setWay(project: Project, before: Item, after: Item, way: JoinOptions | undefined): Project {
  const ways = { ...project.ways };
  const pair = pairOf(before, after);
  if (way) ways[pair] = way;
  else delete ways[pair];
  return { ...project, ways };
}

/** Canonical text of a way. */
export const textOf = ({
  method = "inertialize",
  blend = USUAL_BLEND,
  seam = "keep",
  gap,
  gapMethod,
}: JoinOptions): string =>
  gap === undefined
    ? [seam, method, method === "inertialize" || method === "crossfade" ? blend.toFixed(3) : ""].join()
    : [seam, "gap", gap, gapMethod ?? "inertialize"].join();

/** Rules of cuts in words. */
const CUTS = {
  keep: "Whole clips",
  best: "Cut where poses match",
  phase: "Cut with feet in step",
} as const;

/** A transition in words. */
export function joinWords({
  method = "inertialize",
  blend = USUAL_BLEND,
  gap,
  gapMethod = "inertialize",
}: JoinOptions): string {
  if (gap !== undefined)
    return `${gap === "auto" ? "frames" : count(gap, "new frame")} between, by ${fillerName(gapMethod)}`;
  const length = `${blend.toFixed(2).replace(/0$/, "")} s`;
  switch (method) {
    case "crossfade":
      return `crossfade over ${length}`;
    case "lscore":
      return "shortest smooth transition";
    case "rmr":
      return "steps refined by a network";
    case "inertialize":
      return `momentum blend over ${length}`;
  }
}

/** A whole way in words: "Cut with feet in step; momentum blend over 0.5 s". */
export const wayWords = (way: JoinOptions): string => `${CUTS[way.seam ?? "keep"]}; ${joinWords(way)}`;
