/**
 * The flat form of the options of `stitch` (`method`, `blend`, `seam`, `gap`, ...), and the flat report `seams`, in terms
 * of the contract. The page and the command line use the flat form.
 */
import type { Cut, Join, JoinChoice, PartialJoin, SeamReport, Transition } from "../generated/contract.js";
import { wrongOption } from "./options.js";
import type { Fault, JoinOptions, Seam, StitchOptions, Trial } from "./stitch-types.js";
import type { InbetweenMethod } from "./inbetween-types.js";
import type { InbetweenMethodName } from "../generated/methods.js";

/** Length of the blends in the refiner's training data, seconds. */
const REFINED_SECONDS = 0.5;

/** Flat options that a contract's option `join` excludes. */
export const flatNames = [
  "method",
  "keep",
  "blend",
  "seam",
  "gap",
  "gapMethod",
  "maxCut",
  "window",
  "minInject",
  "maxInject",
] as const;

/** Options of a call that flat joins need. */
type Context = Pick<StitchOptions, "maxCut" | "window" | "minInject" | "maxInject">;

const defined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

function cutOf(seam: JoinOptions["seam"], { maxCut }: Context): Cut {
  return seam === undefined || seam === "keep" ? { kind: "keep" } : (defined({ kind: seam, maxCut }) as Cut);
}

function transitionOf({ method, blend, gap, gapMethod }: JoinOptions, context: Context): Transition {
  if (gap !== undefined) return defined({ kind: "insert", frames: gap, filler: gapMethod }) as Transition;
  if (method === "rmr") return { kind: "blend", blend: "inertialize", seconds: REFINED_SECONDS };
  if (method !== "lscore")
    return defined({ kind: "blend", blend: method ?? "inertialize", seconds: blend }) as Transition;
  const { window, minInject, maxInject } = context;
  return defined({ kind: "lscore", window, minInject, maxInject }) as Transition;
}

/** Returns the join of flat options. */
export function joinOf(options: JoinOptions, context: Context): Join {
  return {
    cut: cutOf(options.seam, context),
    transition: transitionOf(options, context),
    refine: options.method === "rmr",
  };
}

/** Returns the contract's `join` and `seams` of options that may be flat. `method`: the method if none is given. */
export function contractJoin(options: StitchOptions): { join?: unknown; seams?: unknown } {
  const { join, seams, method, keep, maxCut } = options;
  const flat = flatNames.find((name) => options[name] !== undefined);
  if (join !== undefined && flat !== undefined)
    throw wrongOption(flat, `${flat} is a part of join: give join alone, such as { kind: "auto", maxCut: 0.3 }`);
  const isAuto = method === undefined || method === "auto";
  const flatChoice = isAuto
    ? (defined({ kind: "auto", maxCut, keepAllFrames: keep }) as JoinChoice)
    : joinOf({ ...options, method }, options);
  const entries =
    seams &&
    Array.from(seams as readonly unknown[], (entry, index) => {
      if (!isFlat(entry)) return entry ?? null;
      const unknown = Object.keys(entry).find((key) => !FLAT_KEYS.includes(key));
      if (unknown === undefined) return joinOf(entry, options);
      throw wrongOption("seams", `seams[${index}] has no option "${unknown}" beside ${FLAT_KEYS.join(", ")}`);
    });
  return { join: join ?? flatChoice, ...(entries && { seams: entries }) };
}

const FLAT_KEYS = ["method", "blend", "seam", "gap", "gapMethod"];

/** Returns whether an entry of `seams` is flat. */
export const isFlat = (entry: unknown): entry is JoinOptions =>
  typeof entry === "object" &&
  entry !== null &&
  !Array.isArray(entry) &&
  Object.keys(entry).some((key) => FLAT_KEYS.includes(key));

/** Returns the name of a gap filler. */
const fillerName = (filler: unknown): InbetweenMethodName =>
  (typeof filler === "string" ? filler : (filler as { name: string }).name) as InbetweenMethodName;

function flatOf({ cut, transition, refine }: Required<Pick<Join, "cut" | "transition" | "refine">>): JoinOptions {
  const seam = (cut as { kind: string }).kind;
  const { kind, blend, seconds, frames, filler } = transition as {
    kind: string;
    blend?: "inertialize" | "crossfade";
    seconds?: number;
    frames?: number | "auto";
    filler?: InbetweenMethod;
  };
  return defined({
    method: refine ? "rmr" : kind === "lscore" ? "lscore" : (blend ?? "inertialize"),
    blend: kind === "blend" ? seconds : REFINED_SECONDS,
    seam: seam === "best" || seam === "phase" ? seam : "keep",
    gap: kind === "insert" ? frames : undefined,
    gapMethod: kind === "insert" ? fillerName(filler) : undefined,
  }) as JoinOptions;
}

/** Reasons why a seam was not refined, as the end of a sentence. */
const REJECTIONS: Record<string, string> = {
  "not-upright": "the body is not upright there, and the refiner was trained on upright motion only",
  jerk: "the refined motion would have more jerk",
  pop: "the refined motion would have larger jumps between frames",
};

/** Returns the flat report of a seam. */
export function flatSeam(report: SeamReport & { faults: Fault[] }): Seam {
  const { frame, made, inserted, cutAt, editedRange, measuredRange, footSkate, peakJerk, refinement, faults } = report;
  const flat = flatOf(made as Required<Join>);
  const trials = (report.trials ?? []).map(
    ({ made, score, footSkate, peakJerk, milliseconds }): Trial => ({
      options: flatOf(made as Required<Join>),
      score,
      footSkate,
      peakJerk,
      milliseconds,
    }),
  );
  const [best] = trials;
  return defined({
    frame,
    method: refinement ? "rmr" : inserted > 0 ? "inertialize" : flat.method,
    editedRange,
    measuredRange,
    footSkate,
    peakJerk,
    faults,
    cut: cutAt,
    driftCm: refinement?.driftCm,
    fallbackReason: refinement?.rejected && REJECTIONS[refinement.rejected],
    gap: inserted > 0 ? inserted : undefined,
    gapMethod: inserted > 0 ? flat.gapMethod : undefined,
    options: best?.options,
    trials: best ? trials : undefined,
  }) as unknown as Seam;
}

/** Returns the parts of every join that options fix, for the networks that they need. */
export function joinsOf({ join, seams }: { join?: unknown; seams?: unknown }): PartialJoin[] {
  const entries = ((seams ?? []) as readonly (PartialJoin | null)[]).filter((entry) => entry !== null);
  return isAutomatic(join) ? entries : [join as PartialJoin, ...entries];
}

/** Returns whether the most natural joins are searched. */
export const isAutomatic = (join: unknown): boolean => (join as { kind?: string }).kind === "auto";

/** Returns the name of the gap filler of a join; `undefined` if it inserts no frames. */
export function fillerOf({ transition }: PartialJoin): InbetweenMethodName | undefined {
  const { kind, filler } = (transition ?? {}) as { kind?: string; filler?: unknown };
  return kind === "insert" && filler !== undefined ? fillerName(filler) : undefined;
}
