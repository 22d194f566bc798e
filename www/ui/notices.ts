/** The messages at the foot of the page. */
import { html, nothing, type TemplateResult } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import type { App } from "../core/app";
import type { NoticeAction, Question } from "../core/notices";
import { icon } from "./icons";

/** The element that had the focus before a question. */
let previousFocus: HTMLElement | undefined;

/** Stores which element loses the focus to a question. */
function rememberFocus({ relatedTarget }: FocusEvent): void {
  if (relatedTarget instanceof HTMLElement && !relatedTarget.closest(".notice")) previousFocus = relatedTarget;
}

/**
 * Moves the focus out of a question before it closes: to another question, else to where it was before, else to the 3D
 * view. The browser would lose the focus with the removed button.
 */
function releaseFocus(question: Element | null): void {
  if (!question?.contains(document.activeElement)) return;
  const others = [...document.querySelectorAll(".notice.question")].filter((other) => other !== question);
  const targets = [
    others.at(-1)?.querySelector("button"),
    previousFocus,
    document.querySelector<HTMLElement>("main.stage canvas"),
  ];
  for (const target of targets) {
    target?.focus();
    // A target that is hidden, disabled or removed does not take the focus.
    if (target && document.activeElement === target) return;
  }
}

/** Closes a question; runs its action first, if one was chosen. */
function close({ notices }: App, question: Question, event: Event, action?: NoticeAction): void {
  releaseFocus((event.currentTarget as Element).closest(".notice"));
  action?.run();
  notices.dismiss(question);
}

/** Renders the current notice and all questions. */
export function noticeArea(app: App): TemplateResult {
  const { current, questions } = app.notices;
  return html`<div class="notice-area" aria-live="polite">
    ${repeat(
      questions,
      ({ topic }) => topic,
      (question) => html`<div class="notice question ${question.kind}" role="alertdialog" aria-label="Message"
      @focusin=${rememberFocus}
      aria-describedby="message-${question.topic}">
      <span id="message-${question.topic}">${question.text}</span>
      ${question.actions.map(
        (action) =>
          html`<button class="button small" type="button"
            @click=${(event: Event) => close(app, question, event, action)}>${action.label}</button>`,
      )}
      <button class="tool small" type="button" aria-label="Close" title="Close"
        @click=${(event: Event) => close(app, question, event)}>${icon("remove")}</button>
    </div>`,
    )}
    ${current ? html`<p class="notice ${current.kind}">${current.text}</p>` : nothing}
  </div>`;
}
