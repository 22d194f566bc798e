import { Looper, type LoopedHandle } from "../../wasm/kinestitch.js";
import { KinestitchClip, ReportedClip } from "../core/clip.js";
import { onThread, pack } from "../core/clip-methods.js";
import { freeAfter, freeAfterAsync, callWasm, KinestitchError } from "../core/error.js";
import { degrees, flag, oneOf, positive, seconds, text } from "../core/options.js";
import { type Context, task } from "../core/task.js";
import {
  type Clip,
  cycleChoices,
  type JoinOptions,
  type LoopedClip,
  type LoopOptions,
  type LoopReport,
  methods,
  type StitchedClip,
} from "../core/types.js";
import { defaultMethod, stitch } from "./stitch.js";

/** Ends of a cycle within this distance are joined without inserted frames, centimetres. */
const NEAR_CM = 5;

/** Result of `Looper.cycle`: frames of the cycle, `to` excluded. */
interface Cycle {
  from: number;
  to: number;
  apartCm: number;
  isClosed: boolean;
}

/**
 * Cuts a motion at two frames with similar poses, and joins its end to its beginning, so that it repeats.
 *
 * @param clip A clip from any function of any entry point of this package.
 * @param options Choice of the cycle, method of joining (see {@link stitch}), and whether the loop stays in place.
 * @returns A clip with `cycle`, its frames of the input, and `travel`, the root motion of one cycle.
 * @throws {KinestitchError} `too-short` for a clip under ten frames, `option`, `aborted`.
 * @example
 * ```js
 * const walk = await loop(await load("walk.bvh"), { inPlace: true });
 * console.log(walk.cycle, walk.frames, await walk.toBvh());
 * ```
 * @function
 */
export const loop = /* @__PURE__ */ task<(clip: Clip, options?: LoopOptions) => Promise<LoopedClip>>({
  name: "loop",
  resultKind: "clip",
  argumentCount: 1,
  options: {
    cycle: /* @__PURE__ */ oneOf(cycleChoices),
    minSeconds: positive,
    maxSeconds: positive,
    maxTurn: degrees,
    inPlace: flag,
    method: /* @__PURE__ */ oneOf(methods),
    blend: seconds,
    footLock: flag,
    name: text,
  },
  async run(context, options, clip) {
    const { bytes, name } = KinestitchClip.packedOf(clip, "the clip");
    const { cycle, minSeconds, maxSeconds, maxTurn, inPlace } = options;
    const definedOptions = Object.entries({ cycle, minSeconds, maxSeconds, maxTurn, inPlace }).filter(
      ([, value]) => value !== undefined,
    );
    const wasmOptions = Object.fromEntries(definedOptions);
    const looper = callWasm(() => new Looper(bytes, wasmOptions));
    return freeAfterAsync(looper, () => closeCycle(context, { ...options, name: options.name ?? name }, looper, clip));
  },
});

async function closeCycle(context: Context, options: LoopOptions, looper: Looper, clip: Clip): Promise<LoopedClip> {
  const cycle = callWasm(() => looper.cycle()) as Cycle;
  if (cycle.isClosed)
    return resultOf(
      callWasm(() => looper.asItIs(options.name)),
      cycle,
    );
  const method = options.method ?? defaultMethod(context, {}, [KinestitchClip.packedOf(clip, "the clip")]);
  const stitched = await stitchNaturally(context, { ...options, method }, looper, clip);
  try {
    return closeStitched(looper, stitched, cycle);
  } catch (error) {
    // Some joins change more frames than a short cycle has. Then "auto" and the method of `init` fall back to
    // "inertialize"; a method of this call causes an error.
    const isChosen = options.method !== undefined && options.method !== "auto";
    if (isChosen || !(error instanceof KinestitchError && error.option === "blend")) throw error;
    return closeStitched(
      looper,
      await stitchToItself(context, { ...options, method: "inertialize" }, looper, clip),
      cycle,
    );
  }
}

/** Stitches the cycle to a second copy of itself. Inserted frames would change the rhythm of a cycle whose ends fit. */
async function stitchNaturally(
  context: Context,
  options: LoopOptions,
  looper: Looper,
  clip: Clip,
): Promise<StitchedClip> {
  const stitched = await stitchToItself(context, options, looper, clip);
  const [seam] = stitched.seams;
  const { apartCm } = callWasm(() => looper.cycle()) as Cycle;
  if (seam?.gap === undefined || apartCm > NEAR_CM) return stitched;
  const best = seam.trials?.find((trial) => trial.options.gap === undefined);
  return best ? stitchToItself(context, options, looper, clip, best.options) : stitched;
}

/** Stitches the cycle to a second copy of itself. `join`: options of the seam, instead of those of the method. */
function stitchToItself(
  context: Context,
  { method = "auto", blend, name, footLock, signal, onProgress }: LoopOptions,
  looper: Looper,
  clip: Clip,
  join?: JoinOptions,
): StitchedClip | Promise<StitchedClip> {
  const { from, to } = callWasm(() => looper.cycle()) as Cycle;
  return stitch.definition.run(
    context,
    {
      method,
      blend: callWasm(() => looper.blend(blend ?? null, method)),
      trim: [
        { from, to },
        { from, to },
      ],
      ...(method === "auto" && { keep: true }),
      ...(join && { seams: [join] }),
      ...(name !== undefined && { name }),
      ...(footLock !== undefined && { footLock }),
      ...(signal && { signal }),
      ...(onProgress && { onProgress }),
    },
    [clip, clip],
  );
}

function closeStitched(looper: Looper, stitched: StitchedClip, cycle: Cycle): LoopedClip {
  const [seam] = stitched.seams;
  const [first = 0, next = 0] = stitched.starts;
  const { from, to } = seam?.editedRange ?? { from: next, to: next };
  const { bytes } = KinestitchClip.packedOf(stitched, "the cycle");
  return resultOf(
    callWasm(() => looper.close(bytes, next - first, from, to)),
    cycle,
    stitched,
  );
}

/** Converts a result to the package's class, and frees it. `stitched`: absent if the cycle was closed already. */
function resultOf(handle: LoopedHandle, { from, to, apartCm, isClosed }: Cycle, stitched?: StitchedClip): LoopedClip {
  return freeAfter(handle, () => {
    const [x = 0, z = 0, heading = 0] = handle.travel();
    const report = { cycle: { from, to }, apartCm, wasClosed: isClosed, travel: { x, z, heading } };
    const { seams: [seam] = [], warnings = [] } = stitched ?? {};
    const properties: LoopReport = { ...report, ...(seam && { seam }), warnings };
    return new ReportedClip(onThread, pack(handle.clip()), properties) as ReportedClip & LoopedClip;
  });
}
