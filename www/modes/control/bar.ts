/** The bar below the stage: pause, recording, demo walk. */
import { html, nothing, type TemplateResult } from "lit-html";
import { duration } from "../../core/format";
import { sendToStitch } from "../../core/send";
import { naturalLane } from "../../timeline/natural";
import { icon } from "../../ui/icons";
import type { Control } from "./control";

/** Renders the bar below the stage. */
export function renderBar(mode: Control): TemplateResult {
  const isDisabled = !mode.actor;
  const { seconds, recorded } = mode.recorder;
  const isRecording = seconds !== undefined;
  return html`<div class="steer-bar">
    <div class="row">
      <button class="tool big" type="button" title=${mode.paused ? "Continue (Space)" : "Pause (Space)"}
        aria-label=${mode.paused ? "Continue" : "Pause"} ?disabled=${isDisabled}
        @click=${() => mode.pause(!mode.paused)}>${icon(mode.paused ? "play" : "pause")}</button>
      <button class="button ${isRecording ? "on" : ""}" type="button" title=${isRecording ? "Stop recording (R)" : "Record the motion as a clip (R)"}
        ?disabled=${isDisabled || (!isRecording && !mode.settled)} @click=${() => mode.record(!isRecording)}>
        <i class="record-dot ${isRecording ? "on" : ""}" aria-hidden="true"></i>${isRecording ? `Stop, ${Math.floor(seconds)} s` : "Record"}</button>
      <button class="button" type="button" title="Walks along a path until you steer (O)" aria-pressed=${mode.isDemo}
        ?disabled=${isDisabled} @click=${() => mode.setDemo(!mode.isDemo)}>Demo walk</button>
    </div>
    ${
      recorded
        ? html`<div class="row" role="group" aria-label="Recording">
      <span class="facts">Recorded ${duration(recorded.seconds)}, ${recorded.clip.frames.toLocaleString("en")} frames</span>
      <button class="button" type="button" title="Use the motion as a clip in Stitch (Ctrl+Enter)"
        @click=${() => void sendToStitch(mode.app)}>Send to Stitch</button>
      <button class="link" type="button" @click=${() => {
        mode.recorder.discard();
        mode.app.requestUpdate();
      }}>Discard</button>
    </div>
    ${naturalLane(mode.app, recorded.clip, recorded.clip.frames)}`
        : nothing
    }
  </div>`;
}
