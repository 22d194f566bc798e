/** Everything the page can do by key, in one list: the keys work from it, and the help sheet shows it. */
import type { Trim } from "kinestitch/worker";
import type { App } from "./app";
import { METHODS } from "./methods";
import { SHIPPED } from "./networks";
import { duplicate, move, remove, trim } from "./project";
import { chooseMethod } from "./refine";
import { save } from "./save";
import { jumpSeam, loopSeam } from "./seams";
import { isDark } from "./settings";

export interface Command {
  id: string;
  group: "Play" | "Timeline" | "View" | "Stitch" | "File";
  title: string;
  /** As `KeyboardEvent.key`, lower case, after "mod+" (Ctrl or Cmd), "alt+", "shift+" in that order. */
  keys: string[];
  run: (app: App, host: Host) => void;
}

/** What commands need of the page around the app. */
export interface Host {
  openFiles(): void;
  toggleHelp(): void;
  view(command: "front" | "side" | "top" | "frame"): void;
  orbit(right: number, up: number): void;
  zoom(factor: number): void;
}

const play = (id: string, title: string, keys: string[], run: (app: App) => void): Command => ({ id, group: "Play", title, keys, run });
const line = (id: string, title: string, keys: string[], run: (app: App) => void): Command => ({ id, group: "Timeline", title, keys, run });
const view = (id: string, title: string, keys: string[], run: Command["run"]): Command => ({ id, group: "View", title, keys, run });
const toggle = (id: "ghosts" | "path" | "contacts" | "follow" | "body", title: string, key: string): Command =>
  view(id, title, [key], (app) => app.set({ [id]: !app.settings[id] }));

export const SPEEDS = [0.1, 0.25, 0.5, 1, 1.5, 2] as const;

function changeSpeed(app: App, direction: 1 | -1): void {
  const at = SPEEDS.findIndex((speed) => speed >= app.playback.speed);
  app.playback.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at + direction))]);
}

/** The selected item, or the one under the playhead. */
function current(app: App): string | undefined {
  if (app.item(app.selected)) return app.selected;
  const take = app.shownTake();
  if (!take) return app.project.items[0]?.id;
  const at = take.starts.findLastIndex((start) => start <= app.playback.shown);
  return take.items[Math.max(0, at)]?.id;
}

/** Moves one end of the current item to the playhead. */
export function trimHere(app: App, end: keyof Trim): void {
  const take = app.shownTake();
  const item = app.item(current(app));
  const frames = app.sourceOf(item)?.info?.frames;
  const at = take?.items.findIndex((other) => other.id === item?.id) ?? -1;
  if (!take || !item || !frames || at < 0) return;
  const used = (item.trim?.to ?? frames) - (item.trim?.from ?? 0);
  // Frames of the result and of the file differ when the rate was changed.
  const share = (app.playback.shown - take.starts[at]) / Math.max(1, take.aligned[at].frames);
  if (share < 0 || share > 1) {
    app.notify("Put the playhead inside the selected clip first.");
    return;
  }
  const frame = (item.trim?.from ?? 0) + Math.round(share * used) + (end === "to" ? 1 : 0);
  app.edit(end === "from" ? "trim start" : "trim end", (project) => trim(project, item.id, frames, { [end]: frame }));
}

function shift(app: App, by: number): void {
  const id = current(app);
  const at = app.project.items.findIndex((item) => item.id === id);
  if (id) app.edit("reorder", (project) => move(project, id, at + by));
}

function choose(app: App, by: 1 | -1): void {
  const { items } = app.project;
  if (items.length === 0) return;
  const at = items.findIndex((item) => item.id === app.selected);
  app.select(items[at < 0 ? (by > 0 ? 0 : items.length - 1) : (at + by + items.length) % items.length].id);
}

