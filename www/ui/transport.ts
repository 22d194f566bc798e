/** Play, step, speed, loop, and where the playhead is. */
import { html, type TemplateResult } from "lit-html";
import type { App } from "../app/app";
import { SPEEDS } from "../app/commands";
import { clock } from "../app/format";
import { jumpSeam } from "../app/seams";
import type { Timeline } from "../timeline/timeline";
import { choice } from "./choice";
import { icon, type IconName } from "./icons";

const tool = (label: string, name: IconName, run: () => void, disabled: boolean, big = false): TemplateResult =>
  html`<button class="tool ${big ? "big" : ""}" type="button" title=${label} aria-label=${label.replace(/ \(.*/, "")} ?disabled=${disabled} @click=${run}>${icon(name)}</button>`;

export function transport(app: App, timeline: Timeline): TemplateResult {
  const { playback } = app;
  const none = playback.frames === 0;
  const seams = app.shownTake()?.seams.length ?? 0;
  const seek = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    if (Number.isFinite(input.valueAsNumber)) {
      playback.play(false);
      playback.seek(Math.round(input.valueAsNumber) - 1);
    }
  };
  return html`<section class="transport" aria-label="Playback">
    <div class="group">
      <label class="frame-field">Frame <input id="frame" type="number" min="1" max=${playback.frames} ?disabled=${none} @change=${seek}></label>
      <span class="of">of ${playback.frames.toLocaleString("en")}</span>
      <span class="clock"></span>
    </div>
    <div class="group middle">
      ${tool("First frame (Home)", "first", () => playback.seek(0), none)}
      ${tool("One frame back (←)", "back", () => playback.step(-1), none)}
      ${tool(playback.playing ? "Pause (Space)" : "Play (Space)", playback.playing ? "pause" : "play", () => playback.play(), none, true)}
      ${tool("One frame forward (→)", "forward", () => playback.step(1), none)}
      ${tool("Last frame (End)", "last", () => playback.seek(playback.frames - 1), none)}
      ${tool("Next seam (N)", "seam", () => jumpSeam(app, 1), seams === 0)}
      <button class="tool" type="button" title="Loop (L)" aria-label="Loop" aria-pressed=${playback.loop} @click=${() => playback.setLoop(!playback.loop)}>${icon("loop")}</button>
    </div>
    <div class="group end">
      ${playback.range ? html`<button class="button small" type="button" @click=${() => playback.setRange(undefined)}>Stop looping the seam</button>` : ""}
      <label class="speed-field">Speed
        <select ${choice(String(playback.speed))} @change=${(event: Event) => playback.setSpeed(Number((event.target as HTMLSelectElement).value))}>
          ${SPEEDS.map((speed) => html`<option value=${speed}>${speed}×</option>`)}
        </select></label>
      <span class="zoom">
        <button class="tool" type="button" title="Timeline closer" aria-label="Timeline closer" ?disabled=${!timeline.zoomed.canIn} @click=${() => timeline.zoom(1)}>${icon("add")}</button>
        <button class="tool" type="button" title="Timeline farther" aria-label="Timeline farther" ?disabled=${!timeline.zoomed.canOut} @click=${() => timeline.zoom(-1)}>${icon("minus")}</button>
      </span>
    </div>
  </section>`;
}

/** Writes the frame and the time, without a new render. */
export function showFrame({ playback }: App): void {
  const field = document.querySelector<HTMLInputElement>("#frame");
  if (field && document.activeElement !== field) field.value = String(playback.frames ? playback.shown + 1 : 0);
  const output = document.querySelector(".clock");
  if (output) output.textContent = clock(playback.frames ? playback.shown / playback.fps : 0);
}
