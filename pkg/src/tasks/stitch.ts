import { type DraftHandle, type StitchedHandle, Stitcher } from "../../wasm/kinestitch.js";
import { KinestitchClip, packed } from "../core/clip.js";
import { freed, guarded, KinestitchError, release } from "../core/error.js";
import { nextTask, TURN } from "../core/next-task.js";
import { flag, frames, gap, oneOf, part, plain, positive, seed, text, trims, wrongOption } from "../core/options.js";
import type { Packed } from "../core/packed.js";
import { reporting } from "../core/progress.js";
import { quoted } from "../core/quote.js";
import { type Context, task } from "../core/task.js";
import { type Clip, type InbetweenClip, type InbetweenMethod, inbetweenMethods, methods, seamChoices, type StitchedClip, type StitchOptions } from "../core/types.js";
import { inbetween } from "./inbetween.js";

/** What `StitchedHandle.report` tells. */
type Report = Pick<StitchedClip, "starts" | "seams" | "warnings">;

export class KinestitchStitched extends KinestitchClip implements StitchedClip {
  #aligned: readonly KinestitchClip[];
  readonly seams: StitchedClip["seams"];
  readonly starts: number[];
  readonly warnings: string[];
  readonly milliseconds: number;

  /** @internal */
  constructor(clip: Packed, aligned: readonly Packed[], { starts, seams, warnings }: Report, milliseconds: number) {
    super(clip);
    this.#aligned = aligned.map((input) => new KinestitchClip(input));
    this.starts = starts;
    this.seams = seams;
    this.warnings = warnings;
    this.milliseconds = milliseconds;
  }

