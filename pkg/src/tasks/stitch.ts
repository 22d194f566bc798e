import { type StitchedHandle, Stitcher } from "../../wasm/kinestitch.js";
import { AlignedClip, KinestitchClip } from "../core/clip.js";
import { onThread, pack } from "../core/clip-methods.js";
import { contractKinds, readOptions } from "../core/contract.js";
import type { StitchOptions as ContractOptions } from "../generated/contract.js";
import { freeAfter, freeAfterAsync, callWasm, KinestitchError } from "../core/error.js";
import { contractJoin, flatNames, flatSeam } from "../core/flat-join.js";
import { nextTask, SLICE_MS } from "../core/next-task.js";
import {
  flag,
  frames,
  gap,
  oneOf,
  omitTaskOptions,
  pickTaskOptions,
  seamJoins,
  seconds,
  wrongOption,
} from "../core/options.js";
import type { PackedMotion } from "../core/packed.js";
import { runWithProgress } from "../core/progress.js";
import { quote } from "../core/quote.js";
import { type Context, task } from "../core/task.js";
import {
  type Clip,
  inbetweenMethods,
  type Method,
  methods,
  seamChoices,
  type StitchedClip,
  type StitchOptions,
} from "../core/types.js";
import { type NetworksForStitch, networksForStitch, NO_NETWORKS } from "../networks/for-stitch.js";

/** Result of `StitchedHandle.report`. */
type Report = Pick<StitchedClip, "starts" | "seamReports" | "warnings">;

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
 * console.log(motion.seamReports[0].made, motion.seamReports[0].trials, await motion.toBvh());
 * ```
 * @function
 */
export const stitch = /* @__PURE__ */ task<(clips: readonly Clip[], options?: StitchOptions) => Promise<StitchedClip>>({
  name: "stitch",
  resultKind: "clip",
  argumentCount: 1,
  options: {
    method: /* @__PURE__ */ oneOf(methods),
    keep: flag,
    blend: seconds,
    seam: /* @__PURE__ */ oneOf(seamChoices),
    gap,
    gapMethod: /* @__PURE__ */ oneOf(inbetweenMethods),
    maxCut: seconds,
    window: frames,
    minInject: frames,
    maxInject: frames,
    .../* @__PURE__ */ contractKinds<Pick<StitchOptions, keyof ContractOptions>>("StitchOptions"),
    seams: /* @__PURE__ */ seamJoins(),
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
    const method = options.join === undefined ? (options.method ?? defaultMethod(context, options, inputs)) : undefined;
    return stitchBy(context, { ...options, ...(method && { method }) }, inputs);
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

/** Stitches by a method. Where "rmr" refines all seams, the refiner may run on the GPU. */
async function stitchBy(
  context: Context,
  options: StitchOptions,
  inputs: readonly PackedMotion[],
): Promise<StitchedClip> {
  const contract = readOptions("StitchOptions", { ...omitFlat(options), ...contractJoin(options) });
  const refinesAll = options.method === "rmr" && options.seams === undefined;
  const nonBiped = inputs.find((input) => input.kind !== "biped");
  if (refinesAll && nonBiped) throw notBipedError(nonBiped);
  const networks = refinesAll
    ? NO_NETWORKS
    : await networksForStitch(context.networks(), { ...contract, ...pickTaskOptions(options) }, nonBiped === undefined);
  const started = performance.now();
  return freeAfterAsync(
    callWasm(() => new Stitcher(contract)),
    async (stitcher) => {
      addInputs(stitcher, networks, inputs);
      await search(stitcher, options);
      if (refinesAll) return refineDraft(context, stitcher, options, started);
      return resultOf(
        runWithProgress(options, (report) => stitcher.run(report)),
        started,
        networks.warnings,
      );
    },
  );
}

/** Prepares the clips, and searches for cuts and joins. An abort takes effect between the time slices. */
async function search(stitcher: Stitcher, options: StitchOptions): Promise<void> {
  runWithProgress(options, (report) => stitcher.prepare(report));
  let sliceStart = performance.now();
  while (runWithProgress(options, (report) => stitcher.advance(report)) < 1) {
    if (performance.now() - sliceStart < SLICE_MS) continue;
    await nextTask();
    sliceStart = performance.now();
  }
}

/** Adds clips and networks to a stitcher. */
function addInputs(
  stitcher: Stitcher,
  { fillers, refiner, judge }: NetworksForStitch,
  inputs: readonly PackedMotion[],
): void {
  callWasm(() => {
    for (const { bytes } of inputs) stitcher.add(bytes);
    for (const filler of fillers) stitcher.network(filler);
    if (refiner) stitcher.refiner(refiner);
    if (judge) stitcher.judge(judge);
  });
}

/** Returns the options without those of the flat form, and without callbacks. */
function omitFlat(options: StitchOptions): object {
  const names: readonly string[] = flatNames;
  return Object.fromEntries(Object.entries(omitTaskOptions(options)).filter(([name]) => !names.includes(name)));
}

/** Joins the clips as in the refiner's training data, and refines the seams on the CPU or the GPU. */
async function refineDraft(
  context: Context,
  stitcher: Stitcher,
  options: StitchOptions,
  started: number,
): Promise<StitchedClip> {
  const networks = context.networks();
  const draft = runWithProgress(options, (report) => stitcher.draft(report));
  // `finish` consumes the draft, even if it fails; then `freeAfterAsync` frees nothing.
  return freeAfterAsync(draft, async () => {
    // The time in which the network is loaded does not count as computation time.
    const loadStart = performance.now();
    await networks.getNetwork("stitch", options);
    const loadMilliseconds = performance.now() - loadStart;
    // The module may have been restarted while the network was loaded; then the draft is lost.
    const input = callWasm(() => ({ rows: draft.rows(), seams: draft.seams() }));
    const rows = await networks.refine(input, options);
    return resultOf(
      runWithProgress(options, (report) => draft.finish(rows, report)),
      started + loadMilliseconds,
    );
  });
}

/** Converts a result to the package's class, and frees it. `started`: start of the computation, ms. */
function resultOf(stitched: StitchedHandle, started: number, warnings: readonly string[] = []): StitchedClip {
  return freeAfter(stitched, () => {
    const aligned = callWasm(() => stitched.aligned()).map((clip) => pack(clip));
    const clip = pack(callWasm(() => stitched.clip()));
    const report = callWasm(() => stitched.report()) as Report;
    report.warnings.push(...warnings);
    const milliseconds = performance.now() - started;
    const properties = { ...report, seams: report.seamReports.map(flatSeam), milliseconds };
    return new AlignedClip(onThread, clip, properties, aligned) as AlignedClip & StitchedClip;
  });
}

function notBipedError({ name }: PackedMotion): KinestitchError {
  const help = 'correct its bone mapping with withRig, or choose the method "inertialize"';
  return new KinestitchError("rig", `clip ${quote(name)}: "rmr" needs a body with two legs; ${help}`);
}
