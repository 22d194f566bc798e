/** Lets the user open files: by dropping them on the page, or in a dialog. */
import { FILE_EXTENSIONS } from "../core/models";

const isMotion = (file: File): boolean => /\.bvh$/i.test(file.name);

/** Calls `open` with the files dropped on the page. Shows `hint` while files are dragged over it. */
export function acceptDrops(open: (files: File[]) => void, hint = "Drop motions or a character"): void {
  const veil = document.createElement("div");
  veil.className = "veil";
  veil.hidden = true;
  veil.textContent = hint;
  document.documentElement.append(veil);
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  /** Number of `dragenter` events without a `dragleave`: both also occur between the elements of the page. */
  let depth = 0;
  const handleDrag = (event: DragEvent, change: number): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth += change;
    veil.hidden = depth <= 0;
  };
  window.addEventListener("dragenter", (event) => handleDrag(event, 1));
  window.addEventListener("dragleave", (event) => handleDrag(event, -1));
  window.addEventListener("dragover", (event) => handleDrag(event, 0));
  const endDrag = (): void => {
    depth = 0;
    veil.hidden = true;
  };
  // An element that is removed while files are over it causes no `dragleave`. No pointer moves during a drag, so that
  // the next movement shows that the drag has ended.
  window.addEventListener("pointermove", () => depth !== 0 && endDrag());
  window.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    endDrag();
    open(sortFiles([...(event.dataTransfer?.files ?? [])]));
  });
}

/** Opens a file dialog, and calls `open` with the chosen files. */
export function chooseFiles(open: (files: File[]) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = FILE_EXTENSIONS;
  input.className = "hidden-input";
  input.addEventListener("change", () => open(sortFiles([...(input.files ?? [])])));
  // The input stays in the page, so that it is not garbage collected while the dialog is open.
  document.querySelector("#file-choice")?.remove();
  input.id = "file-choice";
  input.tabIndex = -1;
  input.setAttribute("aria-hidden", "true");
  document.documentElement.append(input);
  input.click();
}

/** Sorts files by name as a file manager does; BVH files come first. */
const sortFiles = (files: File[]): File[] =>
  files.sort(
    (a, b) => Number(isMotion(b)) - Number(isMotion(a)) || a.name.localeCompare(b.name, undefined, { numeric: true }),
  );
