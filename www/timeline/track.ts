/** The common elements of timelines: ruler, playhead and zoom. Each mode adds its own lanes below the ruler. */
import { html, nothing, type TemplateResult } from "lit-html";
import { clockTime } from "../core/format";
import type { Playback } from "../core/playback";
import { styled } from "../ui/style-directive";
import { ticks } from "./ticks";

/** Widths of the track, as multiples of the visible width. */
const ZOOMS = [1, 2, 4, 8, 16, 32];

/** A zoomable track with ruler and playhead. */
export class Track {
  #clock: Playback;
  #onChange: () => void;
  #zoom = 1;
  #frames = 1;

  constructor(clock: Playback, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get element(): HTMLElement | null {
    return document.querySelector<HTMLElement>(".timeline .track");
  }

  /** Width of the whole track, also outside the visible part, pixels. */
  get width(): number {
    return this.element?.clientWidth ?? 900;
  }

  /** Frames of the whole track. */
  get frames(): number {
    return this.#frames;
  }

  /** Returns a number of frames as a percentage of the track, for the CSS properties `left` and `width`. */
  percent(frame: number): string {
    return `${((100 * frame) / this.#frames).toFixed(3)}%`;
  }

  /** Sets the number of frames of the track; call it before `percent`. */
  fit(frames: number): void {
    this.#frames = Math.max(1, frames);
  }

  /** Renders the track. `below`: contents below the lanes, on the same scale. */
  view(lanes: TemplateResult, below: TemplateResult | typeof nothing = nothing): TemplateResult {
    const { range, shownFrame } = this.#clock;
    return html`<div class="timeline-scroll" @wheel=${this.#wheel}>
      <div class="track" ${styled({ width: `${this.#zoom * 100}%` })}>
        <div class="ruler" role="slider" tabindex="0" aria-label="Playhead" aria-valuemin="1" aria-valuemax=${this.#frames}
            aria-valuenow=${shownFrame + 1} aria-valuetext=${this.#valueText}
            @pointerdown=${this.#scrub} @pointermove=${this.#scrubMove}>
          ${ticks(this.#frames, Math.max(2, Math.floor(this.width / 70))).map(
            (frame) => html`<span class="tick" ${styled({ left: this.percent(frame) })}>${frame + 1}</span>`,
          )}
          ${
            range
              ? html`<span class="range" ${styled({ left: this.percent(range.from), width: this.percent(range.to - range.from) })}></span>`
              : nothing
          }
        </div>
        ${lanes}${below}
        <div class="playhead" aria-hidden="true"></div>
      </div>
    </div>`;
  }

  /** Stops playback and shows a frame. */
  goTo(frame: number): void {
    this.#clock.play(false);
    this.#clock.seek(frame);
  }

  /** Returns the frame under the pointer. */
  frameAt(event: PointerEvent): number {
    const box = this.element?.getBoundingClientRect();
    return box ? Math.round(((event.clientX - box.left) / box.width) * this.#frames - 0.5) : 0;
  }

  #scrub = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    this.goTo(this.frameAt(event));
  };

  #scrubMove = (event: PointerEvent): void => {
    const isDragged = (event.currentTarget as HTMLElement).hasPointerCapture(event.pointerId);
    if (isDragged) this.#clock.seek(this.frameAt(event));
  };

  #wheel = (event: WheelEvent): void => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey) return;
    event.preventDefault();
    if (event.deltaY !== 0) this.zoom(event.deltaY < 0 ? 1 : -1);
  };

  /** Whether the track can be zoomed in and out further. */
  get zoomLimits(): { canIn: boolean; canOut: boolean } {
    return { canIn: this.#zoom < (ZOOMS.at(-1) ?? 1), canOut: this.#zoom > 1 };
  }

  /** Zooms one level in (1) or out (-1), and centres the playhead. */
  zoom(step: 1 | -1): void {
    const level = ZOOMS.indexOf(this.#zoom) + step;
    this.#zoom = ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, level))] ?? 1;
    this.#onChange();
    requestAnimationFrame(() => {
      const scroll = this.element?.parentElement;
      if (scroll)
        scroll.scrollLeft = ((this.#clock.frame + 0.5) / this.#frames) * scroll.scrollWidth - scroll.clientWidth / 2;
    });
  }

  /** Moves the playhead to the current frame, without rendering the timeline. */
  onFrame(): void {
    const { frame, shownFrame } = this.#clock;
    const track = this.element;
    if (!track) return;
    const playhead = track.querySelector<HTMLElement>(".playhead");
    if (playhead) playhead.style.left = this.percent(frame + 0.5);
    const ruler = track.querySelector(".ruler");
    ruler?.setAttribute("aria-valuenow", String(shownFrame + 1));
    ruler?.setAttribute("aria-valuetext", this.#valueText);
  }

  /** Position of the playhead for screen readers, such as "Frame 12, 0:00.37". */
  get #valueText(): string {
    const { shownFrame, fps } = this.#clock;
    return `Frame ${shownFrame + 1}, ${clockTime(shownFrame / fps)}`;
  }
}
