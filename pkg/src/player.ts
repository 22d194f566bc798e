/**
 * Entry `kinestitch/player`: the element `<kinestitch-player>`, a motion in 3D with a bar to play it. Importing it defines the
 * element; everything heavy is fetched when the first player comes near the window.
 *
 * @example
 * ```html
 * <kinestitch-player src="walk.bvh" autoplay loop controls></kinestitch-player>
 * ```
 *
 * In JSX the element has types; React 19 and later, which keeps them in its own module, needs `import "kinestitch/player/react"` instead.
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

/** Attributes of the element, as JSX takes them. */
export interface KinestitchPlayerAttributes {
  /** Address of a BVH, GLB or glTF file. */
  src?: string;
  autoplay?: boolean;
  loop?: boolean;
  controls?: boolean;
  speed?: number | string;
  /** For screen readers. */
  label?: string;
  view?: "frame" | "front" | "side" | "top";
  /** Plain bones. */
  bones?: boolean;
  theme?: "auto" | "light" | "dark";
}

/** What every element takes in JSX, whatever the framework. */
export interface KinestitchPlayerJsx extends KinestitchPlayerAttributes {
  id?: string;
  class?: string;
  className?: string;
  // Types of styles, keys, references and children are the framework's.
  style?: any;
  key?: any;
  ref?: any;
  children?: any;
}

declare global {
  interface HTMLElementTagNameMap {
    "kinestitch-player": KinestitchPlayer;
  }
  // Preact, Solid, and React before 19; for React 19 import "kinestitch/player/react".
  namespace JSX {
    interface IntrinsicElements {
      "kinestitch-player": KinestitchPlayerJsx;
    }
  }
}
