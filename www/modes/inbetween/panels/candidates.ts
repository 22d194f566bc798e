/** Candidates: chips for style, speed and duration, a line on the ground, and the motions that were found, ranked. */
import { html, nothing, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import type { InbetweenSpeed } from "kinestitch/worker";
import { sentence } from "../../../core/engine";
import { count, jerk, millimetres } from "../../../core/format";
import type { Panel } from "../../../core/panel";
import { icon } from "../../../ui/icons";
import { styled } from "../../../ui/style-directive";
import { clipColor } from "../../../viewer/palette";
import type { Inbetween } from "../inbetween";
import type { Line } from "../candidates";
import { methodName, pathMethod } from "../methods";

const SPEEDS: readonly (readonly [InbetweenSpeed | undefined, string])[] = [
  [undefined, "Any"],
  ["slow", "Slow"],
  ["medium", "Medium"],
  ["fast", "Fast"],
];

function chips<T>(
  legend: string,
  all: readonly (readonly [T, string])[],
  now: T,
  choose: (value: T) => void,
): TemplateResult {
  return html`<div class="way-chips" role="group" aria-label=${legend}><span>${legend}</span>${all.map(
    ([value, name]) =>
      html`<button class="way-chip" type="button" aria-pressed=${value === now} @click=${() => choose(value)}>${name}</button>`,
  )}</div>`;
}

/** The line as text, for keyboard input. */
const textOf = (line: Line): string => line.map((point) => point.map((value) => value.toFixed(2)).join(",")).join(" ");

function lineOf(text: string): Line | undefined {
  const points = text
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map((point) => point.split(",").map(Number));
  return points.every((point) => point.length === 2 && point.every(Number.isFinite))
    ? points.map(([x, z]) => [x, z] as const)
    : undefined;
}

function drawing({ candidates }: Inbetween): TemplateResult {
  return html`<div class="field"><label for="way-line">Path on the ground</label>
    <input id="way-line" type="text" placeholder="x,z x,z …" .value=${textOf(candidates.line)} @change=${(
      event: Event,
    ) => {
      const input = event.target as HTMLInputElement;
      const line = lineOf(input.value);
      if (line) candidates.draw(line);
      else input.value = textOf(candidates.line);
    }}>
    <span class="row">
      <button class="button small" type="button" aria-pressed=${candidates.drawing} @click=${() => {
        candidates.drawing = !candidates.drawing;
        candidates.draw(candidates.line);
      }}>${candidates.drawing ? "Done drawing" : "Draw on the ground"}</button>
      ${candidates.line.length ? html`<button class="button small" type="button" @click=${() => candidates.draw(candidates.line.slice(0, -1))}>Remove last point</button>` : nothing}
    </span>
    ${candidates.drawing ? html`<small>Click the ground: each click adds a point of the path.</small>` : nothing}</div>`;
}

function list({ candidates }: Inbetween): TemplateResult | typeof nothing {
  if (candidates.found.length === 0) return nothing;
  return html`<ol class="cards way-list" aria-label="Motions" @pointerleave=${() => candidates.look(undefined)}>${candidates.found.map(
    ({ frames, speed, peakJerk, footSkate, path, method }, i) => html`
    <li class=${classMap({ card: true, selected: candidates.seen === i })} ${styled({ "--clip": clipColor(i) })}
        @pointerenter=${() => candidates.look(i)} @focusin=${() => candidates.look(i)}>
      <div class="card-head">
        <button class="name" type="button" title="Use this motion" @click=${() => candidates.take(i)}><span class="chip" aria-hidden="true"></span>
          <span>${i + 1}: ${methodName(typeof method === "string" ? method : method.name)}</span></button>
        ${path.length > 1 ? html`<button class="button small" type="button" aria-label="More motions like motion ${i + 1}" @click=${() => void candidates.find(path)}>More like this</button>` : nothing}
      </div>
      <span
        class="facts">${count(frames, "frame")}${speed ? `, ${speed}` : ""}. Foot skate ${millimetres(footSkate)}, peak jerk ${jerk(peakJerk)}</span>
    </li>`,
  )}</ol>`;
}

/** The panel of the candidates. */
export const candidates = (mode: Inbetween): Panel => ({
  id: "candidates",
  title: "Motions to choose from",
  region: "left",
  note: () => String(mode.candidates.found.length || ""),
  view: () => {
    const { candidates, document } = mode;
    if (!candidates.possible) return html`<p class="quiet">Motions to choose from need exactly two keys.</p>`;
    const all: [string | undefined, string][] = [
      [undefined, "The keys'"],
      ...candidates.styles.map((style): [string, string] => [style, style]),
    ];
    return html`
      ${candidates.isRanked ? html`<p class="quiet">By every available method, the most natural first.</p>` : nothing}
      ${candidates.styles.length ? chips("Style", all, candidates.request.style, (style) => candidates.ask({ style })) : nothing}
      ${pathMethod ? chips("Speed", SPEEDS, candidates.request.keepFrames ? undefined : candidates.request.speed, (speed) => candidates.ask({ speed, keepFrames: false })) : nothing}
      ${chips(
        "Duration",
        [
          [false, "Its own"],
          [true, count(document.gaps[0] ?? 0, "frame")],
        ] as const,
        candidates.request.keepFrames,
        (keepFrames) => candidates.ask({ keepFrames }),
      )}
      ${pathMethod ? drawing(mode) : nothing}
      <span class="row"><button class="button" type="button"
        @click=${() => void candidates.find()}>${candidates.found.length ? "Find others" : "Find motions"}</button>
        ${
          candidates.found.length
            ? html`<button class="button small" type="button" @click=${() => {
                candidates.clear();
                mode.app.requestUpdate();
              }}>Clear</button>`
            : nothing
        }</span>
      ${candidates.busy ? html`<progress max="1" .value=${candidates.busy.progress.done} aria-label="Finding motions"></progress>` : nothing}
      ${candidates.problem ? html`<div class="trouble" role="alert"><p>${icon("warn")} ${sentence(candidates.problem.message)}</p></div>` : nothing}
      ${list(mode)}`;
  },
});
