/**
 * Draws the motion as a stick figure on a 2D canvas while three.js is being loaded, or permanently if the browser has
 * no WebGL. The camera has the initial view of the 3D view, and does not orbit.
 */
import type { App } from "../core/app";
import { FIELD_OF_VIEW, INITIAL_DIRECTION, initialDistance, TARGET_HEIGHT } from "./initial-view";
import { heightOf, type DisplayedMotion } from "./poses";
import { drawSketch } from "./sketch";

/** Yaw and pitch of the initial view, radians. */
const YAW = Math.atan2(INITIAL_DIRECTION[0], INITIAL_DIRECTION[2]);
const PITCH = Math.atan2(INITIAL_DIRECTION[1], Math.hypot(INITIAL_DIRECTION[0], INITIAL_DIRECTION[2]));
/** Width of bones, as a fraction of the figure's height. */
const BONE_WIDTH = 0.045;
/** Colour of a motion without segments. */
const PLAIN_COLOR = "#7f9bd6";

/** A 2D view of the current motion, which replaces the 3D view. */
export class FallbackView {
  readonly #canvas = document.createElement("canvas");
  #isDisposed = false;

  constructor(host: HTMLElement) {
    this.#canvas.setAttribute("role", "img");
    this.#canvas.setAttribute("aria-label", "The motion as moving bones");
    host.prepend(this.#canvas);
  }

  /** Removes the canvas. Called when the 3D view takes over. */
  dispose(): void {
    this.#isDisposed = true;
    this.#canvas.remove();
  }

  /**
   * Draws the current frame of side a; without a motion, clears the canvas. Returns false if there is no motion, or if
   * the canvas cannot be drawn on.
   */
  draw(app: App): boolean {
    if (this.#isDisposed) return false;
    const displayed = app.mode.stageContents().a;
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    // A canvas of no width shows nothing; the next drawing sets the size again.
    if (!displayed) this.#canvas.width = 0;
    if (!displayed || width <= 1) return false;
    const context = this.#canvas.getContext("2d");
    if (!context) return false;
    const ratio = Math.min(2, devicePixelRatio);
    const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.#canvas.width !== pixelWidth || this.#canvas.height !== pixelHeight)
      Object.assign(this.#canvas, { width: pixelWidth, height: pixelHeight });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const figureHeight = heightOf(displayed.motion);
    const distance = figureHeight * initialDistance(width / height);
    const pixelsPerMetre = height / (2 * Math.tan((FIELD_OF_VIEW * Math.PI) / 360) * distance);
    const [frame] = app.mode.frames();
    drawSketch(
      context,
      displayed.motion,
      frame,
      {
        width,
        height,
        rootX: width / 2,
        yaw: YAW,
        pitch: PITCH,
        pixelsPerMetre,
        groundY: height / 2 + TARGET_HEIGHT * figureHeight * pixelsPerMetre * Math.cos(PITCH),
        boneWidth: BONE_WIDTH * figureHeight * pixelsPerMetre,
      },
      { bones: colorAt(displayed, frame), ground: getComputedStyle(this.#canvas).color },
    );
    return true;
  }
}

/** Returns the colour of the clip that a frame comes from. */
const colorAt = ({ segments }: DisplayedMotion, frame: number): string =>
  (segments.findLast(({ start }) => start <= frame) ?? segments[0])?.color ?? PLAIN_COLOR;
