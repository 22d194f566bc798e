/** Display of a result in the viewer; the same object for the same result, so that nothing is built twice. */
import { clipColor } from "../../viewer/palette";
import type { DisplayedMotion } from "../../viewer/poses";
import type { Take } from "./stitcher";

const shows = new WeakMap<Take, DisplayedMotion>();

/** The display of a result; `undefined` without one. */
export function showOf(take: Take | undefined): DisplayedMotion | undefined {
  if (!take) return undefined;
  const known = shows.get(take);
  if (known) return known;
  const show: DisplayedMotion = {
    motion: take.motion,
    contact: take.motion.curves.contact,
    segments: take.aligned.map((poses, i) => ({
      poses,
      start: take.starts[i] ?? 0,
      color: clipColor(take.items[i]?.color ?? i),
    })),
    clip: take.clip,
    seams: take.seams.map(({ frame, editedRange }) => ({ frame, editedRange })),
  };
  shows.set(take, show);
  return show;
}
