/** Commands of the mode. */
import type { FrameRange } from "kinestitch/worker";
import type { Command } from "../../core/command";
import { METHODS } from "./methods";
import { duplicate, move, remove, trim } from "./project";
import { chooseMethod, isBeforeAfter } from "./method-choice";
import type { Stitch } from "./stitch";

/** Returns the id of the selected item, or of the item under the playhead. */
function currentItemId(mode: Stitch): string | undefined {
  if (mode.item(mode.selected)) return mode.selected;
  const result = mode.shownResult();
  if (!result) return mode.project.items[0]?.id;
  const index = result.starts.findLastIndex((start) => start <= mode.clock.shownFrame);
  return result.items[Math.max(0, index)]?.id;
}

/** Moves one end of the current item to the playhead. */
export function trimToPlayhead(mode: Stitch, end: keyof FrameRange): void {
  const result = mode.shownResult();
  const item = mode.item(currentItemId(mode));
  const frames = mode.sourceOf(item)?.info?.frames;
  const index = result?.items.findIndex((other) => other.id === item?.id) ?? -1;
  if (!result || !item || !frames || index < 0) return;
  // The trim in the result, not that of the item: after an edit, the displayed result may still be the previous one.
  const { from, to } = result.items[index].trim ?? { from: 0, to: frames };
  // A fraction of the clip, because the result and the file may have different frame rates.
  const fraction = (mode.clock.shownFrame - result.starts[index]) / Math.max(1, result.aligned[index].frames);
  if (fraction < 0 || fraction > 1) {
    mode.app.notify("Move the playhead into the selected clip first.");
    return;
  }
  const frame = from + Math.round(fraction * (to - from)) + (end === "to" ? 1 : 0);
  mode.edit(end === "from" ? "trim start" : "trim end", (project) => trim(project, item.id, frames, { [end]: frame }));
}

function moveInOrder(mode: Stitch, offset: number): void {
  const id = currentItemId(mode);
  const index = mode.project.items.findIndex((item) => item.id === id);
  if (id) mode.edit("reorder", (project) => move(project, id, index + offset));
}

function selectNeighbour(mode: Stitch, offset: 1 | -1): void {
  const { items } = mode.project;
  if (items.length === 0) return;
  const index = items.findIndex((item) => item.id === mode.selected);
  const first = offset > 0 ? 0 : items.length - 1;
  mode.select(items[index < 0 ? first : (index + offset + items.length) % items.length].id);
}

/** Creates the commands of the mode. */
export function createCommands(mode: Stitch): Command[] {
  const timelineCommand = (id: string, title: string, keys: string[], run: () => void): Command => ({
    id,
    group: "Timeline",
    title,
    keys,
    run,
  });
  const stitchCommand = (id: string, title: string, keys: string[], run: () => void): Command => ({
    id,
    group: "Stitch",
    title,
    keys,
    run,
  });
  return [
    timelineCommand("select-next", "Select the next clip", ["arrowdown"], () => selectNeighbour(mode, 1)),
    timelineCommand("select-previous", "Select the previous clip", ["arrowup"], () => selectNeighbour(mode, -1)),
    timelineCommand("trim-start", "Trim start to the playhead", ["i"], () => trimToPlayhead(mode, "from")),
    timelineCommand("trim-end", "Trim end to the playhead", ["o"], () => trimToPlayhead(mode, "to")),
    timelineCommand("earlier", "Move the clip earlier", ["alt+arrowleft"], () => moveInOrder(mode, -1)),
    timelineCommand("later", "Move the clip later", ["alt+arrowright"], () => moveInOrder(mode, 1)),
    timelineCommand("duplicate", "Duplicate the clip", ["shift+d"], () => {
      const id = currentItemId(mode);
      if (id) mode.edit("duplicate clip", (project) => duplicate(project, id));
    }),
    timelineCommand("remove", "Remove the clip", ["delete", "backspace"], () => {
      const item = mode.item(mode.selected);
      if (item) mode.edit(`remove ${mode.sourceOf(item)?.name ?? "clip"}`, (project) => remove(project, item.id));
      else mode.app.notify("Select a clip first.");
    }),
    timelineCommand("deselect", "Select nothing", ["escape"], () => mode.select(undefined)),

    stitchCommand("method", "Next method", ["m"], () => {
      // Leaves out methods whose files are not loaded: this key must not start a download. The key R loads the refiner.
      const { auto, networks } = mode.app;
      const methods = METHODS.filter(({ id }) => (id === "auto" ? auto.isReady : id !== "rmr" || networks.info));
      const index = methods.findIndex((method) => method.id === mode.project.method);
      chooseMethod(mode, methods[(index + 1) % methods.length].id);
    }),
    stitchCommand("refine", "Refinement by the network on or off", ["r"], () => {
      if (mode.app.networks.shippedNetworks.length)
        chooseMethod(mode, mode.project.method === "rmr" ? "inertialize" : "rmr");
    }),
    stitchCommand("foot-lock", "Foot lock on or off", ["k"], () =>
      mode.edit("foot lock", (project) => ({ ...project, footLock: !project.footLock })),
    ),
    stitchCommand("swap", "Compare: switch between A and B, or before and after", ["x"], () => {
      const { compare, side } = mode.app.settings;
      const canSwitch = compare === "swap" || (compare === "off" && isBeforeAfter(mode));
      mode.app.set(canSwitch ? { side: side === "a" ? "b" : "a" } : { compare: "swap", side: "b" });
    }),
    stitchCommand("split", "Compare: A and B side by side", ["v"], () =>
      mode.app.set({ compare: mode.app.settings.compare === "split" ? "off" : "split", side: "a" }),
    ),
  ];
}
