/** Small canvases that each play a short motion. All visible ones are animated by one loop. */
import { rootOf, type Poses } from "./poses";
import { chooseYaw, drawSketch } from "./sketch";

/** Duration that is played before and after the central frame, seconds. */
const MARGIN_SECS = 1.1;
/** Pause before the motion starts again, seconds. */
const PAUSE_SECS = 0.35;

/** A motion, and the frame around which it is played. */
export interface MiniMotion {
  poses: Poses;
  /** Central frame. */
  frame: number;
}

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
const visibleMinis = new Set<Mini>();
let isTicking = false;

function tick(now: number): void {
  for (const mini of visibleMinis) {
    if (mini.element.isConnected) mini.draw(now / 1000);
    else visibleMinis.delete(mini);
  }
  isTicking = visibleMinis.size > 0;
  if (isTicking) requestAnimationFrame(tick);
}

const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    const mini = minis.get(target);
    if (!mini) continue;
    mini.setVisible(isIntersecting);
    if (isIntersecting) visibleMinis.add(mini);
    else visibleMinis.delete(mini);
  }
  if (!isTicking && visibleMinis.size > 0) {
    isTicking = true;
    requestAnimationFrame(tick);
  }
});
const minis = new WeakMap<Element, Mini>();

/** Returns the height of the figure in a frame, metres. */
function figureHeight({ positions, joints, frames }: Poses, frame: number): number {
  const offset = Math.max(0, Math.min(frames - 1, frame)) * joints.length * 3;
  let [minY, maxY] = [Infinity, -Infinity];
  for (let joint = 0; joint < joints.length; joint++) {
    const y = positions[offset + joint * 3 + 1] ?? 0;
    [minY, maxY] = [Math.min(minY, y), Math.max(maxY, y)];
  }
  return Math.max(0.1, maxY - minY);
}

/** Returns the horizontal range of the figure in a frame as a camera sees it, relative to the root, metres. */
function horizontalRange(poses: Poses, frame: number, yaw: number): [number, number] {
  const { positions, joints, frames } = poses;
  const offset = Math.max(0, Math.min(frames - 1, frame)) * joints.length * 3;
  const root = offset + rootOf(poses) * 3;
  let [min, max] = [0, 0];
  for (let joint = 0; joint < joints.length; joint++) {
    const x =
      Math.cos(yaw) * (positions[offset + joint * 3] - positions[root]) -
      Math.sin(yaw) * (positions[offset + joint * 3 + 2] - positions[root + 2]);
    [min, max] = [Math.min(min, x), Math.max(max, x)];
  }
  return [min, max];
}

/** A small canvas that plays a motion repeatedly. */
export class Mini {
  readonly element = document.createElement("canvas");
  /** Called when the canvas becomes visible before a motion was set. */
  onVisible: () => void = () => undefined;
  #motion: MiniMotion | undefined;
  #yaw = 0;
  #figureHeight = 1.8;
  /** See {@link horizontalRange}. */
  #range: [number, number] = [0, 0];
  /** Time, size and colours of the drawn image; empty if it must be drawn again. */
  #drawnKey = "";
  #isVisible = false;

  constructor() {
    this.element.className = "mini";
    this.element.setAttribute("aria-hidden", "true");
    minis.set(this.element, this);
    observer.observe(this.element);
  }

  get isVisible(): boolean {
    return this.#isVisible;
  }

  set(motion: MiniMotion | undefined): void {
    if (motion?.poses === this.#motion?.poses) return;
    this.#motion = motion;
    this.#drawnKey = "";
    if (!motion) return;
    const margin = Math.round(MARGIN_SECS * motion.poses.fps);
    this.#yaw = chooseYaw(motion.poses, motion.frame - margin, motion.frame + margin);
    this.#figureHeight = figureHeight(motion.poses, motion.frame);
    this.#range = horizontalRange(motion.poses, motion.frame, this.#yaw);
  }

  setVisible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    this.#drawnKey = "";
    if (isVisible && !this.#motion) this.onVisible();
  }

  draw(seconds: number): void {
    const motion = this.#motion;
    const context = this.element.getContext("2d");
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!motion || !context || width < 2) return;
    const { poses, frame } = motion;
    const period = 2 * MARGIN_SECS + PAUSE_SECS;
    const time = reducedMotion.matches ? MARGIN_SECS : Math.min(seconds % period, 2 * MARGIN_SECS);
    const shownFrame = frame + (time - MARGIN_SECS) * poses.fps;
    const ratio = Math.min(2, devicePixelRatio);
    const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
    const { color, borderTopColor } = getComputedStyle(this.element);
    // At most thirty images per second. With reduced motion, the time is constant, but size and colours may change.
    const key = [Math.round(time * 30), pixelWidth, pixelHeight, color, borderTopColor].join(" ");
    if (key === this.#drawnKey) return;
    this.#drawnKey = key;
    if (this.element.width !== pixelWidth || this.element.height !== pixelHeight)
      Object.assign(this.element, { width: pixelWidth, height: pixelHeight });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    // An animal is longer than it is tall, and its root is at one end.
    const [left, right] = this.#range;
    const isLong = right - left > this.#figureHeight;
    const heightScale = (height * 0.82) / this.#figureHeight;
    const pixelsPerMetre = isLong ? Math.min(heightScale, (width * 0.86) / (right - left)) : heightScale;
    drawSketch(
      context,
      poses,
      Math.max(0, Math.min(poses.frames - 1, shownFrame)),
      {
        width,
        height,
        rootX: width / 2 - (isLong ? ((left + right) / 2) * pixelsPerMetre : 0),
        yaw: this.#yaw,
        pitch: 0.18,
        pixelsPerMetre,
        groundY: height * 0.92,
        boneWidth: Math.max(1.5, height / 40),
      },
      { bones: color, ground: borderTopColor },
    );
  }
}
