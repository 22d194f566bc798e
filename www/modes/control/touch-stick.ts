/** A stick for touch screens. */
import { html, type TemplateResult } from "lit-html";
import type { Stick } from "./steering";

/** Pixels that the knob goes to each side. */
const REACH = 34;

/** A stick on the screen. */
export class TouchStick {
  #stick: Stick;
  #finger: number | undefined;

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
    this.#finger = event.pointerId;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    this.#move(event);
  };

  #move = (event: PointerEvent): void => {
    if (event.pointerId !== this.#finger) return;
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const [x, y] = [
      (event.clientX - box.left - box.width / 2) / (box.width / 2),
      (event.clientY - box.top - box.height / 2) / (box.height / 2),
    ];
    const length = Math.max(1, Math.hypot(x, y));
    this.#push(event, x / length, -y / length);
  };

  /** Without a new render, because touches move often. */
  #push(event: PointerEvent, right: number, forward: number): void {
    Object.assign(this.#stick, { right, forward });
    const knob = (event.currentTarget as HTMLElement).firstElementChild as HTMLElement | null;
    if (knob) knob.style.transform = `translate(${(right * REACH).toFixed(0)}px, ${(-forward * REACH).toFixed(0)}px)`;
  }

  #end = (event: PointerEvent): void => {
    if (event.pointerId !== this.#finger) return;
    this.#finger = undefined;
    this.#push(event, 0, 0);
  };
}
