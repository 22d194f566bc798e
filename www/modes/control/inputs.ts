/** User input: held keys, a gamepad, a stick on the screen. */
import type { Stick } from "./steering";

/** Steering keys, as `KeyboardEvent.key` in lower case, and their directions. */
const KEYS: Readonly<Record<string, Stick>> = {
  w: { right: 0, forward: 1 },
  arrowup: { right: 0, forward: 1 },
  s: { right: 0, forward: -1 },
  arrowdown: { right: 0, forward: -1 },
  a: { right: -1, forward: 0 },
  arrowleft: { right: -1, forward: 0 },
  d: { right: 1, forward: 0 },
  arrowright: { right: 1, forward: 0 },
};

/** Keys that steer while held, also with Shift. */
export const HELD: ReadonlySet<string> = new Set([
  ...Object.keys(KEYS),
  ...Object.keys(KEYS).map((key) => `shift+${key}`),
]);

/** Steering keys and their effect, for the sheet of keys. */
export const STEERING = [
  ["Away from the camera", ["w", "arrowup"]],
  ["Towards the camera", ["s", "arrowdown"]],
  ["Left", ["a", "arrowleft"]],
  ["Right", ["d", "arrowright"]],
  ["Faster", ["shift"]],
] as const;

/** Elements that need letters or arrows themselves while focused. */
const NEEDS_LETTERS = "input:not([type=checkbox], [type=radio], [type=range]), select, textarea, [contenteditable]";
const NEEDS_ARROWS = `${NEEDS_LETTERS}, [type=radio], [type=range], [role=slider]`;

/** Input devices of the user. */
export class Inputs {
  /** The stick on the screen, while touched. */
  readonly touch: Stick = { right: 0, forward: 0 };
  #held = new Set<string>();
  #fast = false;
  #letters: () => boolean;
  #began: () => void;

  /** `letters`: whether keys work without Ctrl. `began` is called when the user takes over. */
  constructor(letters: () => boolean, began: () => void) {
    this.#letters = letters;
    this.#began = began;
  }

  listen(): void {
    window.addEventListener("keydown", this.#down);
    window.addEventListener("keyup", this.#up);
    window.addEventListener("blur", this.#release);
    document.addEventListener("visibilitychange", this.#release);
  }

  ignore(): void {
    window.removeEventListener("keydown", this.#down);
    window.removeEventListener("keyup", this.#up);
    window.removeEventListener("blur", this.#release);
    document.removeEventListener("visibilitychange", this.#release);
    this.#release();
  }

  /** Combined input of all devices, and whether to run. A stick takes precedence over keys. */
  read(): { stick: Stick; fast: boolean; facing: Stick | undefined } {
    const pad = gamepad();
    const keys = [...this.#held].reduce(
      (sum, key) => ({ right: sum.right + KEYS[key].right, forward: sum.forward + KEYS[key].forward }),
      { right: 0, forward: 0 },
    );
    const clamp = (value: number): number => Math.max(-1, Math.min(1, value));
    const stick = [this.touch, pad?.move].find((one) => one && Math.hypot(one.right, one.forward) > 0.15) ?? {
      right: clamp(keys.right),
      forward: clamp(keys.forward),
    };
    const facing = pad && Math.hypot(pad.look.right, pad.look.forward) > 0.4 ? pad.look : undefined;
    if (facing || Math.hypot(stick.right, stick.forward) > 0.15) this.#began();
    return { stick, fast: this.#fast || pad?.fast === true, facing };
  }

  #down = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const key = event.key.toLowerCase();
    this.#fast = event.shiftKey;
    const letter = key.length === 1;
    if (
      !KEYS[key] ||
      document.querySelector("dialog[open]") ||
      (event.target as HTMLElement).matches(letter ? NEEDS_LETTERS : NEEDS_ARROWS)
    )
      return;
    if (letter && !this.#letters()) return;
    event.preventDefault();
    this.#held.add(key);
  };

  #up = (event: KeyboardEvent): void => {
    this.#fast = event.shiftKey;
    this.#held.delete(event.key.toLowerCase());
  };

  #release = (): void => {
    this.#held.clear();
    this.#fast = false;
    Object.assign(this.touch, { right: 0, forward: 0 });
  };
}

/** The first gamepad: left stick for movement, right stick for facing, any shoulder button for speed. */
function gamepad(): { move: Stick; look: Stick; fast: boolean } | undefined {
  const pad = navigator.getGamepads?.().find((one) => one?.connected);
  if (!pad) return undefined;
  const [x = 0, y = 0, lookX = 0, lookY = 0] = pad.axes;
  const fast = [4, 5, 6, 7].some((button) => pad.buttons[button]?.pressed);
  return { move: { right: x, forward: -y }, look: { right: lookX, forward: -lookY }, fast };
}
