/**
 * Naturalness of a motion per frame: 0 is recorded motion, higher is less natural. Requested once per motion, and only
 * if the judge is already loaded.
 */
import type { App } from "./app";

interface ScorableClip {
  naturalness(): Promise<Float32Array>;
}

/** One recorded frame in fifty scores above this. */
export const RARE_SCORE = 1;

/** Scores by motion; `null` while they are computed, or if that failed. */
const scoresByClip = new WeakMap<ScorableClip, Float32Array | null>();

/**
 * Score of each frame; `undefined` while they are computed, or if there are none. The page is redrawn when they
 * arrive.
 */
export function naturalness(app: App, clip: ScorableClip | undefined): Float32Array | undefined {
  if (!clip || !app.auto.isReady) return undefined;
  const scores = scoresByClip.get(clip);
  if (scores !== undefined) return scores ?? undefined;
  scoresByClip.set(clip, null);
  clip.naturalness().then(
    (scores) => {
      scoresByClip.set(clip, scores);
      app.changed();
    },
    // No curve: the judge supports only bipeds.
    () => undefined,
  );
  return undefined;
}

/** Ranges of frames, `to` excluded, that score above {@link RARE_SCORE}. */
export function unnaturalRanges(scores: Float32Array): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  scores.forEach((score, frame) => {
    if (score <= RARE_SCORE) return;
    const last = ranges.at(-1);
    if (last && last.to >= frame - 1) last.to = frame + 1;
    else ranges.push({ from: frame, to: frame + 1 });
  });
  return ranges;
}
