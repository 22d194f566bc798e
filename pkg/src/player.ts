/**
 * Entry `kinestitch/player`: the element `<kinestitch-player>`, a motion in 3D with a bar to play it. Importing it defines the
 * element; everything heavy is fetched when the first player comes near the window.
 *
 * @example
 * ```html
 * <kinestitch-player src="walk.bvh" autoplay loop controls></kinestitch-player>
 * ```
 * @module kinestitch/player
 */
import "./player/kinestitch-player.js";

/**
 * The element. Attributes: `src`, `autoplay`, `loop`, `controls`, `speed`, `label` (for screen readers), `view` ("frame", "front",
 * "side", "top"), `bones` (plain bones), `theme` ("auto", "light", "dark"). Events: `load`, `error` (its `detail` says why), `play`,
 * `pause`, `ended`, `timeupdate`.
 */
export interface KinestitchPlayer extends HTMLElement {
  play(): void;
  pause(): void;
  readonly paused: boolean;
  /** Seconds from the first frame. */
  currentTime: number;
  /** Seconds from the first frame to the last; 0 before the file is there. */
  readonly duration: number;
  /** The frame shown, from 0. */
  frame: number;
}

declare global {
  interface HTMLElementTagNameMap {
    "kinestitch-player": KinestitchPlayer;
  }
}
