/** `replace`: frames of a motion are replaced by a clip, by keys, or made anew. */
import { ClipHandle } from "../../wasm/kinestitch.js";
import { KinestitchClip } from "../core/clip.js";
import { onThread, pack } from "../core/clip-methods.js";
import { callWasm, freeAfter } from "../core/error.js";
import { inbetweenChoice } from "../core/method.js";
import { flag, frameCounts, oneOf, wrongOption } from "../core/options.js";
import type { PackedMotion } from "../core/packed.js";
import { type Context, task } from "../core/task.js";
import {
  type Clip,
  type EditedClip,
  type EditRange,
  type InbetweenClip,
  type InbetweenKey,
  methods,
  type Replacement,
  type ReplaceOptions,
} from "../core/types.js";
import { editedClip } from "./edited.js";
import { inbetween } from "./inbetween.js";
import { checkCount } from "./inbetween-keys.js";
import { stitch } from "./stitch.js";

/** Time beyond a seam's edited range in which feet may be held, seconds. */
const FOOT_LOCK_SECONDS = 1.05;

/** A replaced motion, and the frames that differ from the original. */
interface Replaced {
  clip: PackedMotion;
  range: EditRange;
  warnings: string[];
}

/**
 * Replaces frames of a motion by a clip or a part of it, which is placed, cut and joined at both ends; by keys, between
 * which the frames are made; or by nothing: then the frames are made anew. The new span may be longer or shorter.
 *
 * @param clip A clip from any function of any entry point of this package.
 * @param range Frames to replace; `to` is excluded.
 * @param replacement A clip (`{ clip, from, to }`), a list of keys, or `undefined`.
 * @param options Number of frames, `pin`, how the clip is joined; see {@link ReplaceOptions}.
 * @returns A clip with `edits`, the report.
 * @throws {KinestitchError} `option`, `too-short`, `rig`, `weights`, `aborted`.
 * @example
 * ```js
 * const mended = await replace(walk, { from: 40, to: 60 });
 * const jumped = await replace(walk, { from: 40, to: 60 }, { clip: jump }, { pin: true });
 * ```
 * @function
 */
export const replace = /* @__PURE__ */ task<
  (clip: Clip, range: EditRange, replacement?: Replacement, options?: ReplaceOptions) => Promise<EditedClip>
>({
  name: "replace",
  resultKind: "clip",
  argumentCount: 3,
  options: {
    frames: frameCounts,
    pin: flag,
    join: /* @__PURE__ */ oneOf(methods),
    method: inbetweenChoice,
    footLock: flag,
  },
  async run(context, options, clip, range, replacement) {
    const { name, frames } = KinestitchClip.packedOf(clip, "the clip");
    const span = checkRange(range, frames, name);
    const isClip = replacement !== undefined && !Array.isArray(replacement);
    const {
      clip: motion,
      range: changed,
      warnings,
    } = isClip
      ? await byClip(context, options, clip, span, replacement as { clip: Clip; from?: number; to?: number })
      : await byKeys(context, options, clip, span, (replacement ?? []) as readonly InbetweenKey[]);
    const [before, after] = [span.to - span.from, changed.to - changed.from];
    const edit = {
      kind: "replace",
      range: changed,
      joints: [],
      text: `frames ${span.from} to ${span.to - 1} replaced`,
    };
    return editedClip(
      { ...motion, name },
      { edits: [{ ...edit, kind: "replace", before, after, unit: "frames" }], warnings },
    );
  },
});

function checkRange(range: EditRange | undefined, frames: number, name: string): EditRange {
  const [from, to] = [checkCount("from", range?.from), checkCount("to", range?.to)];
  if (from < to && to <= frames && to - from < frames) return { from, to };
  throw wrongOption(
    "range",
    `frames ${from} to ${to} (excluded) are not a part of clip "${name}", which has ${frames} frames`,
  );
}

