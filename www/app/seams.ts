/** Which seam the user is at, and jumping between them. */
import type { App } from "./app";

/** Index of the seam whose surroundings hold the playhead, or the nearest one; -1 without seams. */
export function nearestSeam(app: App): number {
  const seams = app.shownTake()?.seams ?? [];
  const { frame } = app.playback;
  let best = -1;
  seams.forEach((seam, i) => {
    if (best < 0 || Math.abs(seam.frame - frame) < Math.abs(seams[best].frame - frame)) best = i;
  });
  return best;
}

/** Goes to the previous or next seam, round and round. */
export function jumpSeam(app: App, direction: 1 | -1): void {
  const seams = app.shownTake()?.seams ?? [];
  if (seams.length === 0) return;
  const at = app.playback.shown;
  const ordered = direction === 1 ? seams : [...seams].reverse();
  const next = ordered.find((seam) => (seam.frame - at) * direction > 0) ?? ordered[0];
  if (app.playback.playing) app.playback.play(false);
  app.playback.seek(next.frame);
}

/** Loops about a second on either side of a seam, or ends that loop. */
export function loopSeam(app: App, index = nearestSeam(app)): void {
  const seam = app.shownTake()?.seams[index];
  const { playback } = app;
  if (!seam) return;
  const margin = Math.round(playback.fps);
  const from = Math.min(seam.frame, seam.edited[0]) - margin;
  const to = Math.max(seam.frame, seam.edited[1]) + margin;
  if (playback.range?.from === Math.max(0, from)) {
    playback.setRange(undefined);
    return;
  }
  playback.setRange({ from, to });
  playback.setLoop(true);
  playback.play(true);
}
