import { type StitchedHandle, Stitcher } from "../../wasm/kinestitch.js";
import { AutoStitcher, Drafter, type DraftHandle, type StitchedHandle as LiveStitchedHandle } from "../../wasm/live.js";
import { KinestitchClip, pack } from "../core/clip.js";
import { freeAfter, callWasm, callLiveWasm, KinestitchError, release } from "../core/error.js";
import { nextTask, SLICE_MS } from "../core/next-task.js";
import {
  flag,
  frames,
  gap,
  oneOf,
  omitTaskOptions,
  positive,
  seamJoins,
  seconds,
  text,
  trims,
  wrongOption,
} from "../core/options.js";
import type { PackedMotion } from "../core/packed.js";
import { runWithProgress } from "../core/progress.js";
import { quote } from "../core/quote.js";
import { lightModule, liveModule, type RestartableModule } from "../core/restart.js";
import { type Context, task } from "../core/task.js";
import { live } from "../core/wasm.js";
import {
  type Clip,
  inbetweenMethods,
  type Method,
  methods,
  seamChoices,
  type StitchedClip,
  type StitchOptions,
  type WorkerClip,
} from "../core/types.js";
import { type NetworksForStitch, networksForStitch } from "../networks/for-stitch.js";

/** Result of `StitchedHandle.report`. */
type Report = Pick<StitchedClip, "starts" | "seams" | "warnings">;

/** Result of `stitch` on the calling thread. */
export class KinestitchStitched extends KinestitchClip implements StitchedClip {
  #aligned: readonly KinestitchClip[];
  readonly seams: StitchedClip["seams"];
  readonly starts: number[];
  readonly warnings: string[];
  readonly milliseconds: number;

