/** Marked frames of a mode (seams, keys): the nearest to the playhead, jumps between them, loops around them. */
import type { Playback } from "./playback";

/** A marked frame, and the frames around it that belong to it: [from, to). */
export interface Mark {
  frame: number;
  /** Range of frames that belongs to the mark; a loop contains all of it. */
  from: number;
  to: number;
}

/** The marks of a mode, in order. */
export interface Marks {
  /** Noun for a mark: "seam". */
  name: string;
  list: readonly Mark[];
}

interface ModeWithMarks {
  clock: Playback;
  marks(): Marks;
}

/** Index of the mark nearest to the playhead; -1 without any. */
export function nearestMark(mode: ModeWithMarks): number {
  const { frame } = mode.clock;
  const { list } = mode.marks();
  let best = -1;
  list.forEach((mark, i) => {
    if (best < 0 || Math.abs(mark.frame - frame) < Math.abs(list[best].frame - frame)) best = i;
  });
  return best;
}

/** Goes to the previous or next mark, cyclically. */
export function jumpToMark(mode: ModeWithMarks, direction: 1 | -1): void {
  const { clock } = mode;
  const { list } = mode.marks();
  if (list.length === 0) return;
  const ordered = direction === 1 ? list : [...list].reverse();
  const next = ordered.find(({ frame }) => (frame - clock.shownFrame) * direction > 0) ?? ordered[0];
  if (clock.playing) clock.play(false);
  clock.seek(next.frame);
}

/** Loops a mark and about a second on either side, or ends that loop. */
export function loopAround(mode: ModeWithMarks, index = nearestMark(mode)): void {
  const { clock } = mode;
  const mark = mode.marks().list[index];
  if (!mark) return;
  const margin = Math.round(clock.fps);
  const from = mark.from - margin;
  if (clock.range?.from === Math.max(0, from)) {
    clock.setRange(undefined);
    return;
  }
  clock.setRange({ from, to: mark.to + margin });
  clock.setLoop(true);
  clock.play(true);
}
