/** Small moving figures: canvases that are animated together, while visible. */
import type { Poses } from "./poses";
import { bestYaw, drawSketch } from "./sketch";

/** Duration of motion on both sides of the middle, seconds. */
const AROUND_SECS = 1.1;
/** Pause at the end of each round, seconds. */
const REST_SECS = 0.35;

/** A motion around one of its frames. */
export interface MiniMotion {
  poses: Poses;
  /** Frame of the middle. */
  frame: number;
}

const still = matchMedia("(prefers-reduced-motion: reduce)");
const shown = new Set<Mini>();
let ticking = false;

function tick(now: number): void {
  for (const mini of shown) {
    if (mini.element.isConnected) mini.draw(now / 1000);
    else shown.delete(mini);
  }
  ticking = shown.size > 0;
  if (ticking) requestAnimationFrame(tick);
}

const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    const mini = minis.get(target);
    if (!mini) continue;
    mini.visible(isIntersecting);
    if (isIntersecting) shown.add(mini);
    else shown.delete(mini);
  }
  if (!ticking && shown.size > 0) {
    ticking = true;
    requestAnimationFrame(tick);
  }
});
const minis = new WeakMap<Element, Mini>();

/** Height of the figure in a frame, metres. */
function extent({ positions, joints, frames }: Poses, frame: number): number {
  const base = Math.max(0, Math.min(frames - 1, frame)) * joints.length * 3;
  let [low, high] = [Infinity, -Infinity];
  for (let joint = 0; joint < joints.length; joint++) {
    const y = positions[base + joint * 3 + 1] ?? 0;
    [low, high] = [Math.min(low, y), Math.max(high, y)];
  }
  return Math.max(0.1, high - low);
}

/** A small canvas that plays a motion repeatedly. */
export class Mini {
  readonly element = document.createElement("canvas");
  /** Called when it becomes visible without a motion. */
  onWanted: () => void = () => undefined;
  #motion: MiniMotion | undefined;
  #yaw = 0;
  #tall = 1.8;
  #drawn = -1;
  #isVisible = false;

  constructor() {
    this.element.className = "mini";
    this.element.setAttribute("aria-hidden", "true");
    minis.set(this.element, this);
    seen.observe(this.element);
  }

  get isVisible(): boolean {
    return this.#isVisible;
  }

  set(motion: MiniMotion | undefined): void {
    if (motion?.poses === this.#motion?.poses) return;
    this.#motion = motion;
    this.#drawn = -1;
    if (!motion) return;
    const reach = Math.round(AROUND_SECS * motion.poses.fps);
    this.#yaw = bestYaw(motion.poses, motion.frame - reach, motion.frame + reach);
    this.#tall = extent(motion.poses, motion.frame);
  }

  visible(now: boolean): void {
    this.#isVisible = now;
    this.#drawn = -1;
    if (now && !this.#motion) this.onWanted();
  }

  draw(seconds: number): void {
    const motion = this.#motion;
    const context = this.element.getContext("2d");
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!motion || !context || width < 2) return;
    const { poses, frame } = motion;
    const round = 2 * AROUND_SECS + REST_SECS;
    const at = still.matches ? AROUND_SECS : Math.min(seconds % round, 2 * AROUND_SECS);
    const shownFrame = frame + (at - AROUND_SECS) * poses.fps;
    // Thirty pictures a second are enough.
    const step = Math.round(at * 30);
    if (step === this.#drawn) return;
    this.#drawn = step;
    const ratio = Math.min(2, devicePixelRatio);
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.element.width !== wide || this.element.height !== high)
      Object.assign(this.element, { width: wide, height: high });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(this.element);
    drawSketch(
      context,
      poses,
      Math.max(0, Math.min(poses.frames - 1, shownFrame)),
      {
        width,
        height,
        yaw: this.#yaw,
        pitch: 0.18,
        size: (height * 0.82) / this.#tall,
        floor: height * 0.92,
        bone: Math.max(1.5, height / 40),
      },
      { bone: style.color, ground: style.borderTopColor },
    );
  }
}