  aligned(): Clip[] {
    KinestitchClip.packedOf(this, "this clip");
    return [...this.#aligned];
  }

  override free(): void {
    super.free();
    this.#aligned = [];
  }
}

/**
 * Joins two or more clips, in order, into one motion on the first clip's skeleton.
 *
 * @param clips What `load` or another function of this module gave.
 * @param options How they are joined; see {@link StitchOptions}.
 * @returns A clip that also tells what happened at each seam.
 * @throws {KinestitchError} `too-short` for a clip under ten frames, `rig` where skeletons differ and cannot be retargeted, `option`, `aborted`.
 * @example
 * ```js
 * const motion = await stitch([await load("walk.bvh"), await load("run.bvh")], { seam: "best" });
 * console.log(motion.seams[0].frame, motion.toBvh());
 * ```
 * @function
 */
export const stitch = /* @__PURE__ */ task<[clips: readonly Clip[]], StitchOptions, StitchedClip>({
  name: "stitch",
  makes: "clip",
  takes: 1,
  options: {
    method: /* @__PURE__ */ oneOf(methods),
    blend: frames,
    seam: /* @__PURE__ */ oneOf(seamChoices),
    gap,
    gapMethod: /* @__PURE__ */ oneOf(inbetweenMethods),
    seed,
    maxCut: part,
    window: frames,
    minInject: frames,
    maxInject: frames,
    footLock: flag,
    trim: /* @__PURE__ */ trims(),
    fps: positive,
    name: text,
  },
  run(context, options, clips) {
    if (!Array.isArray(clips)) throw wrongOption("clips", "stitch takes an array of clips");
    if ((options.trim?.length ?? 0) > clips.length) {
      throw wrongOption("trim", `trim has ${options.trim?.length} entries for ${clips.length} clips`);
    }
    // A hole in an array is seen by `Array.from` alone.
    const inputs = Array.from(clips as readonly unknown[], (clip, index) => KinestitchClip.packedOf(clip, `clip ${index}`));
    // A default holds where it can; what a call asks for is done or refused.
    const fallback = context.method === "rmr" && inputs.some(({ kind }) => kind !== "biped") ? undefined : context.method;
    const method = options.method ?? fallback;
    if (options.gapMethod !== undefined && options.gap === undefined) throw wrongOption("gapMethod", "gapMethod says how the frames of gap are made: give gap, too");
    if (options.gapMethod !== undefined && method !== "rmr") return bridged(context, options.gapMethod, options, inputs);
    return method === "rmr" ? refined(context, options, inputs) : joined(method ? { ...options, method } : options, inputs);
  },
});

async function joined(options: StitchOptions, inputs: readonly Packed[]): Promise<StitchedClip> {
  const started = performance.now();
  const stitcher = await prepared(options, inputs, false);
  return result(freed(stitcher, () => reporting(options, (report) => stitcher.run(report))), started);
}

/** Joined, and the frames in between made anew. Clips stay as they were joined. */
async function bridged(context: Context, gapMethod: InbetweenMethod, { method: _, gapMethod: __, seed, ...options }: StitchOptions, inputs: readonly Packed[]): Promise<StitchedClip> {
  const drafted = await joined(options, inputs);
  const { seams, starts, warnings, frames } = drafted;
  if (seams.length === 0) return drafted;
  const gaps = seams.map(({ gap = 0 }) => gap);
  // A clip reaches from its first frame to the gap behind it.
  const keys = starts.map((from, index) => ({ clip: drafted, from, to: (starts[index + 1] ?? frames) - (gaps[index] ?? 0) }));
  const { footLock, signal, onProgress, name = drafted.name } = options;
  const more = { ...(footLock !== undefined && { footLock }), ...(seed !== undefined && { seed }), ...(signal && { signal }), ...(onProgress && { onProgress }) };
  // Without candidates it is one.
  const made = (await inbetween.definition.run(context, { frames: gaps, method: gapMethod, name, ...more }, keys)) as InbetweenClip;
  const told = seams.map((seam, index) => {
    const { method = gapMethod, edited = seam.edited, footSkate = 0, peakJerk = 0 } = made.gaps[index] ?? {};
    return { ...seam, gapMethod: method, edited, measured: { start: edited[0], end: edited[1] }, footSkate, peakJerk };
  });
  const aligned = drafted.aligned().map((clip) => KinestitchClip.packedOf(clip, "an aligned clip"));
  const report = { starts, seams: told, warnings: [...warnings, ...made.warnings] };
  return new KinestitchStitched(KinestitchClip.packedOf(made, "the motion"), aligned, report, drafted.milliseconds + made.milliseconds);
}

/** Joined as the refiner was trained, and then refined. */
async function refined(context: Context, { method: _, ...options }: StitchOptions, inputs: readonly Packed[]): Promise<StitchedClip> {
  const other = inputs.find((input) => input.kind !== "biped");
  if (other) throw notBiped(other);
  const networks = context.networks();
  let started = performance.now();
  const stitcher = await prepared(options, inputs, true);
  let draft: DraftHandle | undefined = freed(stitcher, () => reporting(options, (report) => stitcher.draft(report)));
  try {
    const loading = performance.now();
    await networks.ready("stitch", options);
    started += performance.now() - loading;
    const rows = await networks.refine({ rows: draft.rows(), seams: draft.seams() }, options);
    const ready = draft;
    // `finish` takes the draft along, whether it ends well or not.
    draft = undefined;
    return result(reporting(options, (report) => ready.finish(rows, report)), started);
  } finally {
    release(draft);
  }
}

/** The clips in wasm, aligned, their cuts found: piece by piece, so that an abort is heard in between. */
async function prepared(options: StitchOptions, inputs: readonly Packed[], refined: boolean): Promise<Stitcher> {
  const stitcher = gathered(options, inputs);
  try {
    reporting(options, (report) => stitcher.prepare(refined, report));
    let turn = performance.now();
    while (reporting(options, (report) => stitcher.advance(report)) < 1) {
      if (performance.now() - turn < TURN) continue;
      await nextTask();
      turn = performance.now();
    }
    return stitcher;
  } catch (error) {
    release(stitcher);
    throw error;
  }
}

/** The clips and what to do with them, in wasm. */
function gathered(options: StitchOptions, inputs: readonly Packed[]): Stitcher {
  const words = { ...plain(options), ...(options.trim && { trim: Array.from(options.trim) }) };
  const stitcher = guarded(() => new Stitcher(words));
  try {
    for (const { bytes } of inputs) guarded(() => stitcher.add(bytes));
    return stitcher;
  } catch (error) {
    release(stitcher);
    throw error;
  }
}

function result(stitched: StitchedHandle, started: number): StitchedClip {
  return freed(stitched, () => {
    const aligned = guarded(() => stitched.aligned()).map(packed);
    const report = guarded(() => stitched.report()) as Report;
    return new KinestitchStitched(packed(stitched.clip()), aligned, report, performance.now() - started);
  });
}

function notBiped({ name }: Packed): KinestitchError {
  const help = 'correct its bone mapping with withRig, or choose the method "inertialize"';
  return new KinestitchError("rig", `clip ${quoted(name)}: "rmr" needs a body with two legs and two arms; ${help}`);
}
