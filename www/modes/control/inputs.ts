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

/** Key that makes the character jump, and the duration of its request, seconds: more than one frame of the network. */
const [JUMP_KEY, JUMP_SECS] = ["j", 0.1];

/** Keys that steer while held, also with Shift. */
export const HELD: ReadonlySet<string> = new Set(
  [...Object.keys(KEYS), JUMP_KEY].flatMap((key) => [key, `shift+${key}`]),
);

/** Steering keys and their effect, for the sheet of keys. */
export const STEERING = [
  ["Away from the camera", ["w", "arrowup"]],
  ["Towards the camera", ["s", "arrowdown"]],
  ["Left", ["a", "arrowleft"]],
  ["Right", ["d", "arrowright"]],
  ["Faster", ["shift"]],
  ["Jump", [JUMP_KEY]],
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
  /** Remaining time of the request to jump, seconds. */
  #jumpSecs = 0;
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

  /**
   * Combined input of all devices for the next step of `seconds`, and whether to run and to jump. A stick takes
   * precedence over keys.
   */
  read(seconds: number): { stick: Stick; fast: boolean; jump: boolean; facing: Stick | undefined } {
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
    const jump = this.#jumpSecs > 0 || pad?.jump === true;
    this.#jumpSecs = Math.max(0, this.#jumpSecs - seconds);
    return { stick, fast: this.#fast || pad?.fast === true, jump, facing };
  }

  #down = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const key = event.key.toLowerCase();
    this.#fast = event.shiftKey;
    const letter = key.length === 1;
    if (
      !(KEYS[key] || key === JUMP_KEY) ||
      document.querySelector("dialog[open]") ||
      (event.target as HTMLElement).matches(letter ? NEEDS_LETTERS : NEEDS_ARROWS)
    )
      return;
    if (letter && !this.#letters()) return;
    event.preventDefault();
    if (key === JUMP_KEY) this.#jumpSecs = JUMP_SECS;
    else this.#held.add(key);
  };

  #up = (event: KeyboardEvent): void => {
    this.#fast = event.shiftKey;
    this.#held.delete(event.key.toLowerCase());
  };

  #release = (): void => {
    this.#held.clear();
    this.#fast = false;
    this.#jumpSecs = 0;
    Object.assign(this.touch, { right: 0, forward: 0 });
  };
}

/** The first gamepad: left stick for movement, right stick for facing, any shoulder button for speed, A to jump. */
function gamepad(): { move: Stick; look: Stick; fast: boolean; jump: boolean } | undefined {
  const pad = navigator.getGamepads?.().find((one) => one?.connected);
  if (!pad) return undefined;
  const [x = 0, y = 0, lookX = 0, lookY = 0] = pad.axes;
  const fast = [4, 5, 6, 7].some((button) => pad.buttons[button]?.pressed);
  const jump = pad.buttons[0]?.pressed === true;
  return { move: { right: x, forward: -y }, look: { right: lookX, forward: -lookY }, fast, jump };
}
