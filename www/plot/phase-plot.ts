/**
 * Plot of the phases of limbs over frames: the picture of `kinestitch phases`, in the page's colours, with a playhead.
 */
import { render } from "lit-html";
import { unsafeHTML } from "lit-html/directives/unsafe-html.js";
import type { LimbPhases } from "kinestitch/worker";
import { phasesMargin, phasesSvg } from "kinestitch/phases-svg";
import { identityOf } from "../core/ids";

/** Exported for the panel, which saves the picture: so it needs no other module that is loaded later. */
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
const [MIN_LIMB_HEIGHT, MAX_LIMB_HEIGHT] = [48, 72];
/** Heights in the picture of `phasesSvg`, pixels: top margin plus time axis; space below each row. */
const [MARGIN_AND_AXIS, ROW_GAP] = [26, 18];

/** A plot of phases with a playhead. Clicking or dragging calls `seek` with the frame under the pointer. */
export class PhasePlot {
  readonly element = document.createElement("div");
  #image = document.createElement("div");
  #playhead = document.createElement("div");
  #data: PhaseData | undefined;
  /** Data of the last call of {@link set}; during a drag, its range may differ from that of `#data`. */
  #newestData: PhaseData | undefined;
  #frame = 0;
  /** The pointer that last dragged the playhead. */
  #pointerId: number | undefined;
  /** Identifies the phases, name, range and size that are drawn, to draw them only once. */
  #drawnKey = "";
  #seek: (frame: number) => void;

  constructor(seek: (frame: number) => void) {
    this.#seek = seek;
    this.element.className = "phase-plot";
    this.#image.className = "phase-picture";
    this.#image.setAttribute("role", "img");
    this.#image.setAttribute("aria-label", "Phases of limbs over time");
    this.#playhead.className = "plot-playhead";
    // The playhead scrolls with the picture, and has its height.
    const content = document.createElement("div");
    content.className = "phase-content";
    content.append(this.#image, this.#playhead);
    this.element.append(content);
    new ResizeObserver(() => {
      this.#draw();
      this.setFrame(this.#frame);
    }).observe(this.element);
    this.#image.addEventListener("pointerdown", (event) => {
      const fraction = this.#fractionAt(event);
      if (event.button !== 0 || fraction < 0 || fraction > 1) return;
      this.#image.setPointerCapture(event.pointerId);
      this.#pointerId = event.pointerId;
      this.#seekTo(event);
    });
    this.#image.addEventListener("pointermove", (event) => {
      if (event.pointerId === this.#pointerId && this.#isDragged) this.#seekTo(event);
    });
    this.#image.addEventListener("lostpointercapture", (event) => {
      // Browsers let the touched element capture a touch, here a part of the picture, which then loses it to the picture.
      if (event.pointerId !== this.#pointerId || this.#isDragged) return;
      this.#pointerId = undefined;
      if (this.#newestData) this.set(this.#newestData);
      this.setFrame(this.#frame);
    });
  }

  /** Whether the pointer drags the playhead. A plot that is removed from the page loses the pointer without an event. */
  get #isDragged(): boolean {
    return this.#pointerId !== undefined && this.#image.hasPointerCapture(this.#pointerId);
  }

  /** Draws the phases. During a drag, the range of the same phases does not change under the pointer. */
  set(data: PhaseData): void {
    const { limbs, from, to } = this.#data ?? data;
    this.#newestData = data;
    this.#data = this.#isDragged && limbs === data.limbs ? { ...data, from, to } : data;
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

  /** Returns the position of the pointer in the plotted range, 0 to 1 in the plot area. */
  #fractionAt({ clientX }: PointerEvent): number {
    return (clientX - this.#image.getBoundingClientRect().left - phasesMargin.left) / this.#width;
  }

  /** Seeks to the frame under the pointer, or the nearest plotted frame. */
  #seekTo(event: PointerEvent): void {
    if (!this.#data) return;
    const { from, to } = this.#data;
    const frame = Math.floor(from + this.#fractionAt(event) * (to - from));
    this.#seek(Math.max(from, Math.min(to - 1, frame)));
  }

  #draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!this.#data || width === 0) return;
    const { limbs, name, from, to } = this.#data;
    const availableHeight = (height - MARGIN_AND_AXIS) / Math.max(1, limbs.length) - ROW_GAP;
    const limbHeight = Math.round(Math.max(MIN_LIMB_HEIGHT, Math.min(MAX_LIMB_HEIGHT, availableHeight)));
    const key = [identityOf(limbs), name, from, to, width, limbHeight].join();
    if (key === this.#drawnKey) return;
    this.#drawnKey = key;
    render(unsafeHTML(phasesSvg(limbs, this.#data, { from, to, width, limbHeight })), this.#image);
  }
}
