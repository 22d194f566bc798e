/** The dialog of keys, created from the list of commands. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../core/app";
import type { Command } from "../core/command";
import { allCommands } from "../core/commands";
import { icon } from "./icons";

const MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);
/** Labels of key caps, by the names of keys in `Command.keys`. Other names are displayed in upper case. */
const KEY_CAPS: Record<string, string> = {
  mod: MAC ? "⌘" : "Ctrl",
  alt: MAC ? "⌥" : "Alt",
  shift: "Shift",
  " ": "Space",
  arrowleft: "←",
  arrowright: "→",
  arrowup: "↑",
  arrowdown: "↓",
  delete: "Del",
  backspace: "⌫",
  escape: "Esc",
  enter: "Enter",
  home: "Home",
  end: "End",
};

function keyCaps(chord: string): string[] {
  const parts = chord === "+" ? ["+"] : chord.split("+");
  return parts.map((part) => KEY_CAPS[part] ?? part.toUpperCase());
}

/** Groups commands by their headings, in the order in which the headings first appear. */
function groupCommands(commands: readonly Command[]): Map<string, Command[]> {
  const groups = new Map<string, Command[]>();
  for (const command of commands) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return groups;
}

const keyRow = (action: string, chords: readonly string[]): TemplateResult => {
  const keys = chords.map((chord, i) => {
    const caps = keyCaps(chord).map((cap) => html`<kbd>${cap}</kbd>`);
    return html`${i ? html`<span class="or">or</span>` : ""}${caps}`;
  });
  return html`<div><dt>${action}</dt><dd>${keys}</dd></div>`;
};

/** Renders the dialog of keys. */
export const helpSheet = (app: App): TemplateResult => html`
  <dialog id="help" class="sheet" aria-labelledby="help-title" @click=${(event: Event) => {
    if (event.target === event.currentTarget) (event.currentTarget as HTMLDialogElement).close();
  }}>
    <div class="sheet-inner">
      <div class="sheet-head"><h2 id="help-title">Keys</h2>
        <form method="dialog"><button class="tool"
          aria-label="Close" title="Close (Esc)">${icon("remove")}</button></form></div>
      <div class="sheet-groups">
        ${
          app.mode.realTime
            ? html`<section><h3>Character: held keys</h3><dl>
          ${app.mode.realTime.steering.map(([action, keys]) => keyRow(action, keys))}
        </dl></section>`
            : nothing
        }
        ${[...groupCommands(allCommands(app))].map(
          ([group, commands]) => html`<section><h3>${group}</h3><dl>
          ${commands.map(({ title, keys }) => keyRow(title, keys))}
        </dl></section>`,
        )}
        <section><h3>Pointer</h3><dl>
          <div><dt>Orbit, pan, zoom</dt><dd>drag, right drag, wheel</dd></div>
          ${app.mode.gestures.map(([action, gesture]) => html`<div><dt>${action}</dt><dd>${gesture}</dd></div>`)}
          ${
            app.mode.realTime
              ? nothing
              : html`<div><dt>Zoom the timeline</dt><dd><kbd>${KEY_CAPS.mod}</kbd> wheel</dd></div>`
          }
        </dl></section>
      </div>
      <label class="switch"><input type="checkbox" role="switch" .checked=${app.settings.singleKeys}
        @change=${() => app.set({ singleKeys: !app.settings.singleKeys })}><span>Single-key shortcuts</span></label>
    </div>
  </dialog>`;

/** Opens or closes the dialog of keys. */
export function toggleHelp(): void {
  const dialog = document.querySelector<HTMLDialogElement>("#help");
  if (dialog?.open) dialog.close();
  else dialog?.showModal();
}