/** Makes the frames of a span between the motion before, the keys and the motion after it, which keep their bits. */
async function byKeys(
  context: Context,
  { frames, method, footLock, signal, onProgress }: ReplaceOptions,
  clip: Clip,
  { from, to }: EditRange,
  keys: readonly InbetweenKey[],
): Promise<Replaced> {
  const { frames: total } = KinestitchClip.packedOf(clip, "the clip");
  if (from === 0 || to === total)
    throw wrongOption(
      "range",
      "a span at the start or at the end of a clip is replaced by a clip, or cut off by slice",
    );
  const lengthOf = (key: InbetweenKey): number => (key.frame === undefined ? Number(key.to) - Number(key.from) : 1);
  const missing = to - from - keys.reduce((sum, key) => sum + lengthOf(key), 0);
  const equal = Math.max(1, Math.round(missing / (keys.length + 1)));
  const counts = frames ?? Array.from({ length: keys.length + 1 }, () => equal);
  const all = [{ clip, from: 0, to: from }, ...keys, { clip, from: to, to: total }];
  const filled = (await inbetween.definition.run(
    context,
    {
      frames: counts,
      ...(method !== undefined && { method }),
      ...(footLock !== undefined && { footLock }),
      ...(signal && { signal }),
      ...(onProgress && { onProgress }),
    },
    all,
  )) as InbetweenClip;
  const end = filled.frames - (total - to);
  return { clip: KinestitchClip.packedOf(filled, "the result"), range: { from, to: end }, warnings: filled.warnings };
}

/** Joins the motion before a span, a clip, and the motion after the span. */
async function byClip(
  context: Context,
  { pin = false, join = "auto", footLock, signal, onProgress }: ReplaceOptions,
  clip: Clip,
  { from, to }: EditRange,
  { clip: other, ...part }: { clip: Clip; from?: number; to?: number },
): Promise<Replaced> {
  const source = KinestitchClip.packedOf(clip, "the clip");
  const packed = KinestitchClip.packedOf(other, "the clip of the replacement");
  const middle = { from: checkCount("from", part.from ?? 0), to: checkCount("to", part.to ?? packed.frames) };
  const [hasHead, hasTail] = [from > 0, to < source.frames];
  // A result has the skeleton of its first clip.
  const inserted = hasHead
    ? other
    : await new KinestitchClip(onThread, packed).retarget(new KinestitchClip(onThread, source));
  const clips = [...(hasHead ? [clip] : []), inserted, ...(hasTail ? [clip] : [])];
  const trim = [
    ...(hasHead ? [{ from: 0, to: from }] : []),
    middle,
    ...(hasTail ? [{ from: to, to: source.frames }] : []),
  ];
  const stitched = await stitch.definition.run(
    context,
    {
      method: join,
      trim,
      fps: source.fps,
      ...(footLock !== undefined && { footLock }),
      ...(signal && { signal }),
      ...(onProgress && { onProgress }),
    },
    clips,
  );
  const seams = stitched.seams;
  const [head, tail] = [hasHead ? seams[0] : undefined, hasTail ? seams[seams.length - 1] : undefined];
  const range = { from: head?.editedRange.from ?? 0, to: tail?.editedRange.to ?? stitched.frames };
  const result = KinestitchClip.packedOf(stitched, "the result");
  const { warnings } = stitched;
  if (!pin || !tail) return { clip: result, range, warnings };
  // Where blend and foot lock have ended, the motion after the span is that of the source, moved rigidly.
  const kept = Math.max(tail.frame, range.to) + Math.ceil(FOOT_LOCK_SECONDS * source.fps);
  if (kept >= stitched.frames)
    throw wrongOption("pin", `pin needs more motion after the span: ${kept - tail.frame + 1} frames or more`);
  // Cuts leave the end of the motion as it is.
  const sourceFrame = source.frames - (stitched.frames - kept);
  const span = { from: head?.frame ?? 0, to: kept };
  return { clip: pinned(result, source, span, sourceFrame), range: { ...range, to: kept }, warnings };
}

/** Bends a span, so that the motion after it stays where it is in `source`. */
function pinned(result: PackedMotion, source: PackedMotion, span: EditRange, sourceFrame: number): PackedMotion {
  return freeAfter(
    callWasm(() => ClipHandle.unpack(result.bytes)),
    (handle) =>
      freeAfter(
        callWasm(() => ClipHandle.unpack(source.bytes)),
        (original) => pack(callWasm(() => handle.pin(span.from, span.to, original, sourceFrame, span.to))),
      ),
  );
}
