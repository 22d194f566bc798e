/** Commands of the mode. */
import type { Command } from "../../core/command";
import { sendToStitch } from "../../core/send";
import { moveKey, removeKey, setGap, shiftKey } from "./document";
import type { Inbetween } from "./inbetween";
import { hasAutomatic, METHODS, pathMethod } from "./methods";
import { chooseMethod } from "./network";

/** Metres and radians of one press. */
const STEP = 0.05;
const TURN = Math.PI / 36;

function current(mode: Inbetween): string | undefined {
  if (mode.key(mode.selected)) return mode.selected;
  mode.app.notify("Select a key first.");
  return undefined;
}

function choose(mode: Inbetween, by: 1 | -1): void {
  const { keys } = mode.document;
  if (keys.length === 0) return;
  const at = keys.findIndex(({ id }) => id === mode.selected);
  mode.select(keys[at < 0 ? (by > 0 ? 0 : keys.length - 1) : (at + by + keys.length) % keys.length].id);
}

function nudge(mode: Inbetween, x: number, z: number, turn: number): void {
  const id = current(mode);
  const spot = id && mode.spotOf(id);
  if (id && spot)
    mode.place(id, { x: spot.x + x, z: spot.z + z, heading: spot.heading + turn }, turn ? "turn a key" : "move a key");
}

function shift(mode: Inbetween, by: number): void {
  const id = current(mode);
  if (id) mode.edit("move a key in time", (document) => shiftKey(document, id, by), `shift-${id}`);
}

function stretch(mode: Inbetween, by: number): void {
  const id = current(mode);
  const { keys, gaps } = mode.document;
  // The gap after the key; for the last key the gap before it.
  const gap = Math.min(
    keys.findIndex((key) => key.id === id),
    gaps.length - 1,
  );
  if (id && gap >= 0)
    mode.edit("frames between keys", (document) => setGap(document, gap, gaps[gap] + by), `gap-${gap}`);
}

function reorder(mode: Inbetween, by: number): void {
  const id = current(mode);
  const at = mode.document.keys.findIndex((key) => key.id === id);
  if (id) mode.edit("reorder", (document) => moveKey(document, id, at + by));
}

/** The commands of the mode. */
export function commands(mode: Inbetween): Command[] {
  const line = (id: string, title: string, keys: string[], run: () => void): Command => ({
    id,
    group: "Keys",
    title,
    keys,
    run,
  });
  const between = (id: string, title: string, keys: string[], run: () => void): Command => ({
    id,
    group: "In-between",
    title,
    keys,
    run,
  });
  return [
    line("select-next", "Select the next key", ["arrowdown"], () => choose(mode, 1)),
    line("select-previous", "Select the previous key", ["arrowup"], () => choose(mode, -1)),
    line("left", "Move the key left", ["mod+arrowleft"], () => nudge(mode, -STEP, 0, 0)),
    line("right", "Move the key right", ["mod+arrowright"], () => nudge(mode, STEP, 0, 0)),
    line("away", "Move the key away", ["mod+arrowup"], () => nudge(mode, 0, -STEP, 0)),
    line("near", "Move the key nearer", ["mod+arrowdown"], () => nudge(mode, 0, STEP, 0)),
    line("turn-left", "Turn the key left", ["q"], () => nudge(mode, 0, 0, TURN)),
    line("turn-right", "Turn the key right", ["e"], () => nudge(mode, 0, 0, -TURN)),
    line("sooner", "Key a frame sooner", ["alt+arrowleft"], () => shift(mode, -1)),
    line("later", "Key a frame later", ["alt+arrowright"], () => shift(mode, 1)),
    line("longer", "A frame more behind the key", ["alt+arrowup"], () => stretch(mode, 1)),
    line("shorter", "A frame less behind the key", ["alt+arrowdown"], () => stretch(mode, -1)),
    line("before", "Key before its neighbour", ["alt+shift+arrowleft"], () => reorder(mode, -1)),
    line("behind", "Key behind its neighbour", ["alt+shift+arrowright"], () => reorder(mode, 1)),
    line("remove", "Remove the key", ["delete", "backspace"], () => {
      const id = current(mode);
      if (id) mode.edit("remove a key", (document) => removeKey(document, id));
    }),
    line("deselect", "Select nothing", ["escape"], () => mode.select(undefined)),

    between("method", "Next method", ["m"], () => {
      const at = METHODS.findIndex(({ id }) => id === mode.document.method);
      void chooseMethod(mode, METHODS[(at + 1) % METHODS.length].id);
    }),
    between("foot-lock", "Foot lock on or off", ["k"], () =>
      mode.edit("foot lock", (document) => ({ ...document, footLock: !document.footLock })),
    ),
    between("swap", "Show plain interpolation, or the result", ["x"], () => {
      mode.shownPlain = !mode.shownPlain;
      mode.app.requestUpdate();
    }),
    ...(pathMethod || hasAutomatic
      ? [
          between("find-paths", "Find motions to choose from", ["alt+w"], () => void mode.candidates.find()),
          between("take-path", "Take the previewed motion", ["alt+enter"], () => {
            if (mode.candidates.seen !== undefined) mode.candidates.take(mode.candidates.seen);
          }),
        ]
      : []),
    between("send", "Send the motion to Stitch", ["mod+enter"], () => void sendToStitch(mode.app)),
  ];
}
