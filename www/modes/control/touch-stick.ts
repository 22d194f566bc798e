/** A stick for touch screens. */
import { html, type TemplateResult } from "lit-html";
import type { Stick } from "./steering";

/** Largest displacement of the knob, pixels. */
const MAX_DISPLACEMENT = 34;

/** Events that end a touch; the last one also occurs if the touched element is removed. */
const END_EVENTS = ["pointerup", "pointercancel", "lostpointercapture"] as const;

/** A stick on the screen. */
export class TouchStick {
  #stick: Stick;
  #area: HTMLElement | undefined;
  #pointerId: number | undefined;

  /** `stick` receives the deflection. */
  constructor(stick: Stick) {
    this.#stick = stick;
  }

  view(): TemplateResult {
    return html`<div class="touch-stick" aria-hidden="true" @pointerdown=${this.#begin} @pointermove=${this.#move}>
      <i></i></div>`;
  }

  #begin = (event: PointerEvent): void => {
    // A second finger does not replace the first one while that is down.
    if (this.#pointerId !== undefined && this.#area?.hasPointerCapture(this.#pointerId)) return;
    this.#pointerId = event.pointerId;
    this.#area = event.currentTarget as HTMLElement;
    this.#area.setPointerCapture(event.pointerId);
    // The listeners are on the window: if another finger selects a character that is not loaded, the area is removed
    // during the touch and would not receive the event.
    for (const type of END_EVENTS) window.addEventListener(type, this.#end);
    this.#move(event);
  };

  #move = (event: PointerEvent): void => {
    if (event.pointerId !== this.#pointerId || !this.#area) return;
    const box = this.#area.getBoundingClientRect();
    const [x, y] = [
      (event.clientX - box.left - box.width / 2) / (box.width / 2),
      (event.clientY - box.top - box.height / 2) / (box.height / 2),
    ];
    const divisor = Math.max(1, Math.hypot(x, y));
    this.#deflect(x / divisor, -y / divisor);
  };

  /** Sets the deflection and moves the knob, without a new render: touches move often. */
  #deflect(right: number, forward: number): void {
    Object.assign(this.#stick, { right, forward });
    const knob = this.#area?.firstElementChild as HTMLElement | null | undefined;
    if (knob)
      knob.style.transform = `translate(${(right * MAX_DISPLACEMENT).toFixed(0)}px, ${(-forward * MAX_DISPLACEMENT).toFixed(0)}px)`;
  }

  #end = (event: PointerEvent): void => {
    if (event.pointerId !== this.#pointerId) return;
    // A touch that begins on the knob is first captured by the knob. When the area takes over the capture, the knob
    // loses it; this is not the end of the touch.
    if (event.type === "lostpointercapture" && this.#area?.hasPointerCapture(event.pointerId)) return;
    for (const type of END_EVENTS) window.removeEventListener(type, this.#end);
    this.#pointerId = undefined;
    this.#deflect(0, 0);
  };
}
