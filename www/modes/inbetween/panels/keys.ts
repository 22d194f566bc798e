/** The keys: clip, frames and ground pose, and adding more. */
import { html, nothing, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import { repeat } from "lit-html/directives/repeat.js";
import type { Panel } from "../../../core/panel";
import { choice } from "../../../ui/choice";
import { styled } from "../../../ui/style-directive";
import { toolButton } from "../../../ui/tool-button";
import { clipColor } from "../../../viewer/palette";
import { addKey, changeKey, moveKey, removeKey, useFrames, type Key } from "../document";
import type { Inbetween } from "../inbetween";

const DEGREES = 180 / Math.PI;

/** Frames of the file: a slider to scrub, and their number. */
function frameFields(mode: Inbetween, key: Key, frames: number): TemplateResult {
  const length = key.to - key.from;
  const use = (label: string, from: number, count: number, merge?: string): void =>
    mode.edit(label, (document) => useFrames(document, key.id, frames, from, from + count), merge);
  return html`<span class="row">
      <input type="range" min="1" max=${frames} .value=${String(key.from + 1)} aria-label="Frame of the clip" aria-valuetext="Frame ${key.from + 1}"
        @input=${(event: Event) => use("scrub a key", (event.target as HTMLInputElement).valueAsNumber - 1, length, `scrub-${key.id}`)}
        @change=${() => mode.history.seal()}>
    </span>
    <span class="trim-fields">
      <label>Frame <input type="number" min="1" max=${frames} .value=${String(key.from + 1)} aria-label="First frame of the key" @change=${(
        event: Event,
      ) => {
        const value = (event.target as HTMLInputElement).valueAsNumber;
        if (Number.isFinite(value)) use("frame of a key", value - 1, length);
      }}></label>
      <label>long <input type="number" min="1" max=${frames - key.from} .value=${String(length)} aria-label="Frames of the key" @change=${(
        event: Event,
      ) => {
        const value = (event.target as HTMLInputElement).valueAsNumber;
        if (Number.isFinite(value)) use("length of a key", key.from, Math.max(1, Math.round(value)));
      }}></label>
    </span>`;
}

/** Ground pose as numbers. */
function spotFields(mode: Inbetween, key: Key): TemplateResult | typeof nothing {
  const spot = mode.spotOf(key.id);
  if (!spot) return nothing;
  const field = (
    name: string,
    label: string,
    value: number,
    digits: number,
    step: string,
    put: (value: number) => void,
  ): TemplateResult =>
    html`<label>${name} <input type="number" step=${step} .value=${value.toFixed(digits)} aria-label=${label} @change=${(
      event: Event,
    ) => {
      const input = event.target as HTMLInputElement;
      if (Number.isFinite(input.valueAsNumber)) put(input.valueAsNumber);
      else input.value = value.toFixed(digits);
    }}></label>`;
  return html`<span class="trim-fields">
      ${field("x", "Place, metres to the right", spot.x, 2, "0.05", (x) => mode.place(key.id, { ...spot, x }))}
      ${field("z", "Place, metres towards you", spot.z, 2, "0.05", (z) => mode.place(key.id, { ...spot, z }))}
      ${field("faces", "Heading, degrees", spot.heading * DEGREES, 0, "5", (degrees) => mode.place(key.id, { ...spot, heading: degrees / DEGREES }, "turn a key"))}
      ${
        key.at
          ? html`<button class="link" type="button" title="Back to the position from its clip, or from the motion" @click=${() =>
              mode.edit("let a key stand by itself", (document) =>
                changeKey(document, key.id, { at: undefined }),
              )}>By itself</button>`
          : nothing
      }
    </span>`;
}

function card(mode: Inbetween, key: Key, index: number, total: number): TemplateResult {
  const source = mode.sourceOf(key);
  const name = source?.name ?? "";
  const frames = source?.info?.frames;
  return html`<li class=${classMap({ card: true, selected: mode.selected === key.id })}
    ${styled({ "--clip": clipColor(key.color) })} @click=${() => mode.select(key.id)}>
    <div class="card-head">
      <span class="chip" aria-hidden="true"></span>
      <button class="name" type="button" title=${name} aria-pressed=${mode.selected === key.id}>${index + 1} · ${name}</button>
      ${toolButton(`Key ${index + 1} earlier`, "up", () => mode.edit("reorder", (document) => moveKey(document, key.id, index - 1)), index === 0)}
      ${toolButton(`Key ${index + 1} later`, "down", () => mode.edit("reorder", (document) => moveKey(document, key.id, index + 1)), index === total - 1)}
      ${toolButton(`Remove key ${index + 1}`, "remove", () => mode.edit("remove a key", (document) => removeKey(document, key.id)))}
    </div>
    ${frames ? frameFields(mode, key, frames) : nothing}
    ${spotFields(mode, key)}
  </li>`;
}

/** Files to take another key from. */
function adding(mode: Inbetween, chosen: string, choose: (id: string) => void): TemplateResult | typeof nothing {
  const ready = [...mode.app.library.sources.values()].filter(({ state }) => state === "ready");
  const source = ready.find(({ id }) => id === chosen) ?? ready[0];
  const frames = source?.info?.frames;
  if (!source || !frames) return nothing;
  const add = (from: number, to: number): void => {
    const after = mode.document.keys.findIndex(({ id }) => id === mode.selected);
    mode.edit("add a key", (document) =>
      addKey(document, { source: source.id, from, to }, after < 0 ? undefined : after),
    );
    const { keys } = mode.document;
    mode.select(keys[after < 0 ? keys.length - 1 : after + 1]?.id);
  };
  const middle = Math.floor(frames / 2);
  return html`<div class="field"><label for="key-source">Add a key from</label>
    <select id="key-source" ${choice(source.id)} @change=${(event: Event) => choose((event.target as HTMLSelectElement).value)}>
      ${ready.map(({ id, name }) => html`<option value=${id}>${name}</option>`)}
    </select>
    <span class="row">
      <button class="button small" type="button" @click=${() => add(middle, middle + 1)}>A pose</button>
      <button class="button small" type="button" @click=${() => add(Math.max(0, middle - 8), Math.min(frames, middle + 8))}>A piece</button>
    </span></div>`;
}

/** The panel of the keys. */
export function keys(mode: Inbetween): Panel {
  let chosen = "";
  return {
    id: "keys",
    title: "Keys",
    region: "left",
    note: () => String(mode.document.keys.length || ""),
    view: () => {
      const { keys: list } = mode.document;
      return html`
        ${
          list.length
            ? html`<ol class="cards">${repeat(
                list,
                ({ id }) => id,
                (key, i) => card(mode, key, i, list.length),
              )}</ol>`
            : nothing
        }
        ${adding(mode, chosen, (id) => {
          chosen = id;
          mode.app.requestUpdate();
        })}
        <button class="drop-hint" type="button" @click=${() => mode.app.host.openFiles()}>
          <strong>Use your own BVH files</strong>
          <span>Drop them anywhere, or click to choose. They stay on this computer.</span>
        </button>`;
    },
  };
}
