/**
 * Naturalness of a motion per frame: 0 is recorded motion, higher is less natural. Requested once per motion, and only
 * if the judge is already loaded.
 */
import type { App } from "./app";

interface Judged {
  naturalness(): Promise<Float32Array>;
}

/** One recorded frame in fifty scores above this. */
export const RARE = 1;

/** Scores by motion; `null` while they are computed, or if that failed. */
const known = new WeakMap<Judged, Float32Array | null>();

/**
 * Score of each frame; `undefined` while they are computed, or if there are none. The page is redrawn when they
 * arrive.
 */
export function naturalness(app: App, clip: Judged | undefined): Float32Array | undefined {
  if (!clip || !app.auto.isReady) return undefined;
  const scores = known.get(clip);
  if (scores !== undefined) return scores ?? undefined;
  known.set(clip, null);
  clip.naturalness().then(
    (scores) => {
      known.set(clip, scores);
      app.changed();
    },
    // No curve: the judge supports only bipeds.
    () => undefined,
  );
  return undefined;
}

/** Ranges of frames, `to` excluded, that score above {@link RARE}. */
export function rareStretches(scores: Float32Array): { from: number; to: number }[] {
  const stretches: { from: number; to: number }[] = [];
  scores.forEach((score, frame) => {
    if (score <= RARE) return;
    const last = stretches.at(-1);
    if (last && last.to >= frame - 1) last.to = frame + 1;
    else stretches.push({ from: frame, to: frame + 1 });
  });
  return stretches;
}
