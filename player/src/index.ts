/**
 * Entry point `kinestitch-player`: the element `<kinestitch-player>`, which shows a motion in 3D with playback
 * controls. Importing it defines the element; everything else is loaded when the first player comes near the viewport.
 *
 * @example
 * ```html
 * <kinestitch-player src="walk.bvh" autoplay loop controls></kinestitch-player>
 * ```
 *
 * The element has JSX types; for React 19 and later, which has its own JSX module, import "kinestitch-player/react"
 * instead.
 * @module kinestitch-player
 */
import "./element.js";

/**
 * The element. Attributes: `src`, `character`, `autoplay`, `loop`, `controls`, `speed`, `label` (for screen readers),
 * `view` ("frame", "front", "side", "top"), `bones` (bones without a body), `theme` ("auto", "light", "dark"). Events:
 * `load`, `error` (with the reason in `detail`), `play`, `pause`, `ended` (after `pause`), `timeupdate`.
 */
export interface KinestitchPlayer extends HTMLElement {
  /** Starts playback at the current frame. */
  play(): void;
  /** Stops playback at the current frame. */
  pause(): void;
  /** Whether playback is stopped. */
  readonly paused: boolean;
  /** Time of the current frame, seconds from the first frame. */
  currentTime: number;
  /** Time from the first frame to the last frame, seconds; 0 before the file is loaded. */
  readonly duration: number;
  /** Index of the current frame, from 0. */
  frame: number;
}

/** Attributes of the element in JSX. */
export interface KinestitchPlayerAttributes {
  /** URL of a BVH, GLB or glTF file. */
  src?: string;
  /** URL of a GLB, VRM or FBX file with a skin: a body that replaces the default figure. */
  character?: string;
  /** Starts playback when the file is loaded, unless the visitor's system is set to reduced motion. */
  autoplay?: boolean;
  /** Starts again when the motion ends. */
  loop?: boolean;
  /** Shows a bar with a play button and a timeline. */
  controls?: boolean;
  /** Playback speed, relative to the speed of the file, above 0; default 1. */
  speed?: number | string;
  /** Description of the motion for screen readers. */
  label?: string;
  /** Direction of the camera; default "frame", which shows the whole motion. */
  view?: "frame" | "front" | "side" | "top";
  /** Shows bones without a body. */
  bones?: boolean;
  /** Colours; default "auto": as set in the visitor's system. */
  theme?: "auto" | "light" | "dark";
}

/** Common JSX attributes of elements in all frameworks. */
export interface KinestitchPlayerJsx extends KinestitchPlayerAttributes {
  /** Id of the element. */
  id?: string;
  /** CSS classes; most frameworks use this name. */
  class?: string;
  /** CSS classes; React uses this name. */
  className?: string;

  /** CSS styles; the type depends on the framework. */
  style?: any;
  /** Key of the element in a list. */
  key?: any;
  /** Reference to the element. */
  ref?: any;
  /** Content, which the element does not show. */
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
