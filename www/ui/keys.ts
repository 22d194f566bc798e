/** Maps keys to commands, unless the focused element needs them. */
import type { App } from "../core/app";
import { chord } from "../core/command";
import { allCommands } from "../core/commands";

/** Whether the focused element handles the key itself. */
function isHandledByElement(event: KeyboardEvent, keys: string): boolean {
  const target = event.target as HTMLElement;
  // Text fields have undo, redo and movement by words of their own, but not the other commands with Ctrl or Cmd.
  if (keys.startsWith("mod+") && !/[zy]$|arrow/.test(keys)) return false;
  if (
    target.matches("input:not([type=range], [type=checkbox], [type=radio], [type=file]), textarea, [contenteditable]")
  )
    return true;
  if (keys.startsWith("mod+")) return false;
  // These change their value by the arrow keys. A list also jumps to the entry that begins with a typed letter.
  if (target.matches("select")) return /arrow|home|end|^(shift\+)?.$/.test(keys) && !keys.startsWith("alt+");
  if (target.matches("input[type=range]")) return /arrow|home|end/.test(keys) && !keys.startsWith("alt+");
  if (target.matches("input[type=radio]")) return /arrow|^ $/.test(keys) && !keys.startsWith("alt+");
  if (target.matches("button, a, summary, input, label, [role=slider].handle")) return keys === " " || keys === "enter";
  return false;
}

/** Runs commands when their keys are pressed. */
export function listenForKeys(app: App): void {
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const keys = chord(event);
    const command = allCommands(app).find((candidate) => candidate.keys.includes(keys));
    if (!command) return;
    const modal = document.querySelector("dialog[open]");
    if (modal && command.id !== "help") return;
    const isSingleKey = !/^(mod|alt)\+/.test(keys) && keys.replace("shift+", "").length === 1 && keys !== " ";
    if ((isSingleKey && !app.settings.singleKeys) || isHandledByElement(event, keys)) return;
    event.preventDefault();
    command.run();
  });
}
