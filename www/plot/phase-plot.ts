/** Plot of the phases of limbs over frames, with a playhead: the SVG of `kinestitch phases`, in the page's colours. */
import { render } from "lit-html";
import { unsafeHTML } from "lit-html/directives/unsafe-html.js";
import type { LimbPhases } from "kinestitch/worker";
import { phasesMargin, phasesSvg } from "kinestitch/phases-svg";

export { phasesSvg };

/** Phases of a motion, and the range to draw. */
export interface PhaseData {
  name: string;
  frames: number;
  fps: number;
  limbs: readonly LimbPhases[];
  /** Frames shown: [from, to). */
  from: number;
  to: number;
}

/** Smallest and largest height of the row of a limb, pixels. */
const [MIN_ROW, MAX_ROW] = [48, 72];
/** Height of top margin and time axis together, and of the space below each row, pixels, as in `phasesSvg`. */
const [MARGIN_AND_AXIS, ROW_GAP] = [26, 18];

/** A plot of phases with a playhead. Clicking or dragging calls `seek` with the frame under the pointer. */
export class PhasePlot {
  readonly element = document.createElement("div");
  #image = document.createElement("div");
  #playhead = document.createElement("div");
  #data: PhaseData | undefined;
  #frame = 0;
  /** Identifies the phases, range and size that are drawn, to draw them only once. */
  #drawnKey = "";
  #seek: (frame: number) => void;

  constructor(seek: (frame: number) => void) {
    this.#seek = seek;
    this.element.className = "phase-plot";
    this.#image.className = "phase-picture";
    this.#image.setAttribute("role", "img");
    this.#image.setAttribute("aria-label", "Phases of limbs over time");
    this.#playhead.className = "plot-playhead";
    this.element.append(this.#image, this.#playhead);
    new ResizeObserver(() => {
      this.#draw();
      this.setFrame(this.#frame);
    }).observe(this.element);
    this.#image.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.#image.setPointerCapture(event.pointerId);
      this.#seekTo(event);
    });
    this.#image.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) this.#seekTo(event);
    });
  }

  /** Draws the phases. */
  set(data: PhaseData): void {
    this.#data = data;
    this.#draw();
  }

  /** Moves the playhead. */
  setFrame(frame: number): void {
    this.#frame = frame;
    if (!this.#data) return;
    const { from, to } = this.#data;
    const fraction = (frame + 0.5 - from) / Math.max(1, to - from);
    this.#playhead.hidden = fraction < 0 || fraction > 1;
    this.#playhead.style.transform = `translateX(${(phasesMargin.left + fraction * this.#width).toFixed(1)}px)`;
  }

  /** Width of the plot area, without margins, pixels. */
  get #width(): number {
    return Math.max(1, this.element.clientWidth - phasesMargin.left - phasesMargin.right);
  }

  #seekTo(event: PointerEvent): void {
    if (!this.#data) return;
    const { from, to } = this.#data;
    const { left } = this.#image.getBoundingClientRect();
    this.#seek(Math.floor(from + ((event.clientX - left - phasesMargin.left) / this.#width) * (to - from)));
  }

  #draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!this.#data || width === 0) return;
    const { limbs, from, to } = this.#data;
    const available = (height - MARGIN_AND_AXIS) / Math.max(1, limbs.length) - ROW_GAP;
    const limbHeight = Math.round(Math.max(MIN_ROW, Math.min(MAX_ROW, available)));
    const key = [keyOf(limbs), from, to, width, limbHeight].join();
    if (key === this.#drawnKey) return;
    this.#drawnKey = key;
    render(unsafeHTML(phasesSvg(limbs, this.#data, { from, to, width, limbHeight })), this.#image);
  }
}

const keysByLimbs = new WeakMap<readonly LimbPhases[], number>();
let serial = 0;

/** Returns a unique number for each list of phases. */
function keyOf(limbs: readonly LimbPhases[]): number {
  const key = keysByLimbs.get(limbs) ?? ++serial;
  keysByLimbs.set(limbs, key);
  return key;
}
