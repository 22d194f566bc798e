/** The panel of candidates: style, speed, duration and path of the request, and the motions that were found. */
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
import type { GroundPath } from "../candidates";
import { methodName, pathMethod } from "../methods";

const SPEEDS: readonly (readonly [InbetweenSpeed | undefined, string])[] = [
  [undefined, "Any"],
  ["slow", "Slow"],
  ["medium", "Medium"],
  ["fast", "Fast"],
];

function chips<T>(
  legend: string,
  options: readonly (readonly [T, string])[],
  current: T,
  choose: (value: T) => void,
): TemplateResult {
  return html`<div class="option-chips" role="group" aria-label=${legend}><span>${legend}</span>${options.map(
    ([value, name]) =>
      html`<button class="option-chip" type="button" aria-pressed=${value === current} @click=${() => choose(value)}>${name}</button>`,
  )}</div>`;
}

/** Formats a path as text, for keyboard input. */
const formatPath = (path: GroundPath): string =>
  path.map((point) => point.map((value) => value.toFixed(2)).join(",")).join(" ");

/** Reads a path from text; `undefined` if it is not valid. */
function parsePath(text: string): GroundPath | undefined {
  const points = text
    .trim()
    .replace(/\s*,\s*/g, ",")
    .split(/\s+/)
    .filter(Boolean)
    // `Number("")` is 0.
    .map((point) => point.split(",").map((word) => (word === "" ? NaN : Number(word))));
  return points.every((point) => point.length === 2 && point.every(Number.isFinite))
    ? points.map(([x, z]) => [x, z] as const)
    : undefined;
}

/** Renders the fields for a path on the ground. */
function pathFields({ app, candidates }: Inbetween): TemplateResult {
  return html`<div class="field"><label for="path-line">Path on the ground</label>
    <input id="path-line" type="text" placeholder="x,z x,z …" .value=${formatPath(candidates.drawnPath)} @change=${(
      event: Event,
    ) => {
      const input = event.target as HTMLInputElement;
      const path = parsePath(input.value);
      if (path) candidates.setDrawnPath(path);
      else {
        input.value = formatPath(candidates.drawnPath);
        app.notify("This is not a path. Write points in metres, such as 1,0.5 2,1.", "error");
      }
    }}>
    <span class="row">
      <button class="button small" type="button" aria-pressed=${candidates.isDrawing} @click=${() => {
        candidates.isDrawing = !candidates.isDrawing;
        app.requestUpdate();
      }}>${candidates.isDrawing ? "Stop drawing" : "Draw on the ground"}</button>
      ${
        candidates.drawnPath.length
          ? html`<button class="button small" type="button"
          @click=${() => candidates.setDrawnPath(candidates.drawnPath.slice(0, -1))}>Remove last point</button>`
          : nothing
      }
    </span>
    ${candidates.isDrawing ? html`<small>Click the ground: each click adds a point of the path.</small>` : nothing}</div>`;
}

function motionList({ candidates }: Inbetween): TemplateResult | typeof nothing {
  if (candidates.motions.length === 0) return nothing;
  const onFocusOut = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    if (!(currentTarget as Element).contains(relatedTarget as Node | null)) candidates.preview(undefined);
  };
  return html`<ol class="cards candidate-list" aria-label="Motions" @focusout=${onFocusOut}
    @pointerleave=${() => candidates.preview(undefined)}>${candidates.motions.map(
      ({ frames, speed, peakJerk, footSkate, path, method }, i) => html`
    <li class=${classMap({ card: true, selected: candidates.previewed === i })} ${styled({ "--clip": clipColor(i) })}
        @pointerenter=${() => candidates.preview(i)} @focusin=${() => candidates.preview(i)}>
      <div class="card-head">
        <button class="name" type="button" title="Use this motion" @click=${() => candidates.accept(i)}><span class="chip" aria-hidden="true"></span>
          <span>${i + 1}: ${methodName(typeof method === "string" ? method : method.name)}</span></button>
        ${
          path.length > 1
            ? html`<button class="button small" type="button" aria-label="More motions like motion ${i + 1}"
            @click=${() => void candidates.find(path)}>More like this</button>`
            : nothing
        }
      </div>
      <span
        class="facts">${count(frames, "frame")}${speed ? `, ${speed}` : ""}. Foot skate ${millimetres(footSkate)}, peak jerk ${jerk(peakJerk)}</span>
    </li>`,
    )}</ol>`;
}

/** Creates the panel of the candidates. */
export const candidatesPanel = (mode: Inbetween): Panel => ({
  id: "candidates",
  title: "Motions to choose from",
  region: "left",
  note: () => String(mode.candidates.motions.length || ""),
  view: () => {
    const { candidates, document } = mode;
    if (!candidates.isPossible)
      return html`<p class="quiet">With exactly two keys, you can choose from several motions.</p>`;
    const styleOptions: [string | undefined, string][] = [
      [undefined, "Style of the keys"],
      ...candidates.styles.map((style): [string, string] => [style, style]),
    ];
    return html`
      ${candidates.isRanked ? html`<p class="quiet">Motions by every available method, the most natural first.</p>` : nothing}
      ${candidates.styles.length ? chips("Style", styleOptions, candidates.request.style, (style) => candidates.changeRequest({ style })) : nothing}
      ${
        pathMethod
          ? chips("Speed", SPEEDS, candidates.request.keepFrames ? undefined : candidates.request.speed, (speed) =>
              candidates.changeRequest({ speed, keepFrames: false }),
            )
          : nothing
      }
      ${chips(
        "Duration",
        [
          [false, "Any"],
          [true, count(document.gaps[0] ?? 0, "frame")],
        ] as const,
        candidates.request.keepFrames,
        (keepFrames) => candidates.changeRequest({ keepFrames }),
      )}
      ${pathMethod ? pathFields(mode) : nothing}
      <span class="row"><button class="button" type="button"
        @click=${() => void candidates.find()}>${candidates.motions.length ? "Find other motions" : "Find motions"}</button>
        ${
          candidates.motions.length
            ? html`<button class="button small" type="button" @click=${() => {
                candidates.clear();
                mode.app.requestUpdate();
              }}>Clear</button>`
            : nothing
        }</span>
      ${candidates.busy ? html`<progress max="1" .value=${candidates.busy.progress.done} aria-label="Finding motions"></progress>` : nothing}
      ${candidates.problem ? html`<div class="trouble" role="alert"><p>${icon("warn")} ${sentence(candidates.problem.message)}</p></div>` : nothing}
      ${motionList(mode)}`;
  },
});
