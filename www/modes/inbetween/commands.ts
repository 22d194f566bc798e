/** Commands of the mode. */
import type { Command } from "../../core/command";
import { sendToStitch } from "../../core/send";
import { moveKey, removeKey, setGap, shiftKey } from "./document";
import type { Inbetween } from "./inbetween";
import { isNetwork } from "../fillers";
import { hasAutomatic, type Method, METHODS, pathMethod } from "./methods";
import { chooseMethod } from "./network";

/** Distance and rotation of one key press, metres and radians. */
const [MOVE_STEP, TURN_STEP] = [0.05, Math.PI / 36];

/** Returns the id of the selected key; shows a notice if none is selected. */
function selectedKeyId(mode: Inbetween): string | undefined {
  if (mode.key(mode.selected)) return mode.selected;
  mode.app.notify("Select a key first.");
  return undefined;
}

function selectNeighbour(mode: Inbetween, offset: 1 | -1): void {
  const { keys } = mode.document;
  if (keys.length === 0) return;
  const index = keys.findIndex(({ id }) => id === mode.selected);
  const first = offset > 0 ? 0 : keys.length - 1;
  mode.select(keys[index < 0 ? first : (index + offset + keys.length) % keys.length].id);
}

function moveOnGround(mode: Inbetween, dx: number, dz: number, turn: number): void {
  const id = selectedKeyId(mode);
  const pose = id && mode.groundPoseOf(id);
  if (id && pose)
    mode.placeKey(
      id,
      { x: pose.x + dx, z: pose.z + dz, heading: pose.heading + turn },
      turn ? "turn a key" : "move a key",
    );
}

function moveInTime(mode: Inbetween, frames: number): void {
  const id = selectedKeyId(mode);
  if (id) mode.edit("move a key in time", (document) => shiftKey(document, id, frames), `shift-${id}`);
}

function lengthenGap(mode: Inbetween, frames: number): void {
  const id = selectedKeyId(mode);
  const { keys, gaps } = mode.document;
  // The gap after the key; for the last key the gap before it.
  const gap = Math.min(
    keys.findIndex((key) => key.id === id),
    gaps.length - 1,
  );
  if (id && gap >= 0)
    mode.edit("frames between keys", (document) => setGap(document, gap, gaps[gap] + frames), `gap-${gap}`);
}

function moveInOrder(mode: Inbetween, offset: number): void {
  const id = selectedKeyId(mode);
  const index = mode.document.keys.findIndex((key) => key.id === id);
  if (id) mode.edit("reorder", (document) => moveKey(document, id, index + offset));
}

/** Chooses the next method of the menu among those that need no download: a keyboard shortcut must not start one. */
function chooseNextMethod(mode: Inbetween): void {
  const isLoaded = (id: Method): boolean =>
    id === "auto" ? mode.app.auto.isReady : !isNetwork(id) || mode.networks[id].info !== undefined;
  const methods = METHODS.filter(({ id }) => isLoaded(id));
  const index = methods.findIndex(({ id }) => id === mode.document.method);
  void chooseMethod(mode, methods[(index + 1) % methods.length].id);
}

/** Creates the commands of the mode. */
export function createCommands(mode: Inbetween): Command[] {
  const keyCommand = (id: string, title: string, keys: string[], run: () => void): Command => ({
    id,
    group: "Keys",
    title,
    keys,
    run,
  });
  const inbetweenCommand = (id: string, title: string, keys: string[], run: () => void): Command => ({
    id,
    group: "In-between",
    title,
    keys,
    run,
  });
  return [
    keyCommand("select-next", "Select the next key", ["arrowdown"], () => selectNeighbour(mode, 1)),
    keyCommand("select-previous", "Select the previous key", ["arrowup"], () => selectNeighbour(mode, -1)),
    keyCommand("left", "Move the key left", ["mod+arrowleft"], () => moveOnGround(mode, -MOVE_STEP, 0, 0)),
    keyCommand("right", "Move the key right", ["mod+arrowright"], () => moveOnGround(mode, MOVE_STEP, 0, 0)),
    keyCommand("away", "Move the key away", ["mod+arrowup"], () => moveOnGround(mode, 0, -MOVE_STEP, 0)),
    keyCommand("near", "Move the key closer", ["mod+arrowdown"], () => moveOnGround(mode, 0, MOVE_STEP, 0)),
    keyCommand("turn-left", "Turn the key left", ["q"], () => moveOnGround(mode, 0, 0, TURN_STEP)),
    keyCommand("turn-right", "Turn the key right", ["e"], () => moveOnGround(mode, 0, 0, -TURN_STEP)),
    keyCommand("sooner", "Move the key one frame earlier", ["alt+arrowleft"], () => moveInTime(mode, -1)),
    keyCommand("later", "Move the key one frame later", ["alt+arrowright"], () => moveInTime(mode, 1)),
    keyCommand("longer", "Add a frame after the key", ["alt+arrowup"], () => lengthenGap(mode, 1)),
    keyCommand("shorter", "Remove a frame after the key", ["alt+arrowdown"], () => lengthenGap(mode, -1)),
    keyCommand("before", "Move the key before the previous key", ["alt+shift+arrowleft"], () => moveInOrder(mode, -1)),
    keyCommand("behind", "Move the key after the next key", ["alt+shift+arrowright"], () => moveInOrder(mode, 1)),
    keyCommand("remove", "Remove the key", ["delete", "backspace"], () => {
      const id = selectedKeyId(mode);
      if (id) mode.edit("remove a key", (document) => removeKey(document, id));
    }),
    keyCommand("deselect", "Select nothing", ["escape"], () => mode.select(undefined)),

    inbetweenCommand("method", "Next method", ["m"], () => chooseNextMethod(mode)),
    inbetweenCommand("foot-lock", "Foot lock on or off", ["k"], () =>
      mode.edit("foot lock", (document) => ({ ...document, footLock: !document.footLock })),
    ),
    inbetweenCommand("swap", "Switch between plain interpolation and the result", ["x"], () => {
      mode.showsPlain = !mode.showsPlain;
      mode.app.requestUpdate();
    }),
    ...(pathMethod || hasAutomatic
      ? [
          inbetweenCommand("find-paths", "Find motions to choose from", ["alt+w"], () => void mode.candidates.find()),
          inbetweenCommand("take-path", "Use the previewed motion", ["alt+enter"], () => {
            if (mode.candidates.previewed !== undefined) mode.candidates.accept(mode.candidates.previewed);
          }),
        ]
      : []),
    inbetweenCommand("send", "Send the motion to Stitch", ["mod+enter"], () => void sendToStitch(mode.app)),
  ];
}
