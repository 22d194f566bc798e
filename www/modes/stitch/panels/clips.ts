/** The clips of the document: properties, errors, and trims as numbers. */
import { html, nothing, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import { repeat } from "lit-html/directives/repeat.js";
import { sentence } from "../../../core/engine";
import { count, frameRate, duration } from "../../../core/format";
import type { Source } from "../../../core/library";
import { FILE_EXTENSIONS } from "../../../core/models";
import type { Panel } from "../../../core/panel";
import { icon } from "../../../ui/icons";
import { styled } from "../../../ui/style-directive";
import { toolButton } from "../../../ui/tool-button";
import { clipColor } from "../../../viewer/palette";
import { cleanClip, loopClip, mirrorClip } from "../derived";
import { duplicate, MIN_FRAMES, move, remove, repeat as repeatItem, trim, type Item } from "../project";
import type { Stitch } from "../stitch";
import { tooShortItems } from "../stitchable";
import { leftOutList, readingRow } from "./reading";

function facts(source: Source): TemplateResult {
  const info = source.info;
  if (!info) return html``;
  const unit = info.unit === "other" ? `1 unit = ${Number(info.metresPerUnit.toPrecision(3))} m` : info.unit;
  return html`<span class="facts">${count(info.frames, "frame")} · ${duration(info.seconds)} · ${frameRate(info.fps)}<br>
    ${count(info.joints.length, "joint")} · ${unit}, ${info.upAxis} up · ${info.kind === "other" ? "no body recognised" : info.kind}</span>`;
}

function trimFields(mode: Stitch, item: Item, frames: number): TemplateResult {
  const { from, to } = item.trim ?? { from: 0, to: frames };
  const change = (end: "from" | "to") => (event: Event) => {
    const input = event.target as HTMLInputElement;
    const value = input.valueAsNumber;
    if (Number.isFinite(value)) {
      mode.edit("trim", (project) => trim(project, item.id, frames, { [end]: end === "from" ? value - 1 : value }));
    }
    const current = mode.item(item.id)?.trim ?? { from: 0, to: frames };
    input.value = String(end === "from" ? current.from + 1 : current.to);
  };
  const repeatClip = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    const times = Math.min(50, Math.round(input.valueAsNumber));
    if (times > 1) mode.edit(`repeat ${times} times`, (project) => repeatItem(project, item.id, times));
    input.value = "1";
  };
  return html`<span class="trim-fields">
    <label>Frames <input type="number" min="1" max=${frames} .value=${String(from + 1)} @change=${change("from")}
      aria-label="First frame used"></label>
    <label>to <input type="number" min="1" max=${frames} .value=${String(to)} @change=${change("to")} aria-label="Last frame used"></label>
    <label>Times <input type="number" min="1" max="50" value="1" @change=${repeatClip}
      aria-label="Number of times to play the clip" title="Repeats the clip; for clips that are loops"></label>
    <button class="link" type="button" title="Mend spikes, jitter, the floor and sliding feet" @click=${() => void cleanClip(mode, item)}>Clean</button>
    <button class="link" type="button" title="Exchange left and right" @click=${() => void mirrorClip(mode, item)}>Mirror</button>
    <button class="link" type="button" title="Find a cycle of the clip and close it into a loop" @click=${() => void loopClip(mode, item)}>Loop</button>
    ${
      item.trim
        ? html`<button class="link" type="button"
          @click=${() => mode.edit("use the whole clip", (project) => trim(project, item.id, frames, { from: 0, to: frames }))}>Whole clip</button>`
        : nothing
    }
  </span>`;
}

function readingError(mode: Stitch, source: Source, item: Item): TemplateResult {
  const replace = (event: Event): void => {
    const file = (event.target as HTMLInputElement).files?.[0];
    if (file) void mode.app.library.replace(source.id, file);
  };
  const isCancelled = source.problem?.code === "aborted";
  return html`<div class="trouble" role="alert">
    <p>${icon("warn")} ${sentence(source.problem?.message ?? "unknown error")}</p>
    <span class="row">
      <button class="button small" type="button"
        @click=${() => void mode.app.library.retry(source.id)}>${isCancelled ? "Read the file" : "Try again"}</button>
      <label class="button small">Choose another…<input class="hidden-input" type="file" accept=${FILE_EXTENSIONS} @change=${replace}></label>
      <button class="button small" type="button"
        @click=${() => mode.edit(`remove ${source.name}`, (project) => remove(project, item.id))}>Remove</button>
    </span>
  </div>`;
}

/** Renders an error of stitching that concerns this clip: messages of the package name the clip. */
function stitchingError(mode: Stitch, source: Source): TemplateResult | typeof nothing {
  const { problem } = mode.shownJob();
  if (!problem || problem.code === "aborted" || !problem.message.includes(`"${source.name}"`)) return nothing;
  return html`<p class="trouble" role="alert">${sentence(problem.message)}</p>`;
}

