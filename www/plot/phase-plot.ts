/** Plot of the phases of limbs over frames, with a playhead: the SVG of the command line, in the colours of the page. */
import { render } from "lit-html";
import { unsafeHTML } from "lit-html/directives/unsafe-html.js";
import type { LimbPhases } from "kinestitch/worker";
import { phasesMargin, phasesSvg } from "kinestitch/phases-svg";

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

/** Smallest and largest height of a limb's row, pixels. */
const [SMALL, LARGE] = [48, 72];
/** Height of title and axis together, and of the space between two rows, pixels. */
const [FRAME, BETWEEN] = [26, 18];

/** A plot of phases with a playhead. A click calls `seek` with the frame. */
export class PhasePlot {
  readonly element = document.createElement("div");
  #picture = document.createElement("div");
  #playhead = document.createElement("div");
  #data: PhaseData | undefined;
  #drawn = "";
  #seek: (frame: number) => void;

  constructor(seek: (frame: number) => void) {
    this.#seek = seek;
    this.element.className = "phase-plot";
    this.#picture.className = "phase-picture";
    this.#picture.setAttribute("role", "img");
    this.#picture.setAttribute("aria-label", "Phases of limbs over time");
    this.#playhead.className = "plot-playhead";
    this.element.append(this.#picture, this.#playhead);
    new ResizeObserver(() => this.#draw()).observe(this.element);
    this.#picture.addEventListener("pointerdown", (event) => {
      this.#picture.setPointerCapture(event.pointerId);
      this.#go(event);
    });
    this.#picture.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) this.#go(event);
    });
  }

  /** Draws the phases. */
  set(data: PhaseData): void {
    this.#data = data;
    this.#draw();
  }

  /** Moves the playhead. */
  setFrame(frame: number): void {
    if (!this.#data) return;
    const { from, to } = this.#data;
    const share = (frame + 0.5 - from) / Math.max(1, to - from);
    this.#playhead.hidden = share < 0 || share > 1;
    this.#playhead.style.transform = `translateX(${(phasesMargin.left + share * this.#width).toFixed(1)}px)`;
  }

  /** Width of the plot area, without margins, pixels. */
  get #width(): number {
    return Math.max(1, this.element.clientWidth - phasesMargin.left - phasesMargin.right);
  }

  #go(event: PointerEvent): void {
    if (!this.#data) return;
    const { from, to } = this.#data;
    const { left } = this.#picture.getBoundingClientRect();
    this.#seek(Math.floor(from + ((event.clientX - left - phasesMargin.left) / this.#width) * (to - from)));
  }

  #draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!this.#data || width === 0) return;
    const { limbs, from, to } = this.#data;
    const room = (height - FRAME) / Math.max(1, limbs.length) - BETWEEN;
    const limbHeight = Math.round(Math.max(SMALL, Math.min(LARGE, room)));
    const drawn = [keyOf(limbs), from, to, width, limbHeight].join();
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    render(unsafeHTML(phasesSvg(limbs, this.#data, { from, to, width, limbHeight })), this.#picture);
  }
}

const keys = new WeakMap<readonly LimbPhases[], number>();
let serial = 0;

/** Returns a unique number for each list of phases. */
function keyOf(limbs: readonly LimbPhases[]): number {
  const key = keys.get(limbs) ?? ++serial;
  keys.set(limbs, key);
  return key;
}
