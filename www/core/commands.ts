/** Commands that all modes share: playback, view, files. */
import type { App } from "./app";
import type { Command } from "./command";
import { jumpToMark, loopAround } from "./marks";
import { save } from "./save";
import { isDark } from "./settings";

type CreateCommand = (id: string, title: string, keys: string[], run: () => void) => Command;
/** Returns a function that creates commands under one heading. */
const inGroup =
  (group: string): CreateCommand =>
  (id, title, keys, run) => ({ id, group, title, keys, run });

/** Playback speeds to choose from; 1 is real time. */
export const SPEEDS = [0.1, 0.25, 0.5, 1, 1.5, 2] as const;

function changeSpeed({ clock }: App, direction: 1 | -1): void {
  const index = SPEEDS.findIndex((speed) => speed >= clock.speed);
  clock.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, index + direction))]);
}

/**
 * Returns the shared commands. The dialog of keys lists the playback commands before the commands of the mode, and the
 * other commands after them.
 */
export function commonCommands(app: App): { playCommands: Command[]; viewAndFileCommands: Command[] } {
  const play = inGroup("Play");
  const view = inGroup("View");
  const file = inGroup("File");
  const { host } = app;
  const toggle = (id: "ghosts" | "path" | "contacts" | "body", title: string, key: string): Command =>
    view(id, title, [key], () => app.set({ [id]: !app.settings[id] }));
  const { name } = app.mode.marks();
  return {
    playCommands: [
      play("play", "Play or pause", [" "], () => app.clock.play()),
      play("back", "One frame back", ["arrowleft"], () => app.clock.step(-1)),
      play("forward", "One frame forward", ["arrowright"], () => app.clock.step(1)),
      play("back10", "Ten frames back", ["shift+arrowleft"], () => app.clock.step(-10)),
      play("forward10", "Ten frames forward", ["shift+arrowright"], () => app.clock.step(10)),
      play("start", "First frame", ["home"], () => app.clock.seek(0)),
      play("end", "Last frame", ["end"], () => app.clock.seek(app.clock.frames - 1)),
      play("next-mark", `Next ${name}`, ["n"], () => jumpToMark(app.mode, 1)),
      play("previous-mark", `Previous ${name}`, ["shift+n"], () => jumpToMark(app.mode, -1)),
      play("loop", "Loop on or off", ["l"], () => app.clock.setLoop(!app.clock.loop)),
      play("loop-mark", `Loop around the nearest ${name}`, ["shift+l"], () => loopAround(app.mode)),
      play("slower", "Slower", [","], () => changeSpeed(app, -1)),
      play("faster", "Faster", ["."], () => changeSpeed(app, 1)),
    ],
    viewAndFileCommands: [
      toggle("ghosts", "Show ghosts", "g"),
      toggle("path", "Show the path of the root", "p"),
      toggle("contacts", "Show foot contacts", "f"),
      view("follow", "Camera follows the figure", ["c"], () =>
        app.set({ [app.mode.followSetting]: !app.settings[app.mode.followSetting] }),
      ),
      toggle("body", "Show bones or body", "b"),
      view("frame", "Frame the figure", ["0"], () => host.view("frame")),
      view("front", "Front view", ["1"], () => host.view("front")),
      view("side", "Side view", ["2"], () => host.view("side")),
      view("top", "Top view", ["3"], () => host.view("top")),
      view("orbit-left", "Orbit left", ["a"], () => host.orbit(-0.15, 0)),
      view("orbit-right", "Orbit right", ["d"], () => host.orbit(0.15, 0)),
      view("orbit-up", "Orbit up", ["w"], () => host.orbit(0, 0.1)),
      view("orbit-down", "Orbit down", ["s"], () => host.orbit(0, -0.1)),
      view("zoom-in", "Zoom in", ["+", "="], () => host.zoom(1 / 1.15)),
      view("zoom-out", "Zoom out", ["-"], () => host.zoom(1.15)),
      view("theme", "Switch to light or dark", ["t"], () =>
        app.set({ theme: isDark(app.settings) ? "light" : "dark" }),
      ),

      file("open", "Add motions or a character", ["mod+o"], () => host.openFiles()),
      file("bvh", "Export BVH", ["mod+s"], () => void save(app, "bvh")),
      file("glb", "Export GLB", ["mod+shift+s"], () => void save(app, "glb")),
      file("export", "Export and project", ["mod+e"], () => host.toggleExport()),
      file("undo", "Undo", ["mod+z"], () => app.undo()),
      file("redo", "Redo", ["mod+shift+z", "mod+y"], () => app.redo()),
      file("help", "Show the keys", ["?"], () => host.toggleHelp()),
    ],
  };
}

/** All commands of the current mode. */
export function allCommands(app: App): Command[] {
  const { playCommands, viewAndFileCommands } = commonCommands(app);
  const { commands, realTime } = app.mode;
  if (!realTime) return [...playCommands, ...commands, ...viewAndFileCommands];
  // In real time, there is no playback and there are no ghosts; and steering keys must not run commands.
  return [...commands, ...viewAndFileCommands]
    .map((command) => ({ ...command, keys: command.keys.filter((key) => !realTime.heldKeys.has(key)) }))
    .filter(({ id, keys }) => keys.length > 0 && id !== "ghosts");
}
