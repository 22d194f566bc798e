/** Input devices that steer: keys, a gamepad, a stick on the screen. */
import { DEAD_ZONE, type Stick } from "./steering";

/** Steering keys, as `KeyboardEvent.key` in lower case, and their directions. */
const KEYS: Readonly<Partial<Record<string, Stick>>> = {
  w: { right: 0, forward: 1 },
  arrowup: { right: 0, forward: 1 },
  s: { right: 0, forward: -1 },
  arrowdown: { right: 0, forward: -1 },
  a: { right: -1, forward: 0 },
  arrowleft: { right: -1, forward: 0 },
  d: { right: 1, forward: 0 },
  arrowright: { right: 1, forward: 0 },
};

/** Key that requests a jump. */
const JUMP_KEY = "j";
/** Duration of a request to jump, seconds; longer than a frame of the network, so that none is missed. */
const JUMP_SECS = 0.1;

/** Keys of the steering and of the jump, also with Shift. */
export const STEERING_KEYS: ReadonlySet<string> = new Set(
  [...Object.keys(KEYS), JUMP_KEY].flatMap((key) => [key, `shift+${key}`]),
);

/** Steering keys and their effect, for the dialog of keys. */
export const STEERING = [
  ["Away from the camera", ["w", "arrowup"]],
  ["Towards the camera", ["s", "arrowdown"]],
  ["Left", ["a", "arrowleft"]],
  ["Right", ["d", "arrowright"]],
  ["Faster", ["shift"]],
  ["Jump", [JUMP_KEY]],
] as const;

/** Elements that use letter keys or arrow keys themselves while focused. */
const LETTER_KEY_ELEMENTS =
  "input:not([type=checkbox], [type=radio], [type=range]), select, textarea, [contenteditable]";
const ARROW_KEY_ELEMENTS = `${LETTER_KEY_ELEMENTS}, [type=radio], [type=range], [role=slider]`;

/** Callbacks to the mode. */
export interface InputCallbacks {
  /** Returns whether letter keys steer. */
  allowsLetters: () => boolean;
  /** Returns whether the character can act now. If not, a request to jump is ignored, so that it does not jump later. */
  canAct: () => boolean;
  /** Called by {@link Inputs.read} while the user steers. */
  onSteer: () => void;
}

/** Input devices of the user. */
export class Inputs {
  /** Deflection of the stick on the screen; zero while the stick is not touched. */
  readonly touch: Stick = { right: 0, forward: 0 };
  /**
   * Directions of the held keys, by `KeyboardEvent.code`: the `key` of one key may differ between press and release, for
   * example if Option or AltGr is pressed meanwhile, or if the keyboard layout changes.
   */
  #held = new Map<string, Stick>();
  #fast = false;
  /** Remaining time of the request to jump, seconds. */
  #jumpSecs = 0;
  #callbacks: InputCallbacks;

  constructor(callbacks: InputCallbacks) {
    this.#callbacks = callbacks;
  }

  listen(): void {
    window.addEventListener("keydown", this.#onKeyDown);
    window.addEventListener("keyup", this.#onKeyUp);
    window.addEventListener("blur", this.#release);
    document.addEventListener("visibilitychange", this.#release);
  }

  stopListening(): void {
    window.removeEventListener("keydown", this.#onKeyDown);
    window.removeEventListener("keyup", this.#onKeyUp);
    window.removeEventListener("blur", this.#release);
    document.removeEventListener("visibilitychange", this.#release);
    this.#release();
  }

  /**
   * Returns the input for the next step of `seconds`: the direction of the first device in use (stick on the screen,
   * gamepad, keys), and whether to run and to jump. `facing`: the right stick of a gamepad, if deflected; it sets the
   * heading. Shortens a pending request to jump by `seconds`.
   */
  read(seconds: number): { stick: Stick; fast: boolean; jump: boolean; facing: Stick | undefined } {
    const pad = gamepad();
    const keys = { right: 0, forward: 0 };
    for (const { right, forward } of this.#held.values()) {
      keys.right += right;
      keys.forward += forward;
    }
    const clamp = (value: number): number => Math.max(-1, Math.min(1, value));
    const stick = [this.touch, pad?.move].find(
      (candidate) => candidate && Math.hypot(candidate.right, candidate.forward) > DEAD_ZONE,
    ) ?? {
      right: clamp(keys.right),
      forward: clamp(keys.forward),
    };
    const facing = pad && Math.hypot(pad.look.right, pad.look.forward) > 0.4 ? pad.look : undefined;
    if (facing || Math.hypot(stick.right, stick.forward) > DEAD_ZONE) this.#callbacks.onSteer();
    const jump = this.#jumpSecs > 0 || pad?.jump === true;
    this.#jumpSecs = Math.max(0, this.#jumpSecs - seconds);
    return { stick, fast: this.#fast || pad?.fast === true, jump, facing };
  }

  #onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const key = event.key.toLowerCase();
    const direction = KEYS[key];
    this.#fast = event.shiftKey;
    const isLetter = key.length === 1;
    if (
      !(direction || key === JUMP_KEY) ||
      document.querySelector("dialog[open]") ||
      (event.target as HTMLElement).matches(isLetter ? LETTER_KEY_ELEMENTS : ARROW_KEY_ELEMENTS)
    )
      return;
    if (isLetter && !this.#callbacks.allowsLetters()) return;
    event.preventDefault();
    if (direction) this.#held.set(event.code, direction);
    else if (this.#callbacks.canAct()) this.#jumpSecs = JUMP_SECS;
  };

  #onKeyUp = (event: KeyboardEvent): void => {
    this.#fast = event.shiftKey;
    // While Cmd is held, macOS sends no event when another key is released.
    if (event.key === "Meta") this.#held.clear();
    else this.#held.delete(event.code);
  };

  #release = (): void => {
    this.#held.clear();
    this.#fast = false;
    this.#jumpSecs = 0;
    Object.assign(this.touch, { right: 0, forward: 0 });
  };
}

/**
 * Reads the first gamepad: left stick for movement, right stick for facing, shoulder buttons or triggers for speed, A to
 * jump. On gamepads without the standard mapping, any axis may be a trigger, which is not 0 at rest.
 */
function gamepad(): { move: Stick; look: Stick; fast: boolean; jump: boolean } | undefined {
  const pad = navigator.getGamepads?.().find((candidate) => candidate?.connected && candidate.mapping === "standard");
  if (!pad) return undefined;
  const [x = 0, y = 0, lookX = 0, lookY = 0] = pad.axes;
  const fast = [4, 5, 6, 7].some((button) => pad.buttons[button]?.pressed);
  const jump = pad.buttons[0]?.pressed === true;
  return { move: { right: x, forward: -y }, look: { right: lookX, forward: -lookY }, fast, jump };
}
