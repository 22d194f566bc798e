/** The playback controls: play, step, speed, loop, and the position of the playhead. */
import { html, type TemplateResult } from "lit-html";
import type { App } from "../core/app";
import { SPEEDS } from "../core/commands";
import { clockTime } from "../core/format";
import { jumpToMark } from "../core/marks";
import { choice } from "./choice";
import { icon, type IconName } from "./icons";

const transportButton = (
  label: string,
  name: IconName,
  run: () => void,
  disabled: boolean,
  big = false,
): TemplateResult =>
  html`<button class="tool ${big ? "big" : ""}" type="button" title=${label} aria-label=${label.replace(/ \(.*/, "")}
    ?disabled=${disabled} @click=${run}>${icon(name)}</button>`;

/** Renders the playback controls of the current mode. */
export function transport({ mode }: App): TemplateResult {
  const { clock: playback, track } = mode;
  const isEmpty = playback.frames === 0;
  const marks = mode.marks();
  const seek = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    if (Number.isFinite(input.valueAsNumber)) {
      playback.play(false);
      playback.seek(Math.round(input.valueAsNumber) - 1);
    }
    // A number outside the motion or an empty field is replaced by the current frame.
    input.value = String(playback.shownFrame + 1);
  };
  return html`<section class="transport" aria-label="Playback">
    <div class="group">
      <label class="frame-field">Frame <input id="frame" type="number" min="1" max=${playback.frames}
        ?disabled=${isEmpty} @change=${seek}></label>
      <span class="of">of ${playback.frames.toLocaleString("en")}</span>
      <span class="clock"></span>
    </div>
    <div class="group middle">
      ${transportButton("First frame (Home)", "first", () => playback.seek(0), isEmpty)}
      ${transportButton("One frame back (←)", "back", () => playback.step(-1), isEmpty)}
      ${transportButton(
        playback.playing ? "Pause (Space)" : "Play (Space)",
        playback.playing ? "pause" : "play",
        () => playback.play(),
        isEmpty,
        true,
      )}
      ${transportButton("One frame forward (→)", "forward", () => playback.step(1), isEmpty)}
      ${transportButton("Last frame (End)", "last", () => playback.seek(playback.frames - 1), isEmpty)}
      ${transportButton(`Next ${marks.name} (N)`, "seam", () => jumpToMark(mode, 1), marks.list.length === 0)}
      <button class="tool" type="button" title="Loop (L)" aria-label="Loop" aria-pressed=${playback.loop}
        @click=${() => playback.setLoop(!playback.loop)}>${icon("loop")}</button>
    </div>
    <div class="group end">
      ${
        playback.range
          ? html`<button class="button small" type="button" aria-label="Stop looping the ${marks.name}"
            @click=${() => playback.setRange(undefined)}>Stop looping</button>`
          : ""
      }
      <label class="speed-field">Speed
        <select ${choice(String(playback.speed))}
          @change=${(event: Event) => playback.setSpeed(Number((event.target as HTMLSelectElement).value))}>
          ${SPEEDS.map((speed) => html`<option value=${speed}>${speed}×</option>`)}
        </select></label>
      <span class="zoom">
        <button class="tool" type="button" title="Zoom the timeline in" aria-label="Zoom the timeline in"
          ?disabled=${!track.zoomLimits.canIn} @click=${() => track.zoom(1)}>${icon("add")}</button>
        <button class="tool" type="button" title="Zoom the timeline out" aria-label="Zoom the timeline out"
          ?disabled=${!track.zoomLimits.canOut} @click=${() => track.zoom(-1)}>${icon("minus")}</button>
      </span>
    </div>
  </section>`;
}

/** Updates the displayed frame and time, without a new render. */
export function showFrame({ clock: playback }: App): void {
  const field = document.querySelector<HTMLInputElement>("#frame");
  if (field && document.activeElement !== field) field.value = String(playback.frames ? playback.shownFrame + 1 : 0);
  const output = document.querySelector(".clock");
  if (output) output.textContent = clockTime(playback.frames ? playback.shownFrame / playback.fps : 0);
}