export const COMMANDS: readonly Command[] = [
  play("play", "Play or pause", [" "], (app) => app.playback.play()),
  play("back", "One frame back", ["arrowleft"], (app) => app.playback.step(-1)),
  play("forward", "One frame forward", ["arrowright"], (app) => app.playback.step(1)),
  play("back10", "Ten frames back", ["shift+arrowleft"], (app) => app.playback.step(-10)),
  play("forward10", "Ten frames forward", ["shift+arrowright"], (app) => app.playback.step(10)),
  play("start", "First frame", ["home"], (app) => app.playback.seek(0)),
  play("end", "Last frame", ["end"], (app) => app.playback.seek(app.playback.frames - 1)),
  play("next-seam", "Next seam", ["n"], (app) => jumpSeam(app, 1)),
  play("previous-seam", "Previous seam", ["shift+n"], (app) => jumpSeam(app, -1)),
  play("loop", "Loop on or off", ["l"], (app) => app.playback.setLoop(!app.playback.loop)),
  play("loop-seam", "Loop around the nearest seam", ["shift+l"], (app) => loopSeam(app)),
  play("slower", "Slower", [","], (app) => changeSpeed(app, -1)),
  play("faster", "Faster", ["."], (app) => changeSpeed(app, 1)),

  line("select-next", "Select the next clip", ["arrowdown"], (app) => choose(app, 1)),
  line("select-previous", "Select the previous clip", ["arrowup"], (app) => choose(app, -1)),
  line("trim-start", "Trim start to the playhead", ["i"], (app) => trimHere(app, "from")),
  line("trim-end", "Trim end to the playhead", ["o"], (app) => trimHere(app, "to")),
  line("earlier", "Move the clip earlier", ["alt+arrowleft"], (app) => shift(app, -1)),
  line("later", "Move the clip later", ["alt+arrowright"], (app) => shift(app, 1)),
  line("duplicate", "Duplicate the clip", ["shift+d"], (app) => {
    const id = current(app);
    if (id) app.edit("duplicate clip", (project) => duplicate(project, id));
  }),
  line("remove", "Remove the clip", ["delete", "backspace"], (app) => {
    const item = app.item(app.selected);
    if (item) app.edit(`remove ${app.sourceOf(item)?.name ?? "clip"}`, (project) => remove(project, item.id));
    else app.notify("Select a clip first.");
  }),
  line("deselect", "Select nothing", ["escape"], (app) => app.select(undefined)),

  { id: "method", group: "Stitch", title: "Next method", keys: ["m"], run: (app) => {
    // A key should not start a download: the network has a key of its own.
    const methods = METHODS.filter(({ id }) => id !== "rmr" || app.networks.info);
    const at = methods.findIndex((method) => method.id === app.project.method);
    chooseMethod(app, methods[(at + 1) % methods.length].id);
  } },
  { id: "refine", group: "Stitch", title: "Refine by the network, or not", keys: ["r"], run: (app) => {
    if (SHIPPED.length) chooseMethod(app, app.project.method === "rmr" ? "inertialize" : "rmr");
  } },
  { id: "foot-lock", group: "Stitch", title: "Foot lock on or off", keys: ["k"], run: (app) =>
    app.edit("foot lock", (project) => ({ ...project, footLock: !project.footLock })) },
  { id: "swap", group: "Stitch", title: "Compare: flip between A and B, before and after", keys: ["x"], run: (app) =>
    app.settings.compare === "swap" ? app.set({ side: app.settings.side === "a" ? "b" : "a" }) : app.set({ compare: "swap", side: "b" }) },
  { id: "split", group: "Stitch", title: "Compare: A and B side by side", keys: ["v"], run: (app) =>
    app.set({ compare: app.settings.compare === "split" ? "off" : "split", side: "a" }) },

  toggle("ghosts", "Ghosts of the inputs", "g"),
  toggle("path", "Path of the root", "p"),
  toggle("contacts", "Foot contacts", "f"),
  toggle("follow", "Camera follows", "c"),
  toggle("body", "Bones or body", "b"),
  view("frame", "Show the whole figure", ["0"], (_, host) => host.view("frame")),
  view("front", "From the front", ["1"], (_, host) => host.view("front")),
  view("side", "From the side", ["2"], (_, host) => host.view("side")),
  view("top", "From above", ["3"], (_, host) => host.view("top")),
  view("orbit-left", "Turn left", ["a"], (_, host) => host.orbit(-0.15, 0)),
  view("orbit-right", "Turn right", ["d"], (_, host) => host.orbit(0.15, 0)),
  view("orbit-up", "Turn up", ["w"], (_, host) => host.orbit(0, 0.1)),
  view("orbit-down", "Turn down", ["s"], (_, host) => host.orbit(0, -0.1)),
  view("zoom-in", "Closer", ["+", "="], (_, host) => host.zoom(1 / 1.15)),
  view("zoom-out", "Farther", ["-"], (_, host) => host.zoom(1.15)),
  view("theme", "Light or dark", ["t"], (app) => app.set({ theme: isDark(app.settings) ? "light" : "dark" })),

  { id: "open", group: "File", title: "Add BVH files", keys: ["mod+o"], run: (_, host) => host.openFiles() },
  { id: "bvh", group: "File", title: "Export BVH", keys: ["mod+s"], run: (app) => void save(app, "bvh") },
  { id: "glb", group: "File", title: "Export GLB", keys: ["mod+shift+s"], run: (app) => void save(app, "glb") },
  { id: "undo", group: "File", title: "Undo", keys: ["mod+z"], run: (app) => app.undo() },
  { id: "redo", group: "File", title: "Redo", keys: ["mod+shift+z", "mod+y"], run: (app) => app.redo() },
  { id: "help", group: "File", title: "This sheet", keys: ["?"], run: (_, host) => host.toggleHelp() },
];

/** "mod+shift+z" of an event. Shift is left out where it only makes the character, as in "?" and "+". */
export function chord(event: KeyboardEvent): string {
  const key = event.key.toLowerCase();
  const shift = event.shiftKey && (key.length > 1 || /[a-z ]/.test(key));
  return `${event.ctrlKey || event.metaKey ? "mod+" : ""}${event.altKey ? "alt+" : ""}${shift ? "shift+" : ""}${key}`;
}
