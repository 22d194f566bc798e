/** Join options of single seams, and their description in words. */
import type { JoinOptions } from "kinestitch/worker";
import { defaultBlend } from "kinestitch/ui";
import { count } from "../../../core/format";
import { fillerName } from "../../fillers";
import { hasBlendLength } from "../methods";
import type { Item, Project } from "../project";

/**
 * Returns the key of a seam's join options in the document: the ids of its two clips. So the options remain when both
 * clips are moved together.
 */
export const pairKey = (outgoing: Item, incoming: Item): string => `${outgoing.id}>${incoming.id}`;

/** Returns the join options that are set for a seam, if any. */
export const joinOptionsAt = (
  { joins }: Project,
  outgoing: Item | undefined,
  incoming: Item | undefined,
): JoinOptions | undefined => (outgoing && incoming ? joins[pairKey(outgoing, incoming)] : undefined);

/** Sets the join options of a seam; `undefined`: the seam uses the method of all seams. */
export function setJoinOptions(
  project: Project,
  outgoing: Item,
  incoming: Item,
  options: JoinOptions | undefined,
): Project {
  const joins = { ...project.joins };
  const key = pairKey(outgoing, incoming);
  if (options) joins[key] = options;
  else delete joins[key];
  return { ...project, joins };
}

/** Returns a canonical text of join options: options with the same effect have equal texts. */
export const textOf = ({
  method = "inertialize",
  blend = defaultBlend,
  seam = "keep",
  gap,
  gapMethod,
}: JoinOptions): string =>
  gap === undefined
    ? [seam, method, hasBlendLength(method) ? blend.toFixed(3) : ""].join()
    : [seam, "gap", gap, gapMethod ?? "inertialize"].join();

/** Descriptions of the rules that choose cuts. */
const CUT_RULES = {
  keep: "Whole clips",
  best: "Cut where poses match",
  phase: "Cut with feet in step",
} as const;

/** Formats a blend length, such as "0.5 s". */
const blendText = (seconds: number): string => `${seconds.toFixed(2).replace(/0$/, "")} s`;

/** Describes the transition at a seam in words, without the cut. */
export function transitionWords({
  method = "inertialize",
  blend = defaultBlend,
  gap,
  gapMethod = "inertialize",
}: JoinOptions): string {
  if (gap !== undefined)
    return `${gap === "auto" ? "frames" : count(gap, "new frame")} between, by ${fillerName(gapMethod)}`;
  const length = blendText(blend);
  switch (method) {
    case "crossfade":
      return `crossfade over ${length}`;
    case "lscore":
      return "shortest smooth transition";
    case "rmr":
      return "steps refined by a network";
    case "inertialize":
      return `inertialization over ${length}`;
  }
}

/** Describes cut and transition in words, such as "Cut with feet in step; inertialization over 0.5 s". */
export const joinOptionsWords = (options: JoinOptions): string =>
  `${CUT_RULES[options.seam ?? "keep"]}; ${transitionWords(options)}`;

/** Short descriptions of the rules that choose cuts. */
const SHORT_CUT_RULES = { keep: "Whole clips", best: "Poses match", phase: "Feet in step" } as const;

/** Returns the caption of a small figure: transition and cut. Captions of different join options differ. */
export function joinCaption({
  method = "inertialize",
  blend = defaultBlend,
  seam = "keep",
  gap,
  gapMethod = "inertialize",
}: JoinOptions): { transition: string; cut: string } {
  const name = { inertialize: "Inertialize", crossfade: "Crossfade", lscore: "Transition", rmr: "Refined" }[method];
  // Number and unit stay on one line.
  const length = hasBlendLength(method) ? ` ${blendText(blend).replaceAll(" ", "\u00a0")}` : "";
  const frames = gap === "auto" ? "+ frames" : `+${count(gap ?? 0, "frame")}`;
  return {
    transition: gap === undefined ? `${name}${length}` : `${frames}, ${fillerName(gapMethod)}`,
    cut: SHORT_CUT_RULES[seam],
  };
}
