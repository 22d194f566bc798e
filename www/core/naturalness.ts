/**
 * Naturalness scores per frame, which the timeline shows as a curve: 0 is like recorded motion, higher is less natural.
 * They are computed by the judge, a network that the method "Automatic" loads. Each clip is scored once, and only if
 * the judge is already loaded.
 */
import type { App } from "./app";

/** A clip that the judge can score. */
interface ScorableClip {
  naturalness(): Promise<Float32Array>;
}

/** At most one recorded frame in fifty has a score above this. */
export const RARE_SCORE = 1;

/** Scores per frame, cached by clip; `null` while they are computed, or if that failed. */
const scoresByClip = new WeakMap<ScorableClip, Float32Array | null>();

/**
 * Returns the scores per frame; `undefined` while they are computed, and if they are not available. The page is redrawn
 * when they arrive.
 */
export function naturalness(app: App, clip: ScorableClip | undefined): Float32Array | undefined {
  // The judge is part of the files of "Automatic".
  if (!clip || !app.auto.isReady) return undefined;
  const cached = scoresByClip.get(clip);
  if (cached !== undefined) return cached ?? undefined;
  scoresByClip.set(clip, null);
  clip.naturalness().then(
    (scores) => {
      scoresByClip.set(clip, scores);
      app.requestUpdate();
    },
    // This clip gets no curve. Most often its body is not a biped: the judge scores only bipeds.
    () => undefined,
  );
  return undefined;
}

/**
 * Returns the ranges [from, to) of frames that score above {@link RARE_SCORE}. Ranges with one frame between them are
 * merged.
 */
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
