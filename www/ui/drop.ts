/** Opens files by drop, dialog and paste. */

import { KINDS } from "../core/models";

const isMotion = (file: File): boolean => /\.bvh$/i.test(file.name);

/** Shows a veil while files are dragged over the page, and passes dropped files on. */
export function acceptDrops(
  open: (files: File[]) => void,
  words = "Drop motions for the timeline, or a character",
): void {
  const veil = document.createElement("div");
  veil.className = "veil";
  veil.hidden = true;
  veil.textContent = words;
  document.documentElement.append(veil);
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  let depth = 0;
  const over = (event: DragEvent, change: number): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth += change;
    veil.hidden = depth <= 0;
  };
  window.addEventListener("dragenter", (event) => over(event, 1));
  window.addEventListener("dragleave", (event) => over(event, -1));
  window.addEventListener("dragover", (event) => over(event, 0));
  window.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth = 0;
    veil.hidden = true;
    open(sorted([...(event.dataTransfer?.files ?? [])]));
  });
}

/** Asks for files; works from a key too. */
export function chooseFiles(open: (files: File[]) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = KINDS;
  input.className = "hidden-input";
  input.addEventListener("change", () => open(sorted([...(input.files ?? [])])));
  // In the page until the dialog closes, so that it is not garbage collected.
  document.querySelector("#file-choice")?.remove();
  input.id = "file-choice";
  input.tabIndex = -1;
  input.setAttribute("aria-hidden", "true");
  document.documentElement.append(input);
  input.click();
}

/** Motion files first, sorted by name as in a file manager. */
const sorted = (files: File[]): File[] =>
  files.sort(
    (a, b) => Number(isMotion(b)) - Number(isMotion(a)) || a.name.localeCompare(b.name, undefined, { numeric: true }),
  );
