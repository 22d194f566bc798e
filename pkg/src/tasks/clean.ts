/** `clean`: mends the faults of one motion. */
import { Cleaner } from "../../wasm/kinestitch.js";
import { KinestitchClip } from "../core/clip.js";
import { callWasm, freeAfterAsync } from "../core/error.js";
import { inbetweenChoice } from "../core/method.js";
import { editMask, flag, fraction, frames, strength } from "../core/options.js";
import { runWithProgress } from "../core/progress.js";
import { type Context, task } from "../core/task.js";
import type { CleanOptions, Clip, EditedClip, InbetweenChoice } from "../core/types.js";
import { takeEdited } from "./edited.js";
import { requiredNetworks } from "./inbetween-keys.js";

/**
 * Finds and mends faults of captured, retargeted or generated motion: spikes, dropouts, jitter, a floor that is too
 * high, too low or tilted, a way over the ground that does not fit the steps, and feet that slide. Sharp moves keep
 * their peaks, and values that need no change keep their bits.
 *
 * @param clip A clip from any function of any entry point of this package.
 * @param options What to mend and how strongly, and the frames and joints to change; see {@link CleanOptions}.
 * @returns A clip with `edits`: each change with its frames and joints, in words, with a figure before and after.
 * @throws {KinestitchError} `option`, `weights`, `aborted`.
 * @example
 * ```js
 * const sound = await clean(await load("capture.bvh"));
 * for (const { range, text } of sound.edits) console.log(range.from, text);
 * ```
 * @function
 */
export const clean = /* @__PURE__ */ task<(clip: Clip, options?: CleanOptions) => Promise<EditedClip>>({
  name: "clean",
  resultKind: "clip",
  argumentCount: 1,
  options: {
    spikes: flag,
    dropouts: flag,
    jitter: strength,
    floor: fraction,
    way: fraction,
    feet: fraction,
    from: frames,
    to: frames,
    mask: editMask,
    method: inbetweenChoice,
  },
  async run(context, options, clip) {
    const { bytes, kind } = KinestitchClip.packedOf(clip, "the clip");
    const cleaner = callWasm(() => new Cleaner(bytes));
    return freeAfterAsync(cleaner, async () => {
      const method = options.dropouts === false ? undefined : await addFiller(context, options, kind, cleaner);
      const { signal: _, onProgress: __, ...fields } = options;
      const wasmOptions = { ...fields, ...(method !== undefined && { method }) };
      return takeEdited(runWithProgress(options, (report) => cleaner.run(wasmOptions, report)));
    });
  },
});

/** Adds the network that fills dropouts, if there are any. Returns the method; `undefined`: the default of wasm. */
async function addFiller(
  { networks }: Context,
  options: CleanOptions,
  kind: string,
  cleaner: Cleaner,
): Promise<InbetweenChoice | undefined> {
  if (!callWasm(() => cleaner.hasDropouts())) return options.method;
  const method = options.method ?? (kind === "biped" ? networks().defaultOf("inbetween") : undefined);
  if (method === undefined) return undefined;
  for (const filler of await networks().fillers(requiredNetworks(method), options)) cleaner.network(filler);
  return method;
}
