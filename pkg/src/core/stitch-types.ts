/** Options and results of `stitch`. */
import type { JoinChoice, JoinChoiceWord, PartialJoin, SeamReport } from "../generated/contract.js";
import type { Clip } from "./clip-types.js";
import type { Cut } from "./cut-types.js";
import type { Ground } from "./ground-types.js";
import type { Heading } from "./heading-types.js";
import type { InbetweenMethod } from "./inbetween-types.js";
import type { FrameRange, TaskOptions } from "./task-types.js";

export { defaultBlend } from "../generated/methods.js";
export type {
  BlendKind,
  Cut as CutRule,
  CutWord,
  InsertedFrames,
  Join,
  JoinChoice,
  JoinChoiceWord,
  PartialJoin,
  Refinement,
  Rejection,
  SeamReport,
  Transition,
  TransitionWord,
} from "../generated/contract.js";

/** Names of the stitching methods. "auto" tries all joins at each seam and keeps the most natural one. */
export const methods = ["auto", "crossfade", "inertialize", "lscore", "rmr"] as const;

/** Name of a stitching method. */
export type Method = (typeof methods)[number];

/** Rules that choose the frames where two clips meet. */
export const seamChoices = ["keep", "best", "phase"] as const;

/** Name of a rule that chooses a cut: see {@link StitchOptions.seam}. */
export type SeamChoice = (typeof seamChoices)[number];

/**
 * Options of the join at one seam. An omitted property has its default, not the value in the options of the call; the
 * default of `method` is "inertialize".
 */
export interface JoinOptions {
  /** Method that joins the clips. With `gap`, only "rmr" has an effect: it refines the motion around the gap. */
  method?: Exclude<Method, "auto">;
  /** See {@link StitchOptions.blend}. */
  blend?: number;
  /** See {@link StitchOptions.seam}. */
  seam?: SeamChoice;
  /** See {@link StitchOptions.gap}. */
  gap?: number | "auto";
  /** See {@link StitchOptions.gapMethod}. */
  gapMethod?: InbetweenMethod;
}

/** A join that "auto" tried at a seam. */
export interface Trial {
  /** Options that reproduce the trial. */
  options: JoinOptions;
  /** Score of the motion around the seam; lower is more natural. Only scores of the same seam are comparable. */
  score: number;
  /** Foot skate: horizontal foot travel during contact, metres per frame. */
  footSkate: number;
  /** Peak joint jerk, m/s³. */
  peakJerk: number;
  /** Computation time of the trial, milliseconds. */
  milliseconds: number;
}

/**
 * Options of `stitch`. How clips are joined is said by `join`, and changed at single seams by `seams`; or, in the flat
 * form, by `method` and the options after it.
 */
export interface StitchOptions extends TaskOptions {
  /**
   * How the clips are joined at every seam: "auto" (default), or one join: its cut, its transition and whether it is
   * refined. Short forms: "auto", "inertialize", "crossfade", "lscore", "rmr"; for a transition also with its length,
   * "inertialize:0.5".
   */
  join?: JoinChoice | JoinChoiceWord;
  /**
   * Method that joins the clips. Default: the method set by `init({ method })` ("rmr" only for bipeds), else "auto";
   * with `gap`, "inertialize" in place of "auto" and "rmr".
   * "auto" tries all joins at each seam, with the networks that `loadNetworks` has loaded, and keeps the most natural
   * motion; without networks it tries the joins that need none. Joins of bipeds are compared by the judge if its file
   * (0.1 MB) is available: in Node always, in browsers with `kinestitch/networks` (or `kinestitch/networks/judge`),
   * `init({ networks: { models } })`, or `loadNetworks({ for: "judge" })`. Other joins are compared by foot skate,
   * jerk, and the heights of the joints. "rmr" loads its network; bipeds only.
   */
  method?: Method;
  /**
   * Changes of the join at single seams, in order; `undefined`, `null` or a missing entry changes nothing. With "auto",
   * an entry fixes the parts that it names, and the others are chosen. A flat entry gives the complete join.
   */
  seams?: readonly (PartialJoin | JoinOptions | null | undefined)[];
  /** Only for "auto": if true, every frame of every clip is kept; default false. */
  keep?: boolean;
  /**
   * Length of each blend, seconds; default 2/3. Ignored by "lscore", which chooses the length itself, and by
   * "rmr", which uses half a second.
   */
  blend?: number;
  /**
   * Rule that chooses the cut. "keep" (default): the last frame of one clip meets the first frame of the next. "best":
   * the cut with the lowest L-score. "phase": the cut at which the feet have the same phase. Ignored by "auto", which
   * tries all three.
   */
  seam?: SeamChoice;
  /**
   * Number of frames inserted between two clips, 1 to 480, instead of a blend: the clips keep all frames up to the
   * cut and after it, and their velocities continue into the gap. "auto": the number that the best cut injects, or the
   * number that the clips need at their own speed, whichever is larger. Not with the method "rmr", nor with "auto",
   * which chooses itself whether to insert frames: `gap` of an entry of `seams` sets it for one seam.
   */
  gap?: number | "auto";
  /**
   * Method that makes the frames of `gap`, like `method` of {@link inbetween}; default "inertialize". A network is
   * loaded when its name is given; networks are for bipeds only. Only with `gap`, so not with "auto".
   */
  gapMethod?: InbetweenMethod;
  /** Maximum duration that "auto", "best" and "phase" may cut off each clip at a seam, seconds; default 0.5. */
  maxCut?: number;
  /** Number of frames that are compared on each side of a cut, 3 to 30; default 5. */
  window?: number;
  /** Minimum number of frames that "lscore" injects; default 0. */
  minInject?: number;
  /** Maximum number of frames that "lscore" injects, at most 120; default 15. */
  maxInject?: number;
  /** If true (default), pins feet that touch the ground, by two-bone inverse kinematics. Bipeds only. */
  footLock?: boolean;
  /**
   * Whether clips that stand on different floors are moved to one floor ("level", the default): the floor at height 0 if
   * a clip stands there, else that of the first clip. A warning names each clip that was moved.
   */
  ground?: Ground;
  /** Rule for the direction of each clip after the first; default "auto". */
  heading?: Heading;
  /** Range of frames used of each clip; `undefined` or a missing entry for the whole clip. */
  trim?: (FrameRange | undefined)[];
  /** Frame rate of the result, frames per second; default: the rate of the first clip. */
  fps?: number;
  /** Name of the result; default: the inputs' names joined by " + ". */
  name?: string;
}

