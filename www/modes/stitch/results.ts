/** Results: their parameters, and the call of the package that makes one, with motion and inputs for the page. */
import type { InbetweenMethod, Method, Progress, Seam, JoinOptions } from "kinestitch/worker";
import { motionOf, posesOf, stitch, type Motion, type WorkerClip } from "../../core/engine";
import { jerk, millimetres } from "../../core/format";
import type { Library } from "../../core/library";
import type { Poses } from "../../viewer/poses";
import type { Item, Project } from "./project";
import { tooShort } from "./usable";

/** One finished result. */
export interface Take {
  key: string;
  method: Method;
  items: readonly Item[];
  motion: Motion;
  seams: Seam[];
  starts: number[];
  /** The inputs as placed by stitch, for ghosts; frame 0 of input i is frame `starts[i]`. */
  aligned: Poses[];
  warnings: string[];
  milliseconds: number;
  clip: WorkerClip;
}

/** Parameters of a result. */
export interface Plan {
  key: string;
  project: Project;
  items: readonly Item[];
  method: Method;
  /** Join options of the seams that differ from the project's method, by seam; `undefined`: the project's. */
  joins: readonly (JoinOptions | undefined)[];
  /** Seconds; absent: the document's. */
  blend: number | undefined;
  /** Number of frames inserted between clips, and their method. */
  gap: number | undefined;
  gapMethod: InbetweenMethod | undefined;
}

/** Blend length of the refiner's draft, seconds; the draft is compared at that length. */
export const DRAFT_BLEND = 0.5;

/** The result of a single clip that is too short to be stitched. */
async function alone(key: string, items: readonly Item[], clip: WorkerClip): Promise<Take> {
  const motion = await motionOf(clip);
  return {
    key,
    method: "inertialize",
    items,
    motion,
    seams: [],
    starts: [0],
    aligned: [motion],
    warnings: [],
    milliseconds: 0,
    clip,
  };
}

/** Makes a result of `items`, which may be fewer than the items of the plan. */
export async function compute(
  library: Library,
  plan: Plan,
  items: readonly Item[],
  signal: AbortSignal,
  tell?: (progress: Progress) => void,
): Promise<Take> {
  const { project, key, blend } = plan;
  // A single clip is shown unchanged.
  const single = items.length === 1;
  const method = single ? "inertialize" : plan.method;
  const inputs = [];
  for (const { source } of items) inputs.push(await library.clip(source, project.rigs[source]));
  if (single && tooShort(project, library).has(items[0])) return alone(key, items, inputs[0].clip);
  const fps = project.fps ?? inputs[0].clip.fps;
  const joins = single ? [] : plan.joins.slice(0, items.length - 1);
  const { gap, gapMethod } = plan;
  const clip = await stitch(
    inputs.map((input) => input.clip),
    {
      method,
      ...(joins.some(Boolean) && { seams: [...joins] }),
      ...(gap !== undefined && !single && { gap, ...(gapMethod && { gapMethod }) }),
      blend: blend ?? project.blend / fps,
      seam: project.seam,
      maxCut: project.maxCut,
      footLock: project.footLock && !single,
      trim: items.map((item) => item.trim),
      ...(project.fps ? { fps: project.fps } : {}),
      signal,
      ...(tell && { onProgress: tell }),
    },
  );
  const [motion, aligned] = await Promise.all([
    motionOf(clip),
    clip.aligned().then((parts) => Promise.all(parts.map((part) => posesOf(part)))),
  ]);
  const { seams, starts, warnings, milliseconds } = clip;
  return { key, method, items, motion, seams, starts, aligned, warnings, milliseconds, clip };
}

/** Reason to keep the draft: a measurement in which the refined seam is worse. `undefined` if none is. */
function worseThan(draft: Seam | undefined, refined: Seam): string | undefined {
  if (!draft || refined.method !== "rmr" || refined.fallbackReason !== undefined) return undefined;
  if (isMore(refined.footSkate, draft.footSkate, millimetres)) return "feet would slide more";
  return isMore(refined.peakJerk, draft.peakJerk, jerk) ? "it would jerk more" : undefined;
}

const isMore = (a: number, b: number, text: (value: number) => string): boolean => a > b && text(a) !== text(b);

/** A refined result; seams that are worse than the draft of the same length keep the draft. */
export async function computeRefined(
  library: Library,
  plan: Plan,
  items: readonly Item[],
  signal: AbortSignal,
  tell?: (progress: Progress) => void,
): Promise<Take> {
  const take = await compute(library, plan, items, signal, tell);
  const plain: Plan = { ...plan, key: `${plan.key} draft`, method: "inertialize", blend: DRAFT_BLEND };
  const draft = await compute(library, plain, items, signal);
  const reasons = take.seams.map((seam, i) => (plan.joins[i] ? undefined : worseThan(draft.seams[i], seam)));
  if (!reasons.some(Boolean)) return take;
  const drafted: JoinOptions = { method: "inertialize", blend: DRAFT_BLEND, seam: plan.project.seam };
  const joins = take.seams.map((_, i) => (reasons[i] ? drafted : plan.joins[i]));
  const mixed = await compute(library, { ...plan, joins }, items, signal, tell);
  const seams = mixed.seams.map((seam, i) => ({ ...seam, ...(reasons[i] && { fallbackReason: reasons[i] }) }));
  return { ...mixed, seams };
}