function card(mode: Stitch, item: Item, index: number, isShort: boolean): TemplateResult {
  const source = mode.sourceOf(item);
  if (!source) return html``;
  const total = mode.project.items.length;
  const warnings = (source.mapped?.info ?? source.info)?.warnings ?? [];
  const moveBy = (offset: number) => () => mode.edit("reorder", (project) => move(project, item.id, index + offset));
  return html`<li class=${classMap({ card: true, selected: mode.selected === item.id, failed: source.state === "error" })}
      ${styled({ "--clip": clipColor(item.color) })} @click=${() => mode.select(item.id)}>
    <div class="card-head">
      <span class="chip" aria-hidden="true"></span>
      <button class="name" type="button" title=${source.name} aria-pressed=${mode.selected === item.id}><span>${source.name}</span></button>
      ${toolButton(`Move ${source.name} earlier`, "up", moveBy(-1), index === 0)}
      ${toolButton(`Move ${source.name} later`, "down", moveBy(1), index === total - 1)}
      ${toolButton(`Duplicate ${source.name}`, "copy", () => mode.edit("duplicate clip", (project) => duplicate(project, item.id)))}
      ${toolButton(`Remove ${source.name}`, "remove", () => mode.edit(`remove ${source.name}`, (project) => remove(project, item.id)))}
    </div>
    ${
      source.state === "loading"
        ? html`<div class="row"><progress max="1" .value=${source.done} aria-label="Reading ${source.name}"></progress>
          <button class="link" type="button" @click=${() => mode.app.library.cancel(source.id)}>Cancel</button></div>`
        : nothing
    }
    ${source.state === "ready" && source.info ? html`${facts(source)}${trimFields(mode, item, source.info.frames)}${readingRow(mode, source)}${leftOutList(source)}` : nothing}
    ${
      isShort
        ? html`<p class="trouble"
          role="alert">Too short to be stitched, so it is left out.
          A clip needs ${MIN_FRAMES} frames, at its own frame rate and at that of the result.</p>`
        : nothing
    }
    ${source.state === "error" ? readingError(mode, source, item) : stitchingError(mode, source)}
    ${
      warnings.length
        ? html`<details
          class="warnings"><summary>${icon("warn")} ${count(warnings.length, "remark")}</summary><ul>${warnings.map(
            (text) => html`<li>${sentence(text)}</li>`,
          )}</ul></details>`
        : nothing
    }
  </li>`;
}

/** Number of cards that are rendered at first, and that "Show more" adds: rendering hundreds takes too long. */
const CARD_STEP = 50;
/** Number of cards that are listed first, once "Show more" was pressed. */
const cardLimits = new WeakMap<Stitch, number>();

/** Returns how many of the first items are listed: at least up to the selected one. */
function cardLimit(mode: Stitch): number {
  const selected = mode.project.items.findIndex(({ id }) => id === mode.selected);
  return Math.max(cardLimits.get(mode) ?? CARD_STEP, CARD_STEP * Math.ceil((selected + 1) / CARD_STEP));
}

/**
 * Returns the items to list, with their indices, and the number of items that are not listed. Lists the first items, at
 * least up to the selected one, and after them those that are too short or could not be read.
 */
function itemsToList(mode: Stitch, short: ReadonlySet<Item>): { cards: [Item, number][]; hidden: number } {
  const { items } = mode.project;
  const limit = cardLimit(mode);
  const indexed = items.map((item, i): [Item, number] => [item, i]);
  const needsAttention = (item: Item): boolean => short.has(item) || mode.sourceOf(item)?.state === "error";
  const remaining = indexed.slice(limit);
  const urgent = remaining.filter(([item]) => needsAttention(item)).slice(0, CARD_STEP);
  return { cards: [...indexed.slice(0, limit), ...urgent], hidden: remaining.length - urgent.length };
}

function moreButton(mode: Stitch, hidden: number): TemplateResult | typeof nothing {
  if (hidden === 0) return nothing;
  const showMore = (): void => {
    cardLimits.set(mode, cardLimit(mode) + CARD_STEP);
    mode.app.requestUpdate();
  };
  return html`<button class="button" type="button" @click=${showMore}>Show more:
    ${hidden} of ${mode.project.items.length} clips are not listed</button>`;
}

/** Creates the panel of the clips. */
export const clipsPanel = (mode: Stitch): Panel => ({
  id: "clips",
  title: "Clips",
  region: "left",
  note: () => (mode.demo ? "demo" : mode.project.items.length ? String(mode.project.items.length) : ""),
  view: () => {
    const { items } = mode.project;
    const short = tooShortItems(mode.project, mode.app.library);
    const { cards, hidden } = itemsToList(mode, short);
    return html`
      ${
        items.length
          ? html`<ol class="cards">${repeat(
              cards,
              ([item]) => item.id,
              ([item, i]) => card(mode, item, i, short.has(item)),
            )}</ol>${moreButton(mode, hidden)}`
          : nothing
      }
      <button class="drop-hint" type="button" @click=${() => mode.app.host.openFiles()}>
        <strong>${mode.demo ? "Try your own motion files" : items.length ? "Add more motion files" : "Add motion files"}</strong>
        <span>Drop them anywhere, or click to choose: BVH, GLB, VRMA, FBX.
          A character (GLB, VRM, FBX) replaces the figure. They stay on this computer.</span>
      </button>`;
  },
});
