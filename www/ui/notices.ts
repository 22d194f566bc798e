/** The messages at the foot of the page. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../core/app";
import { icon } from "./icons";

/** Renders the current notice and all questions. */
export function noticeArea({ notices }: App): TemplateResult {
  const { current, questions } = notices;
  return html`<div class="notice-area" aria-live="polite">
    ${questions.map(
      (question) => html`<div class="notice question ${question.kind}" role="alertdialog" aria-label="Message"
      aria-describedby="message-${question.topic}">
      <span id="message-${question.topic}">${question.text}</span>
      ${question.actions.map(
        ({ label, run }) =>
          html`<button class="button small" type="button" @click=${() => {
            run();
            notices.dismiss(question);
          }}>${label}</button>`,
      )}
      <button class="tool small" type="button" aria-label="Close" title="Close"
        @click=${() => notices.dismiss(question)}>${icon("remove")}</button>
    </div>`,
    )}
    ${current ? html`<p class="notice ${current.kind}">${current.text}</p>` : nothing}
  </div>`;
}
