/** Display of a result in the viewer. A result has one display object, so that nothing is built twice. */
import { clipColor } from "../../viewer/palette";
import type { DisplayedMotion } from "../../viewer/poses";
import type { StitchResult } from "./stitcher";

const displays = new WeakMap<StitchResult, DisplayedMotion>();

/** Returns the display of a result. */
export function displayOf(result: StitchResult | undefined): DisplayedMotion | undefined {
  if (!result) return undefined;
  const existing = displays.get(result);
  if (existing) return existing;
  const display: DisplayedMotion = {
    motion: result.motion,
    contact: result.motion.curves.contact,
    segments: result.aligned.map((poses, i) => ({
      poses,
      start: result.starts[i] ?? 0,
      color: clipColor(result.items[i]?.color ?? i),
    })),
    clip: result.clip,
    seams: result.seams.map(({ frame, editedRange }) => ({ frame, editedRange })),
  };
  displays.set(result, display);
  return display;
}
