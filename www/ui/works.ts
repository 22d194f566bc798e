/** The list of other work stored in this browser, with buttons to open, save and remove each. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../core/app";
import { problemOf, sentence } from "../core/engine";
import { count } from "../core/format";
import { readOtherWorks, saveSlot, type OtherWork } from "../core/other-works";
import { removeSlot } from "../core/store";
import { setWorkIdOfTab } from "../core/tab";

let otherWorks: readonly OtherWork[] = [];

/** Reads the list again. */
export async function refreshOtherWorks(app: App): Promise<void> {
  otherWorks = await readOtherWorks().catch(() => []);
  app.requestUpdate();
}

/** Returns a title: the name of the first motion and the number of others, or "Work" if the record cannot be read. */
function title({ kept, good }: OtherWork["slot"]): string {
  const { sources } = (kept ?? good ?? {}) as { sources?: unknown };
  if (!Array.isArray(sources) || sources.length === 0) return "Work";
  const name = (sources[0] as { name?: unknown } | null)?.name;
  const others = sources.length > 1 ? ` and ${count(sources.length - 1, "other file")}` : "";
  return `${typeof name === "string" ? name.slice(0, 40) : "Work"}${others}`;
}

function row(app: App, { slot, isOpen }: OtherWork): TemplateResult {
  const open = async (): Promise<void> => {
    // After the reload, this tab's work appears in this list.
    await app.host.storeWork();
    setWorkIdOfTab(slot.id);
    location.assign(location.pathname);
  };
  const removeWork = async (): Promise<void> => {
    await removeSlot(slot.id).catch((error: unknown) => app.notify(sentence(problemOf(error).message), "error"));
    await refreshOtherWorks(app);
  };
  const savedTime = slot.saved ? new Date(slot.saved).toLocaleString() : "";
  const state = slot.fault !== undefined ? "cannot be opened" : isOpen ? "open in another tab" : "";
  const details = [savedTime, state].filter(Boolean).join(", ");
  const name = title(slot);
  const label = (action: string): string => [`${action} ${name}`, details].filter(Boolean).join(", ");
  return html`<li><span>${name} <small class="quiet">${details}</small></span>
    ${
      slot.fault === undefined && !isOpen
        ? html`<button class="button small" type="button" aria-label=${label("Open")}
          @click=${() => void open()}>Open</button>`
        : nothing
    }
    <button class="button small" type="button" aria-label=${label("Save")}
      @click=${() => void saveSlot(app, slot)}>Save</button>
    ${
      isOpen
        ? nothing
        : html`<button class="button small" type="button" aria-label=${label("Remove")}
          @click=${() => void removeWork()}>Remove</button>`
    }
  </li>`;
}

/** Renders the list of other stored work; nothing if there is none. */
export const otherWorksList = (app: App): TemplateResult | typeof nothing =>
  otherWorks.length === 0
    ? nothing
    : html`<h3>Other work in this browser</h3><ul class="works">${otherWorks.map((other) => row(app, other))}</ul>`;
