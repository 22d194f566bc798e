/** The timeline: ruler and playhead, clips as blocks with handles, seams as flags. */
import { html, nothing, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import { repeat } from "lit-html/directives/repeat.js";
import type { Trim } from "kinestitch/worker";
import type { App } from "../app/app";
import { clock } from "../app/format";
import { trim } from "../app/project";
import { styled } from "../ui/styled";
import { clipColor } from "../viewer/palette";
import { startDrag, type Drag } from "./drag";
import { blocks, ticks, type Block } from "./layout";

const ZOOMS = [1, 2, 4, 8, 16, 32];

export class Timeline {
  #app: App;
  #drag: Drag | undefined;
  #zoom = 1;
  #frames = 1;

  constructor(app: App) {
    this.#app = app;
  }

  get #track(): HTMLElement | null {
    return document.querySelector<HTMLElement>(".timeline .track");
  }

  view(): TemplateResult {
    const app = this.#app;
    const layout = this.#drag ?? blocks(app);
    const take = app.shownTake();
    this.#frames = Math.max(layout.frames, take?.motion.frames ?? 1);
    const { range } = app.playback;
    const share = (frame: number): string => `${((100 * frame) / this.#frames).toFixed(3)}%`;
    return html`<div class="timeline-scroll" @wheel=${this.#wheel}>
      <div class="track" ${styled({ width: `${this.#zoom * 100}%` })}>
        <div class="ruler" role="slider" tabindex="0" aria-label="Playhead" aria-valuemin="1" aria-valuemax=${this.#frames}
            aria-valuenow=${app.playback.shown + 1} aria-valuetext="Frame ${app.playback.shown + 1}"
            @pointerdown=${this.#scrub} @pointermove=${this.#scrubOn}>
          ${ticks(this.#frames, this.#ticksWanted()).map((frame) => html`<span class="tick" ${styled({ left: share(frame) })}>${frame + 1}</span>`)}
          ${range ? html`<span class="range" ${styled({ left: share(range.from), width: share(range.to - range.from) })}></span>` : nothing}
        </div>
        <div class="lanes" @pointerdown=${this.#background}>
          ${(take?.seams ?? []).map((seam, i) => html`
            <span class=${classMap({ edited: true, refined: seam.method === "rmr" })} ${styled({ left: share(seam.edited[0]), width: share(seam.edited[1] - seam.edited[0]) })}></span>
            <button class="flag" type="button" ${styled({ left: share(seam.frame) })} title="Seam ${i + 1}, frame ${seam.frame + 1}; frames ${seam.edited[0] + 1} to ${seam.edited[1]} changed${seam.method === "rmr" ? " by the network" : ""}"
              aria-label="Go to seam ${i + 1}" @click=${() => this.#goTo(seam.frame)}>${i + 1}</button>`)}
          ${repeat(layout.blocks, (block) => block.item.id, (block, i) => this.#block(block, i, layout))}
          ${this.#drag?.kind === "move" ? html`<span class="insert" ${styled({ left: share(this.#insertAt(this.#drag)) })}></span>` : nothing}
        </div>
        <div class="playhead" aria-hidden="true"></div>
      </div>
    </div>`;
  }

  #block(block: Block, lane: number, layout: { blocks: Block[]; frames: number }): TemplateResult {
    const app = this.#app;
    const { item, total } = block;
    const source = app.sourceOf(item);
    const name = source?.name ?? "";
    const { from, to } = app.item(item.id)?.trim ?? { from: 0, to: total };
    let { start, length } = block;
    const drag = this.#drag?.id === item.id ? this.#drag : undefined;
    if (drag?.kind === "move") start += drag.by;
    if (drag?.kind === "from") [start, length] = [start + drag.by, length - drag.by];
    if (drag?.kind === "to") length += drag.by;
    const begin = (kind: Drag["kind"]) => (event: PointerEvent) => {
      event.stopPropagation();
      startDrag(app, event, kind, block, layout, this.#track?.clientWidth ?? 1, (now) => {
        this.#drag = now && { ...now };
        app.changed();
      });
    };
    const percent = (frames: number): string => `${((100 * frames) / this.#frames).toFixed(3)}%`;
    return html`<div class=${classMap({ block: true, odd: lane % 2 === 1, selected: app.selected === item.id, carried: drag?.kind === "move", trimmed: from > 0 || to < total })}
        ${styled({ left: percent(start), width: percent(length), "--clip": clipColor(item.color) })}>
      <button class="block-body" type="button" aria-pressed=${app.selected === item.id}
        aria-label="${name}, frames ${from + 1} to ${to} of ${total}, place ${block.index + 1} of ${layout.blocks.length}"
        @pointerdown=${begin("move")} @click=${() => app.select(item.id)}>
        <span class="block-name">${name}</span><span class="block-range">${from + 1}–${to}</span>
      </button>
      ${this.#handle(block, "from", name, from, total, begin("from"))}
      ${this.#handle(block, "to", name, to, total, begin("to"))}
    </div>`;
  }

  #handle(block: Block, end: keyof Trim, name: string, at: number, total: number, begin: (event: PointerEvent) => void): TemplateResult {
    const app = this.#app;
    const keys = (event: KeyboardEvent): void => {
      const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -total, End: total };
      const step = steps[event.key];
      if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      // As it is now: two keys may come between two renders.
      const now = (app.item(block.item.id)?.trim ?? { from: 0, to: total })[end];
      const wanted = now + step * (event.shiftKey ? 10 : 1);
      app.edit(end === "from" ? "trim start" : "trim end", (project) => trim(project, block.item.id, total, { [end]: wanted }), `trim-${block.item.id}-${end}`);
    };
    return html`<span class="handle ${end}" role="slider" tabindex="0" aria-label="Trim ${end === "from" ? "start" : "end"} of ${name}"
      aria-valuemin="1" aria-valuemax=${total} aria-valuenow=${end === "from" ? at + 1 : at} @pointerdown=${begin} @keydown=${keys}
      @focus=${() => app.select(block.item.id)}></span>`;
  }

  /** Where a carried clip would land. */
  #insertAt({ blocks: all, id, place }: Drag): number {
    const others = all.filter((block) => block.item.id !== id);
    const next = others[place];
    const last = others.at(-1);
    return next ? next.start : last ? last.start + last.length : 0;
  }

  #ticksWanted(): number {
    return Math.max(2, Math.floor((this.#track?.clientWidth ?? 900) / 70));
  }

  #goTo(frame: number): void {
    this.#app.playback.play(false);
    this.#app.playback.seek(frame);
  }

  #frameAt(event: PointerEvent): number {
    const box = this.#track?.getBoundingClientRect();
    return box ? Math.round(((event.clientX - box.left) / box.width) * this.#frames - 0.5) : 0;
  }

  #scrub = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    this.#goTo(this.#frameAt(event));
  };

  #scrubOn = (event: PointerEvent): void => {
    if (event.buttons & 1) this.#app.playback.seek(this.#frameAt(event));
  };

  #background = (event: PointerEvent): void => {
    if (event.target === event.currentTarget) this.#app.select(undefined);
  };

  #wheel = (event: WheelEvent): void => {
    if (!event.ctrlKey && !event.altKey) return;
    event.preventDefault();
    this.zoom(event.deltaY < 0 ? 1 : -1);
  };

  get zoomed(): { canIn: boolean; canOut: boolean } {
    return { canIn: this.#zoom < (ZOOMS.at(-1) ?? 1), canOut: this.#zoom > 1 };
  }

  /** One step in or out, around the playhead. */
  zoom(step: 1 | -1): void {
    const at = ZOOMS.indexOf(this.#zoom) + step;
    this.#zoom = ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, at))] ?? 1;
    this.#app.changed();
    requestAnimationFrame(() => {
      const scroll = this.#track?.parentElement;
      if (scroll) scroll.scrollLeft = ((this.#app.playback.frame + 0.5) / this.#frames) * scroll.scrollWidth - scroll.clientWidth / 2;
    });
  }

  /** Moves the playhead without a new render. */
  onFrame(): void {
    const track = this.#track;
    if (!track) return;
    const { playback } = this.#app;
    const playhead = track.querySelector<HTMLElement>(".playhead");
    if (playhead) playhead.style.left = `${((100 * (playback.frame + 0.5)) / this.#frames).toFixed(3)}%`;
    const ruler = track.querySelector(".ruler");
    ruler?.setAttribute("aria-valuenow", String(playback.shown + 1));
    ruler?.setAttribute("aria-valuetext", `Frame ${playback.shown + 1}, ${clock(playback.shown / playback.fps)}`);
  }
}
