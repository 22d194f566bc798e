/** The line at the foot of the page: automatic downloads, with a switch. */
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
  if (auto.isReady) return `Automatic has what it needs (${size}).`;
  if (!settings.improve) return "Automatic fetches nothing by itself.";
  const reason = reasonNotToLoad();
  if (reason) return `Automatic fetches nothing by itself: ${reason}.`;
  return `Automatic fetches ${size} once the figure moves.`;
}

/** The line at the foot of the page. */
export const footer = (app: App): TemplateResult => html`<footer class="foot">
  <span>${downloadState(app)} <a href="./judge.html">How it chooses</a></span>
  <label class="switch" title="Remembered in this browser"><input type="checkbox" role="switch" .checked=${app.settings.improve}
    @change=${() => app.set({ improve: !app.settings.improve })}><span>Improve results by itself (${megabytes(JUDGE_BYTES)} MB, once)</span></label>
</footer>`;
