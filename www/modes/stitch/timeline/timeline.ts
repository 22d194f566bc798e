/** The timeline: ruler and playhead, clips as blocks with handles, seams as flags. */
import { html, nothing, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import { repeat } from "lit-html/directives/repeat.js";
import type { FrameRange } from "kinestitch/worker";
import { arrowFrames } from "../../../timeline/arrow-keys";
import { naturalLane } from "../../../timeline/natural";
import { styled } from "../../../ui/style-directive";
import { clipColor } from "../../../viewer/palette";
import { trim } from "../project";
import type { Stitch } from "../stitch";
import { startDrag, type Drag } from "./drag";
import { layOut, type Block, type Layout } from "./layout";

/** The timeline of the mode. */
export class Timeline {
  #mode: Stitch;
  #drag: Drag | undefined;

  constructor(mode: Stitch) {
    this.#mode = mode;
  }

  view(): TemplateResult {
    const mode = this.#mode;
    const { track } = mode;
    const layout = this.#drag ?? layOut(mode);
    const result = mode.shownResult();
    track.fit(this.#drag?.frames ?? Math.max(layout.frames, result?.motion.frames ?? 1));
    return track.view(
      html`<div class="lanes" @pointerdown=${this.#background}>
      ${(result?.seams ?? []).map(
        (seam, i) => html`
        <span class=${classMap({ edited: true, refined: seam.method === "rmr" })}
          ${styled({ left: track.percent(seam.editedRange.from), width: track.percent(seam.editedRange.to - seam.editedRange.from) })}></span>
        <span class="measured" title="Seam ${i + 1} is measured here: frames ${seam.measuredRange.from + 1} to ${seam.measuredRange.to}"
          ${styled({ left: track.percent(seam.measuredRange.from), width: track.percent(seam.measuredRange.to - seam.measuredRange.from) })}></span>
        <button class="flag" type="button" ${styled({ left: track.percent(seam.frame) })}
          title="Seam ${i + 1}, frame ${seam.frame + 1}; frames ${seam.editedRange.from + 1} to ${seam.editedRange.to} changed${
            seam.method === "rmr" ? " by the network" : ""
          }"
          aria-label="Go to seam ${i + 1}" @click=${() => track.goTo(seam.frame)}>${i + 1}</button>`,
      )}
      ${repeat(
        layout.blocks,
        (block) => block.item.id,
        (block, i) => this.#block(block, i, layout),
      )}
      ${this.#drag?.kind === "move" ? html`<span class="insert" ${styled({ left: track.percent(insertionFrame(this.#drag)) })}></span>` : nothing}
    </div>`,
      naturalLane(mode.app, result?.clip, track.frames, (frame) => track.goTo(frame)),
    );
  }

  #block(block: Block, lane: number, layout: Layout): TemplateResult {
    const mode = this.#mode;
    const { item, total } = block;
    const source = mode.sourceOf(item);
    const name = source?.name ?? "";
    const { from, to } = mode.item(item.id)?.trim ?? { from: 0, to: total };
    let { start, length } = block;
    const drag = this.#drag?.id === item.id ? this.#drag : undefined;
    if (drag?.kind === "move") start += drag.offset;
    if (drag?.kind === "from") [start, length] = [start + drag.offset, length - drag.offset];
    if (drag?.kind === "to") length += drag.offset;
    const startDragOf = (kind: Drag["kind"]) => (event: PointerEvent) => {
      event.stopPropagation();
      startDrag(mode, event, kind, block, layout, (state) => {
        this.#drag = state && { ...state };
        mode.app.requestUpdate();
      });
    };
    const { track } = mode;
    return html`<div
      class=${classMap({
        block: true,
        odd: lane % 2 === 1,
        selected: mode.selected === item.id,
        carried: drag?.kind === "move",
        trimmed: from > 0 || to < total,
        left: block.isLeftOut,
      })}
        ${styled({ left: track.percent(start), width: track.percent(length), "--clip": clipColor(item.color) })}>
      <button class="block-body" type="button" aria-pressed=${mode.selected === item.id}
        aria-label="${name}, frames ${from + 1} to ${to} of ${total}, position ${block.index + 1} of ${layout.blocks.length}"
        @pointerdown=${startDragOf("move")} @click=${() => mode.select(item.id)}>
        <span class="block-name">${name}</span><span class="block-range">${from + 1}–${to}</span>
      </button>
      ${this.#handle(block, "from", name, from, total, startDragOf("from"))}
      ${this.#handle(block, "to", name, to, total, startDragOf("to"))}
    </div>`;
  }

  #handle(
    block: Block,
    end: keyof FrameRange,
    name: string,
    frame: number,
    total: number,
    onPointerDown: (event: PointerEvent) => void,
  ): TemplateResult {
    const mode = this.#mode;
    const onKeyDown = (event: KeyboardEvent): void => {
      const step = arrowFrames(event, total);
      if (step === undefined) return;
      // Not `frame`, which is outdated when two key presses come between two renders.
      const current = (mode.item(block.item.id)?.trim ?? { from: 0, to: total })[end];
      const wanted = current + step;
      mode.edit(
        end === "from" ? "trim start" : "trim end",
        (project) => trim(project, block.item.id, total, { [end]: wanted }),
        `trim-${block.item.id}-${end}`,
      );
    };
    return html`<span class="handle ${end}" role="slider" tabindex="0" aria-label="Trim ${end === "from" ? "start" : "end"} of ${name}"
      aria-valuemin="1" aria-valuemax=${total} aria-valuenow=${end === "from" ? frame + 1 : frame} @pointerdown=${onPointerDown} @keydown=${onKeyDown}
      @focus=${() => mode.select(block.item.id)}></span>`;
  }

  #background = (event: PointerEvent): void => {
    if (event.target === event.currentTarget) this.#mode.select(undefined);
  };
}

/** Returns the frame at which a moved clip would be inserted. */
function insertionFrame({ blocks, id, index }: Drag): number {
  const others = blocks.filter((block) => block.item.id !== id);
  const next = others[index];
  const last = others.at(-1);
  return next ? next.start : last ? last.start + last.length : 0;
}
