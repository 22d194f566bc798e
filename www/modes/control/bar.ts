/** The bar below the stage: pause, recording, demo path. */
import { html, nothing, type TemplateResult } from "lit-html";
import { duration } from "../../core/format";
import { sendToStitch } from "../../core/send";
import { naturalLane } from "../../timeline/natural";
import { icon } from "../../ui/icons";
import type { Control } from "./control";

/** Renders the bar below the stage. */
export function bar(mode: Control): TemplateResult {
  const none = !mode.actor;
  const { seconds, recorded } = mode.recorder;
  const recording = seconds !== undefined;
  return html`<div class="steer-bar">
    <div class="row">
      <button class="tool big" type="button" title=${mode.paused ? "Go on (Space)" : "Pause (Space)"}
        aria-label=${mode.paused ? "Go on" : "Pause"} ?disabled=${none}
        @click=${() => mode.pause(!mode.paused)}>${icon(mode.paused ? "play" : "pause")}</button>
      <button class="button" type="button" title="Record the motion as a clip (R)" aria-pressed=${recording}
        ?disabled=${none} @click=${() => mode.record(!recording)}>
        <i class="record-dot ${recording ? "on" : ""}" aria-hidden="true"></i>${recording ? `Stop, ${Math.floor(seconds)} s` : "Record"}</button>
      <button class="button" type="button" title="Walks by itself until you steer (O)" aria-pressed=${mode.isDemo}
        ?disabled=${none} @click=${() => mode.demo(!mode.isDemo)}>Walk by itself</button>
    </div>
    ${
      recorded
        ? html`<div class="row" role="group" aria-label="Recording">
      <span class="facts">Recorded ${duration(recorded.seconds)}, ${recorded.clip.frames.toLocaleString("en")} frames</span>
      <button class="button" type="button" title="Use the motion as a clip in Stitch (Ctrl+Enter)"
        @click=${() => void sendToStitch(mode.app)}>Send to Stitch</button>
      <button class="link" type="button" @click=${() => {
        mode.recorder.forget();
        mode.app.requestUpdate();
      }}>Discard</button>
    </div>
    ${naturalLane(mode.app, recorded.clip, recorded.clip.frames)}`
        : nothing
    }
  </div>`;
}
