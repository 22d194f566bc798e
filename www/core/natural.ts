/** How natural a motion is, frame by frame: asked for once a motion, and only where the judge is here already. */
import type { App } from "./app";

interface Judged {
  naturalness(): Promise<Float32Array>;
}

/** Scores of frames above this are rarer than one recorded frame in fifty. */
export const RARE = 1;

/** Scores by motion; `null` where they are being made, or the motion is no person's. */
const known = new WeakMap<Judged, Float32Array | null>();

/** Scores of each frame; `undefined` before they are there, and where there are none. The page is drawn anew when they come. */
export function naturalness(app: App, clip: Judged | undefined): Float32Array | undefined {
  if (!clip || !app.auto.isReady) return undefined;
  const found = known.get(clip);
  if (found !== undefined) return found ?? undefined;
  known.set(clip, null);
  clip.naturalness().then(
    (scores) => {
      known.set(clip, scores);
      app.changed();
    },
    // The judge knows people only; there is no curve of a dog.
    () => undefined,
  );
  return undefined;
}

/** Stretches of frames, `to` excluded, that no recording resembles. */
export function rareStretches(scores: Float32Array): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  scores.forEach((score, frame) => {
    if (score <= RARE) return;
    const last = found.at(-1);
    if (last && last.to >= frame - 1) last.to = frame + 1;
    else found.push({ from: frame, to: frame + 1 });
  });
  return found;
}
