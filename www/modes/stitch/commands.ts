/** Commands of the mode. */
import type { FrameRange } from "kinestitch/worker";
import type { Command } from "../../core/command";
import { METHODS } from "./methods";
import { duplicate, move, remove, trim } from "./project";
import { chooseMethod, isBeforeAfter } from "./refine";
import type { Stitch } from "./stitch";

/** The selected item, or the one under the playhead. */
function current(mode: Stitch): string | undefined {
  if (mode.item(mode.selected)) return mode.selected;
  const take = mode.shownTake();
  if (!take) return mode.project.items[0]?.id;
  const at = take.starts.findLastIndex((start) => start <= mode.clock.shownFrame);
  return take.items[Math.max(0, at)]?.id;
}

/** Moves one end of the current item to the playhead. */
export function trimHere(mode: Stitch, end: keyof FrameRange): void {
  const take = mode.shownTake();
  const item = mode.item(current(mode));
  const frames = mode.sourceOf(item)?.info?.frames;
  const at = take?.items.findIndex((other) => other.id === item?.id) ?? -1;
  if (!take || !item || !frames || at < 0) return;
  const used = (item.trim?.to ?? frames) - (item.trim?.from ?? 0);
  // Frames of the result and of the file differ if the rate was changed.
  const share = (mode.clock.shownFrame - take.starts[at]) / Math.max(1, take.aligned[at].frames);
  if (share < 0 || share > 1) {
    mode.app.notify("Put the playhead inside the selected clip first.");
    return;
  }
  const frame = (item.trim?.from ?? 0) + Math.round(share * used) + (end === "to" ? 1 : 0);
  mode.edit(end === "from" ? "trim start" : "trim end", (project) => trim(project, item.id, frames, { [end]: frame }));
}

function shift(mode: Stitch, by: number): void {
  const id = current(mode);
  const at = mode.project.items.findIndex((item) => item.id === id);
  if (id) mode.edit("reorder", (project) => move(project, id, at + by));
}

function choose(mode: Stitch, by: 1 | -1): void {
  const { items } = mode.project;
  if (items.length === 0) return;
  const at = items.findIndex((item) => item.id === mode.selected);
  mode.select(items[at < 0 ? (by > 0 ? 0 : items.length - 1) : (at + by + items.length) % items.length].id);
}

/** The commands of the mode. */
export function commands(mode: Stitch): Command[] {
  const line = (id: string, title: string, keys: string[], run: () => void): Command => ({
    id,
    group: "Timeline",
    title,
    keys,
    run,
  });
  const stitch = (id: string, title: string, keys: string[], run: () => void): Command => ({
    id,
    group: "Stitch",
    title,
    keys,
    run,
  });
  return [
    line("select-next", "Select the next clip", ["arrowdown"], () => choose(mode, 1)),
    line("select-previous", "Select the previous clip", ["arrowup"], () => choose(mode, -1)),
    line("trim-start", "Trim start to the playhead", ["i"], () => trimHere(mode, "from")),
    line("trim-end", "Trim end to the playhead", ["o"], () => trimHere(mode, "to")),
    line("earlier", "Move the clip earlier", ["alt+arrowleft"], () => shift(mode, -1)),
    line("later", "Move the clip later", ["alt+arrowright"], () => shift(mode, 1)),
    line("duplicate", "Duplicate the clip", ["shift+d"], () => {
      const id = current(mode);
      if (id) mode.edit("duplicate clip", (project) => duplicate(project, id));
    }),
    line("remove", "Remove the clip", ["delete", "backspace"], () => {
      const item = mode.item(mode.selected);
      if (item) mode.edit(`remove ${mode.sourceOf(item)?.name ?? "clip"}`, (project) => remove(project, item.id));
      else mode.app.notify("Select a clip first.");
    }),
    line("deselect", "Select nothing", ["escape"], () => mode.select(undefined)),

    stitch("method", "Next method", ["m"], () => {
      // A key must not start a download; the network has a key of its own.
      const methods = METHODS.filter(({ id }) => id !== "rmr" || mode.app.networks.info);
      const at = methods.findIndex((method) => method.id === mode.project.method);
      chooseMethod(mode, methods[(at + 1) % methods.length].id);
    }),
    stitch("refine", "Refine by the network, or not", ["r"], () => {
      if (mode.app.networks.shippedNetworks.length)
        chooseMethod(mode, mode.project.method === "rmr" ? "inertialize" : "rmr");
    }),
    stitch("foot-lock", "Foot lock on or off", ["k"], () =>
      mode.edit("foot lock", (project) => ({ ...project, footLock: !project.footLock })),
    ),
    stitch("swap", "Compare: flip between A and B, before and after", ["x"], () => {
      const { compare, side } = mode.app.settings;
      const flips = compare === "swap" || (compare === "off" && isBeforeAfter(mode));
      mode.app.set(flips ? { side: side === "a" ? "b" : "a" } : { compare: "swap", side: "b" });
    }),
    stitch("split", "Compare: A and B side by side", ["v"], () =>
      mode.app.set({ compare: mode.app.settings.compare === "split" ? "off" : "split", side: "a" }),
    ),
  ];
}
