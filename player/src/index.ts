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
import type { Clip, MotionData } from "kinestitch";
import "./element.js";

/**
 * The element. Attributes: `src`, `character`, `autoplay`, `loop`, `controls`, `speed`, `label` (for screen readers),
 * `view` ("frame", "front", "side", "top"), `bones` (bones without a body), `theme` ("auto", "light", "dark"). Events:
 * `load`, `error` (with the reason in `detail`), `play`, `pause`, `ended` (after `pause`), `timeupdate`.
 */
export interface KinestitchPlayer extends HTMLElement {
  /**
   * A clip, or a motion as values, bytes or the text of a BVH file. It is shown
   * instead of the file `src`, also on the `character`; `undefined` shows `src` again. The clip stays yours to free.
   */
  clip: Clip | MotionData | Uint8Array | string | null | undefined;
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

/** Properties of the element in JSX that are no attributes. React 19 and later, Preact and Solid set them. */
export interface KinestitchPlayerProperties {
  /** See {@link KinestitchPlayer.clip}. */
  clip?: KinestitchPlayer["clip"];
}

/**
 * Attributes of every HTML element in a framework's JSX: those of `div`, except for names that the element has itself;
 * without a framework, those that all frameworks have.
 */
export type HtmlAttributes<Elements> = Elements extends { div: infer Div }
  ? Omit<Div, keyof KinestitchPlayerJsx>
  : { id?: string; class?: string; className?: string; style?: any; key?: any; ref?: any; children?: any };

/** Attributes and properties of the element in JSX, beside those of every HTML element. */
export interface KinestitchPlayerJsx extends KinestitchPlayerAttributes, KinestitchPlayerProperties {}

declare global {
  interface HTMLElementTagNameMap {
    "kinestitch-player": KinestitchPlayer;
  }
  // Preact, Solid, and React before 19; for React 19 import "kinestitch-player/react".
  namespace JSX {
    interface IntrinsicElements {
      "kinestitch-player": KinestitchPlayerJsx & HtmlAttributes<IntrinsicElements>;
    }
  }
}
