/** Pointer drags on the timeline: trim an end, or carry a clip to another place. */
import { move, trim } from "../project";
import type { Stitch } from "../stitch";
import type { Block } from "./layout";

/** A drag in progress: of one end of a clip, or of a whole clip. */
export interface Drag {
  kind: "from" | "to" | "move";
  id: string;
  /** Layout at the start of the drag; the scale is constant during it. */
  blocks: Block[];
  frames: number;
  /** Distance of the pointer, frames of the result. */
  by: number;
  /** Index among the other items, while a clip is moved. */
  place: number;
}

/** Distance from which a press on a clip becomes a drag, pixels. */
const THRESHOLD = 5;

/** Starts a drag; `update` is called for every change, and with `undefined` at its end. */
export function startDrag(
  mode: Stitch,
  event: PointerEvent,
  kind: Drag["kind"],
  block: Block,
  layout: { blocks: Block[]; frames: number },
  pixels: number,
  update: (drag: Drag | undefined) => void,
): void {
  if (event.button !== 0) return;
  const target = event.currentTarget as HTMLElement;
  const { item, total, ratio } = block;
  const before = item.trim ?? { from: 0, to: total };
  const index = layout.blocks.findIndex((other) => other.item.id === item.id);
  const drag: Drag = { kind, id: item.id, ...layout, by: 0, place: index };
  let begun = kind !== "move";
  target.setPointerCapture(event.pointerId);
  mode.select(item.id);
  mode.history.seal();

  const onMove = (now: PointerEvent): void => {
    const dx = now.clientX - event.clientX;
    begun ||= Math.abs(dx) > THRESHOLD;
    if (!begun) return;
    drag.by = (dx / pixels) * layout.frames;
    if (kind === "move") {
      const middle = block.start + block.length / 2 + drag.by;
      drag.place = layout.blocks.filter((other) => other !== block && other.start + other.length / 2 < middle).length;
    } else {
      const frame = before[kind] + Math.round(drag.by / ratio);
      mode.edit(
        kind === "from" ? "trim start" : "trim end",
        (project) => trim(project, item.id, total, { [kind]: frame }),
        `drag-${item.id}-${kind}`,
        Infinity,
      );
      const edge = mode.item(item.id)?.trim ?? { from: 0, to: total };
      drag.by = (edge[kind] - before[kind]) * ratio;
      if (!mode.clock.playing)
        mode.clock.seek(kind === "from" ? block.start : block.start + (edge.to - edge.from) * ratio - 1);
    }
    update(drag);
  };
  const end = (now: PointerEvent): void => {
    target.removeEventListener("pointermove", onMove);
    target.removeEventListener("pointerup", end);
    target.removeEventListener("pointercancel", end);
    if (kind === "move" && begun && now.type === "pointerup")
      mode.edit("reorder", (project) => move(project, item.id, drag.place));
    mode.history.seal();
    update(undefined);
  };
  target.addEventListener("pointermove", onMove);
  target.addEventListener("pointerup", end);
  target.addEventListener("pointercancel", end);
}
