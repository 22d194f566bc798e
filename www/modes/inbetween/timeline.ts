/** The timeline: keys as blocks, gaps as ranges with a handle at their end. */
import { html, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import { repeat } from "lit-html/directives/repeat.js";
import { arrowFrames } from "../../timeline/arrow-keys";
import { followPointer } from "../../timeline/follow-pointer";
import { naturalLane } from "../../timeline/natural";
import { styled } from "../../ui/style-directive";
import { clipColor } from "../../viewer/palette";
import { MAX_GAP, MIN_GAP, setGap, shiftKey, type Key } from "./document";
import type { Inbetween } from "./inbetween";

/** Distance from which a press on a key becomes a drag, pixels. */
const DRAG_THRESHOLD = 4;

interface Layout {
  /** First frame and number of frames of each key. */
  keys: { start: number; length: number }[];
  frames: number;
}

/** The timeline of the mode. */
export class Timeline {
  #mode: Inbetween;
  /** Number of frames of the track during a drag, so that its scale stays constant. */
  #fixedFrames: number | undefined;

  constructor(mode: Inbetween) {
    this.#mode = mode;
  }

  /** Lays out the keys and gaps of the document, which may be newer than the motion. */
  #layOut(): Layout {
    const mode = this.#mode;
    const { keys, gaps } = mode.document;
    const fps = mode.result.solved?.motion.fps ?? mode.sourceOf(keys[0])?.info?.fps ?? 30;
    let nextStart = 0;
    const keyRanges = keys.map((key, i) => {
      const sourceFps = mode.sourceOf(key)?.info?.fps ?? fps;
      const length = Math.floor(((key.to - key.from - 1) * fps) / sourceFps + 1e-6) + 1;
      const start = nextStart;
      nextStart = start + length + (gaps[i] ?? 0);
      return { start, length };
    });
    return { keys: keyRanges, frames: Math.max(1, nextStart) };
  }

  view(): TemplateResult {
    const mode = this.#mode;
    const { track, document } = mode;
    const layout = this.#layOut();
    track.fit(Math.max(layout.frames, this.#fixedFrames ?? 1));
    return track.view(
      html`<div class="lanes keys" @pointerdown=${this.#background}>
      ${document.gaps.map((gap, i) => this.#gap(gap, i, layout))}
      ${repeat(
        document.keys,
        ({ id }) => id,
        (key, i) => this.#key(key, i, layout),
      )}
    </div>`,
      naturalLane(mode.app, mode.dragging ? undefined : mode.clip, track.frames, (frame) => track.goTo(frame)),
    );
  }

  #key(key: Key, index: number, layout: Layout): TemplateResult {
    const mode = this.#mode;
    const { start = 0, length = 1 } = layout.keys[index] ?? {};
    const name = mode.sourceOf(key)?.name ?? "";
    const selected = mode.selected === key.id;
    return html`<div class=${classMap({ block: true, "key-block": true, pose: length === 1, selected })}
        ${styled({ left: mode.track.percent(start), width: mode.track.percent(length), "--clip": clipColor(key.color) })}>
      <button class="block-body" type="button" aria-pressed=${selected} title="${name}, frame ${key.from + 1}"
        aria-label="Key ${index + 1}: ${name}, ${length === 1 ? `frame ${key.from + 1}` : `frames ${key.from + 1} to ${key.to}`}"
        @pointerdown=${(event: PointerEvent) => this.#dragKey(event, key, start)} @click=${() => mode.select(key.id)}>
        <span class="block-name">${length === 1 ? index + 1 : name}</span>
      </button>
    </div>`;
  }

  #gap(frames: number, index: number, layout: Layout): TemplateResult {
    const mode = this.#mode;
    const { start = 0, length = 0 } = layout.keys[index] ?? {};
    const setFrames = (wanted: number, within?: number): void =>
      mode.edit("frames between keys", (document) => setGap(document, index, wanted), `gap-${index}`, within);
    const onKeyDown = (event: KeyboardEvent): void => {
      const step = arrowFrames(event, MAX_GAP);
      if (step !== undefined) setFrames((mode.document.gaps[index] ?? frames) + step);
    };
    return html`<div class=${classMap({ gap: true, "before-pose": layout.keys[index + 1]?.length === 1 })}
      ${styled({ left: mode.track.percent(start + length), width: mode.track.percent(frames) })}>
      <span class="gap-frames">${frames}</span>
      <span class="handle to" role="slider" tabindex="0" aria-label="Frames between keys ${index + 1} and ${index + 2}"
        aria-valuemin=${Math.min(MIN_GAP, frames)} aria-valuemax=${Math.max(MAX_GAP, frames)} aria-valuenow=${frames} @keydown=${onKeyDown}
        @pointerdown=${(event: PointerEvent) => this.#dragGapEnd(event, frames, setFrames)}></span>
    </div>`;
  }

  /** Drags the end of a gap: all later keys move with it. */
  #dragGapEnd(event: PointerEvent, frames: number, setFrames: (wanted: number, within: number) => void): void {
    event.stopPropagation();
    this.#drag(event, (offset) => setFrames(frames + offset, Infinity));
  }

  /** Drags a key in time. */
  #dragKey(event: PointerEvent, key: Key, start: number): void {
    const mode = this.#mode;
    event.stopPropagation();
    mode.select(key.id);
    this.#drag(event, (offset) => {
      const index = mode.document.keys.findIndex(({ id }) => id === key.id);
      const currentStart = this.#layOut().keys[index]?.start ?? start;
      mode.edit(
        "move a key in time",
        (document) => shiftKey(document, key.id, start + offset - currentStart),
        `shift-${key.id}`,
        Infinity,
      );
    });
  }

  /** Handles a drag. `onOffset` is called with its distance from the start, frames. */
  #drag(down: PointerEvent, onOffset: (offset: number) => void): void {
    if (down.button !== 0) return;
    const mode = this.#mode;
    const { track } = mode;
    mode.history.seal();
    const { frames } = track;
    const framesPerPixel = frames / track.width;
    let hasBegun = false;
    const move = (event: PointerEvent): void => {
      const pixels = event.clientX - down.clientX;
      hasBegun ||= Math.abs(pixels) > DRAG_THRESHOLD;
      if (!hasBegun) return;
      this.#fixedFrames = frames;
      mode.dragging = true;
      onOffset(Math.round(pixels * framesPerPixel));
    };
    const end = (): void => {
      this.#fixedFrames = undefined;
      mode.dragging = false;
      mode.history.seal();
      mode.app.requestUpdate();
    };
    followPointer(down, move, end);
  }

  #background = (event: PointerEvent): void => {
    if (event.target === event.currentTarget) this.#mode.select(undefined);
  };
}
