/** The line at the foot of the page: the state of automatic downloads, and a switch for them. */
import { html, type TemplateResult } from "lit-html";
import type { App } from "../core/app";
import { JUDGE_BYTES, reasonNotToLoad } from "../core/automatic";
import { megabytes } from "../core/networks";

function downloadState({ auto, settings }: App): string {
  const size = `${megabytes(JUDGE_BYTES)} MB`;
  if (auto.busy) {
    const { bytes = 0, totalBytes = 0 } = auto.busy;
    return totalBytes > 0
      ? `Loading the files of Automatic: ${megabytes(bytes)} of ${megabytes(totalBytes)} MB.`
      : "Loading the files of Automatic…";
  }
  if (auto.isReady) return `Automatic is ready: its files (${size}) are loaded.`;
  if (auto.problem) return "The files of Automatic could not be loaded.";
  if (auto.isCancelled) return "The download for Automatic was cancelled.";
  if (!settings.improve) return "Automatic does not download anything by itself.";
  const reason = reasonNotToLoad();
  if (reason) return `Automatic does not download anything by itself: ${reason}.`;
  return `Automatic will download ${size} when the first result is shown.`;
}

/** Renders the line at the foot of the page. */
export const footer = (app: App): TemplateResult => html`<footer class="foot">
  <span>${downloadState(app)} <a href="./judge.html">How it chooses</a></span>
  <label class="switch" title="Stored in this browser"><input type="checkbox" role="switch"
    .checked=${app.settings.improve}
    @change=${() => app.set({ improve: !app.settings.improve })}><span>Improve results automatically (${megabytes(
      JUDGE_BYTES,
    )} MB, once)</span></label>
</footer>`;
