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
import { loopClip, mirrorClip } from "../derived";
import { duplicate, MIN_FRAMES, move, remove, repeat as loop, trim, type Item } from "../project";
import type { Stitch } from "../stitch";
import { tooShortItems } from "../stitchable";

function facts(source: Source): TemplateResult {
  const info = source.info;
  if (!info) return html``;
  const unit = info.unit === "other" ? `1 unit = ${Number(info.metresPerUnit.toPrecision(3))} m` : info.unit;
  return html`<span class="facts">${count(info.frames, "frame")} · ${duration(info.seconds)} · ${frameRate(info.fps)}<br>
    ${count(info.joints.length, "joint")} · ${unit}, ${info.upAxis} up · ${info.kind === "other" ? "no body found" : info.kind}</span>`;
}

function trimFields(mode: Stitch, item: Item, frames: number): TemplateResult {
  const { from, to } = item.trim ?? { from: 0, to: frames };
  const change = (end: "from" | "to") => (event: Event) => {
    const input = event.target as HTMLInputElement;
    const value = input.valueAsNumber;
    if (Number.isFinite(value)) {
      mode.edit("trim", (project) => trim(project, item.id, frames, { [end]: end === "from" ? value - 1 : value }));
    }
    const now = mode.item(item.id)?.trim ?? { from: 0, to: frames };
    input.value = String(end === "from" ? now.from + 1 : now.to);
  };
  const again = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    const times = Math.min(50, Math.round(input.valueAsNumber));
    if (times > 1) mode.edit(`loop ${times} times`, (project) => loop(project, item.id, times));
    input.value = "1";
  };
  return html`<span class="trim-fields">
    <label>Frames <input type="number" min="1" max=${frames} .value=${String(from + 1)} @change=${change("from")}
      aria-label="First frame used"></label>
    <label>to <input type="number" min="1" max=${frames} .value=${String(to)} @change=${change("to")} aria-label="Last frame used"></label>
    <label>Times <input type="number" min="1" max="50" value="1" @change=${again}
      aria-label="Number of times to play ${frames} frames" title="Repeats the clip: for loops"></label>
    <button class="link" type="button" title="Exchange left and right" @click=${() => void mirrorClip(mode, item)}>Mirror</button>
    <button class="link" type="button" title="Find a cycle of the clip and close it to a loop" @click=${() => void loopClip(mode, item)}>Loop</button>
    ${
      item.trim
        ? html`<button class="link" type="button"
          @click=${() => mode.edit("use the whole clip", (project) => trim(project, item.id, frames, { from: 0, to: frames }))}>Whole clip</button>`
        : nothing
    }
  </span>`;
}

function trouble(mode: Stitch, source: Source, item: Item): TemplateResult {
  const replace = (event: Event): void => {
    const file = (event.target as HTMLInputElement).files?.[0];
    if (file) void mode.app.library.replace(source.id, file);
  };
  const cancelled = source.problem?.code === "aborted";
  return html`<div class="trouble" role="alert">
    <p>${icon("warn")} ${sentence(source.problem?.message ?? "unknown error")}</p>
    <span class="row">
      <button class="button small" type="button"
        @click=${() => void mode.app.library.retry(source.id)}>${cancelled ? "Read it" : "Try again"}</button>
      <label class="button small">Choose another…<input class="hidden-input" type="file" accept=${FILE_EXTENSIONS} @change=${replace}></label>
      <button class="button small" type="button"
        @click=${() => mode.edit(`remove ${source.name}`, (project) => remove(project, item.id))}>Remove</button>
    </span>
  </div>`;
}

/** Errors of stitching about this clip: messages of the package name the clip. */
function stitchTrouble(mode: Stitch, source: Source): TemplateResult | typeof nothing {
  const { problem } = mode.shownJob();
  if (!problem || problem.code === "aborted" || !problem.message.includes(`"${source.name}"`)) return nothing;
  return html`<p class="trouble" role="alert">${sentence(problem.message)}</p>`;
}

