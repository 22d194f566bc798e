/** The panel of keys: clip, frames and ground pose of each key, and buttons that add keys. */
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

/** Renders the frames of a key: a slider, the first frame, and the number of frames. */
function frameFields(mode: Inbetween, key: Key, frames: number): TemplateResult {
  const length = key.to - key.from;
  // Highest first frame, counted from 1, with which the key keeps its length.
  const maxFrame = Math.max(1, frames - length + 1);
  const setFrames = (label: string, from: number, count: number, mergeKey?: string): void =>
    mode.edit(label, (document) => useFrames(document, key.id, frames, from, from + count), mergeKey);
  const setFirstFrame = (label: string, frame: number, mergeKey?: string): void =>
    setFrames(label, Math.max(1, Math.min(maxFrame, Math.round(frame))) - 1, length, mergeKey);
  /** Handles a change of a field; then the field shows the value of the document, which limits may have changed. */
  const change = (set: (value: number) => void, valueOf: (key: Key) => number) => (event: Event) => {
    const input = event.target as HTMLInputElement;
    if (Number.isFinite(input.valueAsNumber)) set(input.valueAsNumber);
    input.value = String(valueOf(mode.key(key.id) ?? key));
  };
  return html`<span class="row">
      <input type="range" min="1" max=${maxFrame} .value=${String(key.from + 1)} aria-label="Frame of the clip" aria-valuetext="Frame ${key.from + 1}"
        @input=${(event: Event) => setFirstFrame("scrub a key", (event.target as HTMLInputElement).valueAsNumber, `scrub-${key.id}`)}
        @change=${() => mode.history.seal()}>
    </span>
    <span class="trim-fields">
      <label>Frame <input type="number" min="1" max=${maxFrame} .value=${String(key.from + 1)} aria-label="First frame of the key" @change=${change(
        (frame) => setFirstFrame("frame of a key", frame),
        ({ from }) => from + 1,
      )}></label>
      <label>Length <input type="number" min="1" max=${frames - key.from} .value=${String(length)} aria-label="Number of frames of the key" @change=${change(
        (count) => setFrames("length of a key", key.from, Math.max(1, Math.round(count))),
        ({ from, to }) => to - from,
      )}></label>
    </span>`;
}

/** Renders the ground pose of a key as numbers. */
function groundPoseFields(mode: Inbetween, key: Key): TemplateResult | typeof nothing {
  const pose = mode.groundPoseOf(key.id);
  if (!pose) return nothing;
  const field = (
    name: string,
    label: string,
    value: number,
    digits: number,
    step: string,
    onValue: (value: number) => void,
  ): TemplateResult => {
    // Without the sign of "-0.00".
    const text = value.toFixed(digits).replace(/^-(?=[0.]*$)/, "");
    return html`<label>${name} <input type="number" step=${step} .value=${text} aria-label=${label} @change=${(
      event: Event,
    ) => {
      const input = event.target as HTMLInputElement;
      if (Number.isFinite(input.valueAsNumber)) onValue(input.valueAsNumber);
      else input.value = text;
    }}></label>`;
  };
  return html`<span class="trim-fields">
      ${field("x", "Position, metres to the right", pose.x, 2, "0.05", (x) => mode.placeKey(key.id, { ...pose, x }))}
      ${field("z", "Position, metres towards you", pose.z, 2, "0.05", (z) => mode.placeKey(key.id, { ...pose, z }))}
      ${field("heading", "Heading, degrees", pose.heading * DEGREES, 0, "5", (degrees) =>
        mode.placeKey(key.id, { ...pose, heading: degrees / DEGREES }, "turn a key"),
      )}
      ${
        key.at
          ? html`<button class="link" type="button" title="Place the key as in its clip or, if the previous key is of another clip, by extrapolating the motion" @click=${() =>
              mode.edit("reset the position of a key", (document) =>
                changeKey(document, key.id, { at: undefined }),
              )}>Reset position</button>`
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
      ${toolButton(
        `Move key ${index + 1} earlier`,
        "up",
        () => mode.edit("reorder", (document) => moveKey(document, key.id, index - 1)),
        index === 0,
      )}
      ${toolButton(
        `Move key ${index + 1} later`,
        "down",
        () => mode.edit("reorder", (document) => moveKey(document, key.id, index + 1)),
        index === total - 1,
      )}
      ${toolButton(`Remove key ${index + 1}`, "remove", () => mode.edit("remove a key", (document) => removeKey(document, key.id)))}
    </div>
    ${frames ? frameFields(mode, key, frames) : nothing}
    ${groundPoseFields(mode, key)}
  </li>`;
}

/** Renders the choice of a file, and buttons that add a key from it. */
function addFields(
  mode: Inbetween,
  selectedId: string,
  onSelect: (id: string) => void,
): TemplateResult | typeof nothing {
  const ready = [...mode.app.library.sources.values()].filter(({ state }) => state === "ready");
  const source = ready.find(({ id }) => id === selectedId) ?? ready[0];
  const frames = source?.info?.frames;
  if (!source || !frames) return nothing;
  const add = (from: number, to: number): void => {
    const selectedIndex = mode.document.keys.findIndex(({ id }) => id === mode.selected);
    mode.edit("add a key", (document) =>
      addKey(document, { source: source.id, from, to }, selectedIndex < 0 ? undefined : selectedIndex),
    );
    const { keys } = mode.document;
    mode.select(keys[selectedIndex < 0 ? keys.length - 1 : selectedIndex + 1]?.id);
  };
  const middle = Math.floor(frames / 2);
  return html`<div class="field"><label for="key-source">Add a key from</label>
    <select id="key-source" ${choice(source.id)} @change=${(event: Event) => onSelect((event.target as HTMLSelectElement).value)}>
      ${ready.map(({ id, name }) => html`<option value=${id}>${name}</option>`)}
    </select>
    <span class="row">
      <button class="button small" type="button" @click=${() => add(middle, middle + 1)}>Add pose</button>
      <button class="button small" type="button" @click=${() => add(Math.max(0, middle - 8), Math.min(frames, middle + 8))}>Add range</button>
    </span></div>`;
}

/** Creates the panel of the keys. */
export function keysPanel(mode: Inbetween): Panel {
  let sourceId = "";
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
        ${addFields(mode, sourceId, (id) => {
          sourceId = id;
          mode.app.requestUpdate();
        })}
        <button class="drop-hint" type="button" @click=${() => mode.app.host.openFiles()}>
          <strong>Use your own motion files</strong>
          <span>Drop them anywhere, or click to choose. They stay on this computer.</span>
        </button>`;
    },
  };
}
