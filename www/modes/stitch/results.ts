/** Computes results by the package, from the parameters in a plan. */
import type { InbetweenMethod, Method, Progress, Seam, SeamChoice, JoinOptions } from "kinestitch/worker";
import { motionOf, posesOf, stitch, type Motion, type Clip } from "../../core/engine";
import { jerk, millimetres } from "../../core/format";
import type { Library } from "../../core/library";
import type { Poses } from "../../viewer/poses";
import type { Item, Project } from "./project";
import { tooShortItems } from "./stitchable";

/** One finished result. */
export interface StitchResult {
  /** Key of the plan. */
  key: string;
  method: Method;
  /** Cut rule and blend length (seconds) of the seams without join options of their own. */
  defaults: { seam: SeamChoice; blend: number };
  items: readonly Item[];
  /** Frame rate of the clip of each item, frames per second. */
  inputFps: readonly number[];
  motion: Motion;
  seams: Seam[];
  /** Frame of the result at which each input starts. */
  starts: number[];
  /** Poses of the inputs, moved and turned to their positions in the result, for ghosts. */
  aligned: Poses[];
  warnings: string[];
  milliseconds: number;
  clip: Clip;
}

/** Parameters of a result. */
export interface Plan {
  /** Text of all parameters: plans with equal keys have equal results. */
  key: string;
  project: Project;
  items: readonly Item[];
  method: Method;
  /** Join options of the seams that differ from the project's method, by seam; `undefined`: as in the project. */
  joins: readonly (JoinOptions | undefined)[];
  /** Blend length, seconds; absent: as in the document. */
  blend: number | undefined;
  /** Number of frames inserted between clips, and their method. */
  gap: number | undefined;
  gapMethod: InbetweenMethod | undefined;
}

/** Blend length of the draft that the refiner adjusts, seconds. The compared result has this length too. */
export const DRAFT_BLEND = 0.5;

/** Whether a compared method gives the draft of the result of `method`. */
export const isDraft = (compared: Method | undefined, method: Method): boolean =>
  method === "rmr" && compared === "inertialize";

/** Returns a single clip as a result: it is too short to be stitched. */
async function resultOfClip(key: string, items: readonly Item[], clip: Clip): Promise<StitchResult> {
  const motion = await motionOf(clip);
  return {
    key,
    method: "inertialize",
    defaults: { seam: "keep", blend: 0 },
    items,
    inputFps: [clip.fps],
    motion,
    seams: [],
    starts: [0],
    aligned: [motion],
    warnings: [],
    milliseconds: 0,
    clip,
  };
}

/** Computes a result of `items`, which may be fewer than the items of the plan. */
export async function compute(
  library: Library,
  plan: Plan,
  items: readonly Item[],
  signal: AbortSignal,
  onProgress?: (progress: Progress) => void,
): Promise<StitchResult> {
  const { project, key, blend } = plan;
  // A single clip is shown unchanged.
  const isSingle = items.length === 1;
  const method = isSingle ? "inertialize" : plan.method;
  const inputs = [];
  for (const { source } of items) inputs.push(await library.clip(source, project.rigs[source]));
  if (isSingle && tooShortItems(project, library).has(items[0])) return resultOfClip(key, items, inputs[0].clip);
  const fps = project.fps ?? inputs[0].clip.fps;
  const joins = isSingle ? [] : plan.joins.slice(0, items.length - 1);
  const { gap, gapMethod } = plan;
  const defaults = { seam: project.seam, blend: blend ?? project.blend / fps };
  const clip = await stitch(
    inputs.map((input) => input.clip),
    {
      method,
      ...(joins.some(Boolean) && { seams: [...joins] }),
      ...(gap !== undefined && !isSingle && { gap, ...(gapMethod && { gapMethod }) }),
      ...defaults,
      maxCut: project.maxCut,
      footLock: project.footLock && !isSingle,
      trim: items.map((item) => item.trim),
      ...(project.fps ? { fps: project.fps } : {}),
      signal,
      ...(onProgress && { onProgress }),
    },
  );
  const [motion, aligned] = await Promise.all([
    motionOf(clip),
    clip.aligned().then((clips) => Promise.all(clips.map((aligned) => posesOf(aligned)))),
  ]);
  const { seams, starts, warnings, milliseconds } = clip;
  const inputFps = inputs.map((input) => input.clip.fps);
  return { key, method, defaults, items, inputFps, motion, seams, starts, aligned, warnings, milliseconds, clip };
}

/** Returns the reason to keep the draft: a measurement in which the refined seam is worse. `undefined` if none is. */
function reasonToKeepDraft(draft: Seam | undefined, refined: Seam): string | undefined {
  if (!draft || refined.method !== "rmr" || refined.fallbackReason !== undefined) return undefined;
  if (isMore(refined.footSkate, draft.footSkate, millimetres)) return "feet would slide more";
  return isMore(refined.peakJerk, draft.peakJerk, jerk) ? "the peak jerk would be higher" : undefined;
}

/** Whether `a` is larger than `b` by so much that their texts differ. */
const isMore = (a: number, b: number, text: (value: number) => string): boolean => a > b && text(a) !== text(b);

/** Computes a refined result. Seams that are worse than in the draft keep the draft. */
export async function computeRefined(
  library: Library,
  plan: Plan,
  items: readonly Item[],
  signal: AbortSignal,
  onProgress?: (progress: Progress) => void,
): Promise<StitchResult> {
  const result = await compute(library, plan, items, signal, onProgress);
  const draftPlan: Plan = { ...plan, key: `${plan.key} draft`, method: "inertialize", blend: DRAFT_BLEND };
  const draft = await compute(library, draftPlan, items, signal);
  const reasons = result.seams.map((seam, i) => (plan.joins[i] ? undefined : reasonToKeepDraft(draft.seams[i], seam)));
  if (!reasons.some(Boolean)) return result;
  const draftOptions: JoinOptions = { method: "inertialize", blend: DRAFT_BLEND, seam: plan.project.seam };
  const joins = result.seams.map((_, i) => (reasons[i] ? draftOptions : plan.joins[i]));
  const mixed = await compute(library, { ...plan, joins }, items, signal, onProgress);
  const seams = mixed.seams.map((seam, i) => ({
    ...seam,
    ...(reasons[i] && { fallbackReason: reasons[i], options: draftOptions }),
  }));
  return { ...mixed, seams };
}