  /** @internal */
  constructor(
    clip: PackedMotion,
    aligned: readonly PackedMotion[],
    { starts, seams, warnings }: Report,
    milliseconds: number,
  ) {
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
 * @param clips Clips from any function of any entry point of this package.
 * @param options See {@link StitchOptions}.
 * @returns A clip with a report on each seam.
 * @throws {KinestitchError} `too-short` for a clip under ten frames, `rig` if skeletons differ and cannot be
 * retargeted or if a network is requested for a clip that is not a biped, `weights` if a network's file is missing or
 * damaged, `option` for invalid options, `aborted`.
 * @example
 * ```js
 * const motion = await stitch([await load("walk.bvh"), await load("run.bvh")]);
 * console.log(motion.seams[0].options, motion.seams[0].trials, motion.toBvh());
 * ```
 * @function
 */
export const stitch = /* @__PURE__ */ task<
  (clips: readonly (Clip | WorkerClip)[], options?: StitchOptions) => Promise<StitchedClip>
>({
  name: "stitch",
  resultKind: "clip",
  argumentCount: 1,
  options: {
    method: /* @__PURE__ */ oneOf(methods),
    seams: /* @__PURE__ */ seamJoins(),
    keep: flag,
    blend: seconds,
    seam: /* @__PURE__ */ oneOf(seamChoices),
    gap,
    gapMethod: /* @__PURE__ */ oneOf(inbetweenMethods),
    maxCut: seconds,
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
    // Unlike `map`, `Array.from` does not skip holes in an array.
    const inputs = Array.from(clips as readonly unknown[], (clip, index) =>
      KinestitchClip.packedOf(clip, `clip ${index}`),
    );
    if ((options.seams?.length ?? 0) >= Math.max(1, clips.length)) {
      throw wrongOption(
        "seams",
        `seams has ${options.seams?.length} entries for ${Math.max(0, clips.length - 1)} seams`,
      );
    }
    if (options.gapMethod !== undefined && options.gap === undefined)
      throw wrongOption("gapMethod", "gapMethod makes the frames that gap inserts: set gap, too");
    if (options.gap !== undefined && options.method === "auto") {
      const help = 'leave method out (with gap, its default is "inertialize"), or set gap in an entry of seams';
      throw wrongOption("gap", `"auto" itself chooses whether to insert frames, and how many: ${help}`);
    }
    const method = options.method ?? defaultMethod(context, options, inputs);
    const optionsWithMethod = { ...options, method };
    if (method === "rmr" && options.seams === undefined) return stitchRefined(context, optionsWithMethod, inputs);
    // Only the live module has "auto", join options of single seams, and networks that fill gaps.
    const needsLiveModule = method === "auto" || options.seams !== undefined || options.gapMethod !== undefined;
    if (needsLiveModule) return stitchLive(context, optionsWithMethod, inputs);
    return stitchLight(optionsWithMethod, inputs).catch((error: unknown) => {
      // Only the live module transfers motions between four-legged bodies with different skeletons.
      const isRigError = error instanceof KinestitchError && error.code === "rig";
      if (!isRigError || inputs.some(({ kind }) => kind === "biped")) throw error;
      return stitchLive(context, optionsWithMethod, inputs);
    });
  },
});

/** Returns the method of `init`, or else "auto"; another one where this method does not support the options or clips. */
export function defaultMethod(
  { method: initMethod = "auto" }: Context,
  { gap }: StitchOptions,
  inputs: readonly PackedMotion[],
): Method {
  // If the options of the call name such a method, the call throws instead.
  const method = initMethod === "rmr" && inputs.some(({ kind }) => kind !== "biped") ? "auto" : initMethod;
  return gap !== undefined && (method === "auto" || method === "rmr") ? "inertialize" : method;
}

/** Stitches in the light module: with one method for all seams, and without networks. */
async function stitchLight(options: StitchOptions, inputs: readonly PackedMotion[]): Promise<StitchedClip> {
  const started = performance.now();
  const stitcher = await prepareJoiner(() => new Stitcher(wasmOptions(options)), options, inputs, lightModule);
  return resultOf(
    freeAfter(stitcher, () => runWithProgress(options, (report) => stitcher.run(report))),
    started,
  );
}

/**
 * Stitches in the live module: with "auto", with `gapMethod`, with join options of single seams, or four-legged bodies
 * with different skeletons.
 */
async function stitchLive(
  context: Context,
  options: StitchOptions,
  inputs: readonly PackedMotion[],
): Promise<StitchedClip> {
  const areBipeds = inputs.every(({ kind }) => kind === "biped");
  const [networks] = await Promise.all([networksForStitch(context.networks(), options, areBipeds), live.ensure()]);
  const started = performance.now();
  const stitcher = callLiveWasm(() => new AutoStitcher(wasmOptions(options)));
  try {
    addInputs(stitcher, networks, inputs);
    runWithProgress(options, (report) => stitcher.prepare(report), liveModule);
    let sliceStart = performance.now();
    for (let done = 0; done < 1; ) {
      const stepStart = performance.now();
      done = runWithProgress(options, (report) => stitcher.advance(report), liveModule);
      // Wasm has no clock; this is the duration of the trial in the report.
      stitcher.setTrialDuration(performance.now() - stepStart);
      if (performance.now() - sliceStart < SLICE_MS) continue;
      await nextTask();
      sliceStart = performance.now();
    }
    return resultOf(
      runWithProgress(options, (report) => stitcher.run(report), liveModule),
      started,
      liveModule,
      networks.warnings,
    );
  } finally {
    release(stitcher);
  }
}

/** Adds clips and networks to a stitcher. */
function addInputs(
  stitcher: AutoStitcher,
  { fillers, refiner, judge }: NetworksForStitch,
  inputs: readonly PackedMotion[],
): void {
  callLiveWasm(() => {
    for (const { bytes } of inputs) stitcher.add(bytes);
    for (const filler of fillers) stitcher.network(filler);
    if (refiner) stitcher.refiner(refiner);
    if (judge) stitcher.judge(judge);
  });
}

/** Returns the options for wasm: without callbacks, and with `undefined` in place of holes in arrays. */
function wasmOptions(options: StitchOptions): object {
  const { trim, seams } = options;
  return {
    ...omitTaskOptions(options),
    ...(trim && { trim: Array.from(trim) }),
    ...(seams && { seams: Array.from(seams) }),
  };
}

/** Stitches with "rmr" in the live module: joins the clips as in the refiner's training data, and refines the seams. */
async function stitchRefined(
  context: Context,
  { method: _, ...options }: StitchOptions,
  inputs: readonly PackedMotion[],
): Promise<StitchedClip> {
  const nonBiped = inputs.find((input) => input.kind !== "biped");
  if (nonBiped) throw notBipedError(nonBiped);
  const networks = context.networks();
  await live.ensure();
  let started = performance.now();
  const drafter = await prepareJoiner(() => new Drafter(wasmOptions(options)), options, inputs, liveModule);
  const draft: DraftHandle = freeAfter(drafter, () =>
    runWithProgress(options, (report) => drafter.run(report), liveModule),
  );
  let isConsumed = false;
  try {
    // The time in which the network is loaded does not count as computation time.
    const loadStart = performance.now();
    await networks.getNetwork("stitch", options);
    started += performance.now() - loadStart;
    // The module may have been restarted while the network was loaded; then the draft is lost.
    const input = callLiveWasm(() => ({ rows: draft.rows(), seams: draft.seams() }));
    const rows = await networks.refine(input, options);
    // `finish` consumes the draft, even if it fails.
    isConsumed = true;
    return resultOf(
      runWithProgress(options, (report) => draft.finish(rows, report), liveModule),
      started,
      liveModule,
    );
  } finally {
    if (!isConsumed) release(draft);
  }
}

/**
 * Creates a stitcher or drafter that is ready to join the clips: copies them to wasm, resamples and retargets them, and
 * finds their cuts. An abort takes effect between the time slices.
 */
async function prepareJoiner<Joiner extends Stitcher | Drafter>(
  createJoiner: () => Joiner,
  options: StitchOptions,
  inputs: readonly PackedMotion[],
  module: RestartableModule,
): Promise<Joiner> {
  const joiner = callWasm(createJoiner, module);
  try {
    for (const { bytes } of inputs) callWasm(() => joiner.add(bytes), module);
    runWithProgress(options, (report) => joiner.prepare(report), module);
    let sliceStart = performance.now();
    while (runWithProgress(options, (report) => joiner.advance(report), module) < 1) {
      if (performance.now() - sliceStart < SLICE_MS) continue;
      await nextTask();
      sliceStart = performance.now();
    }
    return joiner;
  } catch (error) {
    release(joiner);
    throw error;
  }
}

/** Converts a result to the package's class, and frees it. `started`: start of the computation, ms. */
function resultOf(
  stitched: StitchedHandle | LiveStitchedHandle,
  started: number,
  module: RestartableModule = lightModule,
  warnings: readonly string[] = [],
): StitchedClip {
  return freeAfter(stitched, () => {
    const aligned = callWasm(() => stitched.aligned(), module).map((clip) => pack(clip, module));
    const clip = pack(
      callWasm(() => stitched.clip(), module),
      module,
    );
    const report = callWasm(() => stitched.report(), module) as Report;
    report.warnings.push(...warnings);
    return new KinestitchStitched(clip, aligned, report, performance.now() - started);
  });
}

function notBipedError({ name }: PackedMotion): KinestitchError {
  const help = 'correct its bone mapping with withRig, or choose the method "inertialize"';
  return new KinestitchError("rig", `clip ${quote(name)}: "rmr" needs a body with two legs; ${help}`);
}
