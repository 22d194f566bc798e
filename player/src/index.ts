/**
 * Entry `kinestitch-player`: the element `<kinestitch-player>`, a motion in 3D with playback controls. Importing it
 * defines the element; everything else is loaded when the first player comes near the viewport.
 *
 * @example
 * ```html
 * <kinestitch-player src="walk.bvh" autoplay loop controls></kinestitch-player>
 * ```
 *
 * The element has JSX types; React 19 and later, with its own JSX module, needs `import "kinestitch-player/react"`
 * instead.
 * @module kinestitch-player
 */
import "./element.js";

/**
 * The element. Attributes: `src`, `character`, `autoplay`, `loop`, `controls`, `speed`, `label` (for screen readers),
 * `view` ("frame", "front", "side", "top"), `bones` (bones without a body), `theme` ("auto", "light", "dark"). Events:
 * `load`, `error` (with the reason in `detail`), `play`, `pause`, `ended`, `timeupdate`.
 */
export interface KinestitchPlayer extends HTMLElement {
  /** Plays from the frame that is shown. */
  play(): void;
  /** Stops at the frame that is shown. */
  pause(): void;
  /** Whether it stands still. */
  readonly paused: boolean;
  /** Seconds from the first frame. */
  currentTime: number;
  /** Seconds from the first frame to the last; 0 before the file is loaded. */
  readonly duration: number;
  /** The frame shown, from 0. */
  frame: number;
}

/** Attributes of the element in JSX. */
export interface KinestitchPlayerAttributes {
  /** Address of a BVH, GLB or glTF file. */
  src?: string;
  /** Address of a GLB, VRM or FBX file with a skin: a body that replaces the figure. */
  character?: string;
  /** Plays when loaded, unless the visitor asked for less motion. */
  autoplay?: boolean;
  /** Starts again at the end. */
  loop?: boolean;
  /** Shows a bar to play and scrub. */
  controls?: boolean;
  /** 1 (default) is the speed of the file. */
  speed?: number | string;
  /** Label for screen readers. */
  label?: string;
  /** Direction of the camera; default "frame", which shows the whole motion. */
  view?: "frame" | "front" | "side" | "top";
  /** Shows bones without a body. */
  bones?: boolean;
  /** Colours; default "auto", as the visitor's system. */
  theme?: "auto" | "light" | "dark";
}

/** Common JSX attributes of elements in all frameworks. */
export interface KinestitchPlayerJsx extends KinestitchPlayerAttributes {
  /** Id of the element. */
  id?: string;
  /** Classes, as most frameworks write them. */
  class?: string;
  /** Classes, as React writes them. */
  className?: string;

  /** Styles; their type is the framework's. */
  style?: any;
  /** Key in a list. */
  key?: any;
  /** Reference to the element. */
  ref?: any;
  /** Content; the element shows none. */
  children?: any;
}

declare global {
  interface HTMLElementTagNameMap {
    "kinestitch-player": KinestitchPlayer;
  }
  // Preact, Solid, and React before 19; for React 19 import "kinestitch-player/react".
  namespace JSX {
    interface IntrinsicElements {
      "kinestitch-player": KinestitchPlayerJsx;
    }
  }
}
