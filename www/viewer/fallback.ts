/**
 * The motion as bones on a 2D canvas until three.js is loaded, and instead of it without WebGL. The camera is the
 * initial one of the 3D view.
 */
import type { App } from "../core/app";
import { heightOf, type DisplayedMotion } from "./poses";
import { drawSketch } from "./sketch";

/** Initial camera of the 3D view, see camera.ts: angles in radians; distance and target height in figure heights. */
const [YAW, PITCH, DISTANCE, MIDDLE] = [0.712, 0.2345, 1.95, 0.52];
const FIELD = (38 * Math.PI) / 180;

/** A 2D canvas in place of the 3D view. */
export class FallbackView {
  readonly #canvas = document.createElement("canvas");
  #isDisposed = false;

  constructor(host: HTMLElement) {
    this.#canvas.setAttribute("role", "img");
    this.#canvas.setAttribute("aria-label", "The motion as moving bones");
    host.prepend(this.#canvas);
  }

  /** Removes the canvas; called when the 3D view replaces it. */
  dispose(): void {
    this.#isDisposed = true;
    this.#canvas.remove();
  }

  /** Draws the current frame; returns whether there was one. */
  draw(app: App): boolean {
    const { a } = this.#isDisposed ? {} : app.mode.displayedMotions();
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const context = a && width > 1 ? this.#canvas.getContext("2d") : null;
    if (!a || !context) return false;
    const ratio = Math.min(2, devicePixelRatio);
    const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.#canvas.width !== pixelWidth || this.#canvas.height !== pixelHeight)
      Object.assign(this.#canvas, { width: pixelWidth, height: pixelHeight });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const figureHeight = heightOf(a.motion);
    const distance = (figureHeight * DISTANCE) / Math.max(0.55, Math.min(1, width / height)) ** 0.6;
    const pixelsPerMetre = height / (2 * Math.tan(FIELD / 2) * distance);
    const [frame] = app.mode.frames();
    drawSketch(
      context,
      a.motion,
      frame,
      {
        width,
        height,
        yaw: YAW,
        pitch: PITCH,
        pixelsPerMetre: pixelsPerMetre,
        groundY: height / 2 + MIDDLE * figureHeight * pixelsPerMetre * Math.cos(PITCH),
        boneWidth: 0.045 * figureHeight * pixelsPerMetre,
      },
      { bones: colorAt(a, frame), ground: getComputedStyle(this.#canvas).color },
    );
    return true;
  }
}

/** The colour of the clip that a frame comes from. */
const colorAt = ({ segments }: DisplayedMotion, frame: number): string =>
  (segments.findLast(({ start }) => start <= frame) ?? segments[0])?.color ?? "#7f9bd6";
