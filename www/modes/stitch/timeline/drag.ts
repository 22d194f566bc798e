/** Pointer drags on the timeline: an end of a clip trims it, a whole clip is moved to another position in the order. */
import { followPointer } from "../../../timeline/follow-pointer";
import { move, trim } from "../project";
import type { Stitch } from "../stitch";
import type { Block, Layout } from "./layout";

/** A drag in progress, with the layout at its start. */
export interface Drag extends Layout {
  /** Frames of the track at the start: the scale is constant during the drag. */
  frames: number;
  /** Dragged part: the start of a clip, its end, or the whole clip. */
  kind: "from" | "to" | "move";
  /** Id of the item. */
  id: string;
  /** Distance of the drag, frames of the result. */
  offset: number;
  /** Index among the other items at which a moved clip would be inserted. */
  index: number;
}

/** Distance from which a press on a clip becomes a drag, pixels. */
const DRAG_THRESHOLD = 5;

/** Starts a drag; `update` is called for every change, and with `undefined` at its end. */
export function startDrag(
  mode: Stitch,
  down: PointerEvent,
  kind: Drag["kind"],
  block: Block,
  layout: Layout,
  update: (drag: Drag | undefined) => void,
): void {
  if (down.button !== 0) return;
  const { item } = block;
  const index = layout.blocks.findIndex((other) => other.item.id === item.id);
  const { frames } = mode.track;
  const drag: Drag = { kind, id: item.id, ...layout, frames, offset: 0, index };
  const framesPerPixel = frames / mode.track.width;
  let hasBegun = kind !== "move";
  mode.select(item.id);
  mode.history.seal();

  const onMove = (event: PointerEvent): void => {
    const pixels = event.clientX - down.clientX;
    hasBegun ||= Math.abs(pixels) > DRAG_THRESHOLD;
    if (!hasBegun) return;
    drag.offset = pixels * framesPerPixel;
    if (kind === "move") drag.index = insertionIndex(layout, block, drag.offset);
    else drag.offset = trimEnd(mode, block, kind, drag.offset);
    update(drag);
  };
  const onEnd = (event: PointerEvent): void => {
    if (kind === "move" && hasBegun && event.type === "pointerup")
      mode.edit("reorder", (project) => move(project, item.id, drag.index));
    mode.history.seal();
    update(undefined);
  };
  followPointer(down, onMove, onEnd);
}

/**
 * Returns the index among the other items at which a clip belongs after a move by `offset` frames: the clip passes those
 * whose middle its leading edge has passed. Its own middle does not decide, because that of a long clip at the start of
 * the timeline may be after that of a short one.
 */
export function insertionIndex({ blocks }: Layout, block: Block, offset: number): number {
  const index = blocks.indexOf(block);
  const edge = block.start + offset + (offset > 0 ? block.length : 0);
  const isBefore = (other: Block, i: number): boolean => {
    const middle = other.start + other.length / 2;
    return offset > 0 ? i < index || (i > index && middle < edge) : i < index && middle < edge;
  };
  return blocks.filter(isBefore).length;
}

/**
 * Trims one end of a clip to its position at the start of the drag plus `offset` frames of the result, and shows the
 * new first or last frame. Returns the actual offset, which the limits of a trim may reduce.
 */
function trimEnd(mode: Stitch, block: Block, end: "from" | "to", offset: number): number {
  const { item, total, ratio, start } = block;
  const initial = item.trim ?? { from: 0, to: total };
  const frame = initial[end] + Math.round(offset / ratio);
  mode.edit(
    end === "from" ? "trim start" : "trim end",
    (project) => trim(project, item.id, total, { [end]: frame }),
    `drag-${item.id}-${end}`,
    Infinity,
  );
  const { from, to } = mode.item(item.id)?.trim ?? { from: 0, to: total };
  if (!mode.clock.playing) mode.clock.seek(end === "from" ? start : start + (to - from) * ratio - 1);
  return ((end === "from" ? from : to) - initial[end]) * ratio;
}
