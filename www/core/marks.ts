/**
 * Marked frames of a mode, such as seams or keys: finds the nearest mark, jumps between marks, and loops around one.
 */
import type { Playback } from "./playback";

/** A marked frame with a range of frames [from, to). */
export interface Mark {
  frame: number;
  /** Range that belongs to the mark, such as the blend of a seam. A loop around the mark contains all of it. */
  from: number;
  to: number;
}

/** The marks of a mode, in the order of their frames. */
export interface Marks {
  /** Noun for a mark: "seam". */
  name: string;
  list: readonly Mark[];
}

interface ModeWithMarks {
  clock: Playback;
  marks(): Marks;
}

/** Returns the index of the mark that is nearest to the playhead; -1 if there are none. */
export function nearestMark(mode: ModeWithMarks): number {
  const { frame } = mode.clock;
  const { list } = mode.marks();
  let nearest = -1;
  list.forEach((mark, i) => {
    if (nearest < 0 || Math.abs(mark.frame - frame) < Math.abs(list[nearest].frame - frame)) nearest = i;
  });
  return nearest;
}

/** Moves the playhead to the next (1) or previous (-1) mark. After the last mark the first follows, and vice versa. */
export function jumpToMark(mode: ModeWithMarks, direction: 1 | -1): void {
  const { clock } = mode;
  const { list } = mode.marks();
  if (list.length === 0) return;
  const ordered = direction === 1 ? list : [...list].reverse();
  const next = ordered.find(({ frame }) => (frame - clock.shownFrame) * direction > 0) ?? ordered[0];
  if (clock.playing) clock.play(false);
  clock.seek(next.frame);
}

/** Loops the range of a mark with one second on either side; if this range is looped already, ends the loop. */
export function loopAround(mode: ModeWithMarks, index = nearestMark(mode)): void {
  const { clock } = mode;
  const mark = mode.marks().list[index];
  if (!mark) return;
  const margin = Math.round(clock.fps);
  const previous = clock.range;
  clock.setRange({ from: mark.from - margin, to: mark.to + margin });
  // `setRange` limits the range to the motion, so the ranges of two marks may have the same first or last frame.
  if (previous && previous.from === clock.range?.from && previous.to === clock.range.to) {
    clock.setRange(undefined);
    return;
  }
  clock.setLoop(true);
  clock.play(true);
}