/**
 * Kinds of visible faults. "stall": the body slows down between two motions that travel; "slide": standing feet slide;
 * "sink": a foot passes below its floor; "pop": a joint accelerates suddenly; "turn": the way turns between straight
 * clips; "dwell": inserted motion takes longer than the poses need.
 */
export type FaultKind = "stall" | "slide" | "sink" | "pop" | "turn" | "dwell";

/** A visible fault of a seam, measured at 30 frames a second over the frames that differ from both clips. */
export interface Fault {
  /** Kind of fault. */
  kind: FaultKind;
  /**
   * Measured value: ratio of speeds (stall), of slides (slide) or of accelerations (pop); metres (sink), degrees
   * (turn), seconds (dwell).
   */
  value: number;
  /** The fault in words. */
  text: string;
  /** A remedy to try, a sentence. */
  remedy: string;
}

/** A seam that was found in a motion. */
export interface FoundSeam extends FrameRange {
  /** Visible faults of the seam. */
  faults: Fault[];
}

/** Report on one seam. */
export interface Seam {
  /** Frame of the result at which the next clip begins. */
  frame: number;
  /** The method that joined the clips. */
  method: Method;
  /** Frames of the result whose poses differ from the aligned inputs. */
  editedRange: FrameRange;
  /**
   * Frames of the result in which `footSkate` and `peakJerk` are measured: one second on each
   * side of `frame`, within the result, for every method.
   */
  measuredRange: FrameRange;
  /** Foot skate: horizontal foot travel during contact, metres per frame. 0 unless the body is a biped. */
  footSkate: number;
  /** Peak joint jerk, m/s³. */
  peakJerk: number;
  /** Faults that an eye sees; empty if there are none. */
  faults: Fault[];
  /** The cut; absent if the ends of the clips meet and nothing was scored. */
  cut?: Cut;
  /**
   * Only for "rmr": distance between the path that the network predicts and the path of the inputs, which is kept; cm.
   */
  driftCm?: number;
  /** Only for "rmr": reason why the seam was not refined and is joined by inertialization; absent if it was refined. */
  fallbackReason?: string;
  /**
   * Number of frames inserted between the clips; absent if none. If present, `gapMethod` joined the clips instead of
   * `method`, and "rmr" only refined the motion around the gap.
   */
  gap?: number;
  /** Method that made the inserted frames. */
  gapMethod?: InbetweenMethod;
  /** Only for "auto": options of the chosen join; as an entry of `seams` they reproduce this seam. */
  options?: JoinOptions;
  /** Only for "auto": all joins that were tried, best first. */
  trials?: Trial[];
}

/** Result of `stitch`: a clip, with a report on each seam. */
export interface StitchedClip extends Clip {
  /** The report on each seam: one entry for each pair of neighbouring clips. */
  readonly seamReports: (SeamReport & { faults: Fault[] })[];
  /** The same report with the names of the flat options. */
  readonly seams: Seam[];
  /** Warnings about the result for the user; each is one sentence. */
  readonly warnings: string[];
  /** Computation time, milliseconds. */
  readonly milliseconds: number;
  /**
   * Returns the inputs as `stitch` used them: resampled, retargeted and placed on the ground; for display as ghosts.
   * Frame 0 of input i is frame `starts[i]` of the result.
   */
  aligned(): Promise<Clip[]>;
  /** Frame of the result at which each input begins. */
  readonly starts: number[];
}