function card(mode: Stitch, item: Item, index: number, isShort: boolean): TemplateResult {
  const source = mode.sourceOf(item);
  if (!source) return html``;
  const total = mode.project.items.length;
  const warnings = (source.mapped?.info ?? source.info)?.warnings ?? [];
  const shift = (by: number) => () => mode.edit("reorder", (project) => move(project, item.id, index + by));
  return html`<li class=${classMap({ card: true, selected: mode.selected === item.id, failed: source.state === "error" })}
      ${styled({ "--clip": clipColor(item.color) })} @click=${() => mode.select(item.id)}>
    <div class="card-head">
      <span class="chip" aria-hidden="true"></span>
      <button class="name" type="button" title=${source.name} aria-pressed=${mode.selected === item.id}>${source.name}</button>
      ${toolButton(`Move ${source.name} earlier`, "up", shift(-1), index === 0)}
      ${toolButton(`Move ${source.name} later`, "down", shift(1), index === total - 1)}
      ${toolButton(`Duplicate ${source.name}`, "copy", () => mode.edit("duplicate clip", (project) => duplicate(project, item.id)))}
      ${toolButton(`Remove ${source.name}`, "remove", () => mode.edit(`remove ${source.name}`, (project) => remove(project, item.id)))}
    </div>
    ${
      source.state === "loading"
        ? html`<div class="row"><progress max="1" .value=${source.done} aria-label="Reading ${source.name}"></progress>
          <button class="link" type="button" @click=${() => mode.app.library.cancel(source.id)}>Cancel</button></div>`
        : nothing
    }
    ${source.state === "ready" && source.info ? html`${facts(source)}${trimFields(mode, item, source.info.frames)}` : nothing}
    ${
      isShort
        ? html`<p class="trouble"
          role="alert">Too short to be stitched, so it is left out. A clip needs ${MIN_FRAMES} frames at the rate of the result.</p>`
        : nothing
    }
    ${source.state === "error" ? trouble(mode, source, item) : stitchTrouble(mode, source)}
    ${
      warnings.length
        ? html`<details
          class="warnings"><summary>${icon("warn")} ${count(warnings.length, "remark")}</summary><ul>${warnings.map((text) => html`<li>${sentence(text)}</li>`)}</ul></details>`
        : nothing
    }
  </li>`;
}

/** Cards that are drawn at first, and that each press adds: hundreds, drawn at every change, would hold up the page. */
const CARDS = 50;
/** Number of cards to draw at most. */
const cardLimits = new WeakMap<Stitch, number>();

/**
 * The items that have a card, by their indexes: the first ones as far as the selected one, and all that need
 * attention.
 */
function carded(mode: Stitch, short: ReadonlySet<Item>): { cards: [Item, number][]; left: number } {
  const { items } = mode.project;
  const selected = items.findIndex(({ id }) => id === mode.selected);
  const most = Math.max(cardLimits.get(mode) ?? CARDS, CARDS * Math.ceil((selected + 1) / CARDS));
  const numbered = items.map((item, i): [Item, number] => [item, i]);
  const needs = (item: Item): boolean => short.has(item) || mode.sourceOf(item)?.state === "error";
  const rest = numbered.slice(most);
  const troubled = rest.filter(([item]) => needs(item)).slice(0, CARDS);
  return { cards: [...numbered.slice(0, most), ...troubled], left: rest.length - troubled.length };
}

function moreCards(mode: Stitch, left: number): TemplateResult | typeof nothing {
  if (left === 0) return nothing;
  const more = (): void => {
    cardLimits.set(mode, (cardLimits.get(mode) ?? CARDS) + CARDS);
    mode.app.requestUpdate();
  };
  return html`<button class="button" type="button" @click=${more}>Show more: ${left} of ${mode.project.items.length} clips are not listed</button>`;
}

/** The panel of the clips. */
export const clips = (mode: Stitch): Panel => ({
  id: "clips",
  title: "Clips",
  region: "left",
  note: () => (mode.demo ? "demo" : mode.project.items.length ? String(mode.project.items.length) : ""),
  view: () => {
    const { items } = mode.project;
    const short = tooShortItems(mode.project, mode.app.library);
    const { cards, left } = carded(mode, short);
    return html`
      ${
        items.length
          ? html`<ol class="cards">${repeat(
              cards,
              ([item]) => item.id,
              ([item, i]) => card(mode, item, i, short.has(item)),
            )}</ol>${moreCards(mode, left)}`
          : nothing
      }
      <button class="drop-hint" type="button" @click=${() => mode.app.host.openFiles()}>
        <strong>${mode.demo ? "Try your own BVH files" : items.length ? "Add more BVH files" : "Add BVH files"}</strong>
        <span>Drop them anywhere, or click to choose: BVH, GLB, VRMA, FBX. A character (GLB, VRM, FBX) replaces the figure. They stay on this computer.</span>
      </button>`;
  },
});
