/** A stick for touch screens. */
import { html, type TemplateResult } from "lit-html";
import type { Stick } from "./steering";

/** Largest displacement of the knob, pixels. */
const MAX_DISPLACEMENT = 34;

/** A stick on the screen. */
export class TouchStick {
  #stick: Stick;
  #pointerId: number | undefined;

  /** `stick` receives the deflection. */
  constructor(stick: Stick) {
    this.#stick = stick;
  }

  view(): TemplateResult {
    return html`<div class="touch-stick" aria-hidden="true" @pointerdown=${this.#begin} @pointermove=${this.#move}
      @pointerup=${this.#end} @pointercancel=${this.#end}>
      <i></i></div>`;
  }

  #begin = (event: PointerEvent): void => {
    this.#pointerId = event.pointerId;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    this.#move(event);
  };

  #move = (event: PointerEvent): void => {
    if (event.pointerId !== this.#pointerId) return;
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const [x, y] = [
      (event.clientX - box.left - box.width / 2) / (box.width / 2),
      (event.clientY - box.top - box.height / 2) / (box.height / 2),
    ];
    const length = Math.max(1, Math.hypot(x, y));
    this.#deflect(event, x / length, -y / length);
  };

  /** Sets the deflection and moves the knob, without a new render: touches move often. */
  #deflect(event: PointerEvent, right: number, forward: number): void {
    Object.assign(this.#stick, { right, forward });
    const knob = (event.currentTarget as HTMLElement).firstElementChild as HTMLElement | null;
    if (knob)
      knob.style.transform = `translate(${(right * MAX_DISPLACEMENT).toFixed(0)}px, ${(-forward * MAX_DISPLACEMENT).toFixed(0)}px)`;
  }

  #end = (event: PointerEvent): void => {
    if (event.pointerId !== this.#pointerId) return;
    this.#pointerId = undefined;
    this.#deflect(event, 0, 0);
  };
}
