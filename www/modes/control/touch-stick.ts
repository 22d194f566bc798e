/** A stick on the screen. style/control.css shows it where touch is the primary input. */
import { html, type TemplateResult } from "lit-html";
import type { Stick } from "./steering";

/** Largest displacement of the knob, pixels. */
const MAX_DISPLACEMENT = 34;

/** Events that end a touch; the last one also occurs if the touched element is removed. */
const END_EVENTS = ["pointerup", "pointercancel", "lostpointercapture"] as const;

/** Events with which the user leaves the page: `Inputs` then releases keys and stick, and the knob follows. */
const LEAVE_EVENTS = ["blur", "visibilitychange"] as const;

/** A stick on the screen. */
export class TouchStick {
  #deflection: Stick;
  #area: HTMLElement | undefined;
  #pointerId: number | undefined;

  /** Creates a stick that writes its deflection to `deflection`. */
  constructor(deflection: Stick) {
    this.#deflection = deflection;
  }

  view(): TemplateResult {
    return html`<div class="touch-stick" aria-hidden="true" @pointerdown=${this.#begin} @pointermove=${this.#move}>
      <i></i></div>`;
  }

  #begin = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    // While the first finger is down, a second one is ignored.
    if (this.#pointerId !== undefined && this.#area?.hasPointerCapture(this.#pointerId)) return;
    this.#pointerId = event.pointerId;
    this.#area = event.currentTarget as HTMLElement;
    this.#area.setPointerCapture(event.pointerId);
    // The listeners are on the window: if another finger selects a character that is not loaded, the area is removed
    // during the touch and would not receive the event that ends the touch.
    for (const type of END_EVENTS) window.addEventListener(type, this.#onEnd);
    for (const type of LEAVE_EVENTS) window.addEventListener(type, this.#end);
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
    Object.assign(this.#deflection, { right, forward });
    const knob = this.#area?.firstElementChild as HTMLElement | null | undefined;
    if (knob)
      knob.style.transform = `translate(${(right * MAX_DISPLACEMENT).toFixed(0)}px, ${(-forward * MAX_DISPLACEMENT).toFixed(0)}px)`;
  }

  #onEnd = (event: PointerEvent): void => {
    if (event.pointerId !== this.#pointerId) return;
    // Browsers let the touched element capture a touch, here perhaps the knob. `setPointerCapture` moves the capture to
    // the area, and the knob's `lostpointercapture` is not the end of the touch.
    if (event.type === "lostpointercapture" && this.#area?.hasPointerCapture(event.pointerId)) return;
    this.#end();
  };

  #end = (): void => {
    for (const type of END_EVENTS) window.removeEventListener(type, this.#onEnd);
    for (const type of LEAVE_EVENTS) window.removeEventListener(type, this.#end);
    this.#pointerId = undefined;
    this.#deflect(0, 0);
  };
}
