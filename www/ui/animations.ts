/** The dialog "Animations": lists the animations of a file, with small moving figures, to add some or all as clips. */
import { html, nothing, render, type TemplateResult } from "lit-html";
import { load } from "kinestitch/worker";
import { posesOf } from "../core/engine";
import { count } from "../core/format";
import { listModelAnimations, toReadableFile } from "../core/models";
import { Mini } from "../viewer/mini";
import { icon } from "./icons";

/** An animation in the list. */
interface Row {
  name: string;
  seconds: number;
  isChosen: boolean;
  mini: Mini;
}

/** Creates a figure that plays an animation; the animation is read when the figure is first visible. */
function createMini(file: File, animation: string, signal: AbortSignal, queue: { last: Promise<unknown> }): Mini {
  const mini = new Mini();
  let isRequested = false;
  const read = async (): Promise<void> => {
    if (signal.aborted) return;
    const clip = await load(await toReadableFile(file, signal), { animation, signal });
    const poses = await posesOf(clip);
    clip.free();
    if (poses.frames > 0) mini.set({ poses, frame: Math.floor(poses.frames / 2) });
  };
  mini.onVisible = () => {
    if (isRequested) return;
    isRequested = true;
    // One after another, so that a file of a hundred animations does not fill the worker's queue.
    queue.last = queue.last.then(read).catch(() => undefined);
  };
  return mini;
}

/** The dialog, of one file. */
class AnimationDialog {
  readonly element = document.createElement("dialog");
  readonly #file: File;
  readonly #rows: readonly Row[];
  readonly #add: (names: readonly string[]) => void;
  readonly #stop = new AbortController();
  #search = "";

  constructor(
    file: File,
    animations: readonly { name: string; seconds: number }[],
    add: (names: readonly string[]) => void,
  ) {
    this.#file = file;
    this.#add = add;
    const queue = { last: Promise.resolve() };
    this.#rows = animations.map(({ name, seconds }) => ({
      name,
      seconds,
      isChosen: false,
      mini: createMini(file, name, this.#stop.signal, queue),
    }));
    this.element.id = "animations";
    this.element.className = "sheet";
    this.element.setAttribute("aria-labelledby", "animations-title");
    this.element.addEventListener("close", () => {
      this.#stop.abort();
      this.element.remove();
    });
    this.element.addEventListener("click", ({ target }) => target === this.element && this.element.close());
  }

  open(): void {
    document.body.append(this.element);
    this.#render();
    this.element.showModal();
  }

  get #found(): readonly Row[] {
    const words = this.#search.toLowerCase().split(/\s+/).filter(Boolean);
    return this.#rows.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  }

  #submit(rows: readonly Row[]): void {
    this.element.close();
    this.#add(rows.map(({ name }) => name));
  }

  #row(row: Row): TemplateResult {
    const toggle = (): void => {
      row.isChosen = !row.isChosen;
      this.#render();
    };
    return html`<li><label class="animation">
      <input type="checkbox" .checked=${row.isChosen} @change=${toggle}>
      ${row.mini.element}
      <span>${row.name}</span>
      <small class="quiet">${row.seconds.toFixed(1)} s</small>
    </label></li>`;
  }

  #render(): void {
    const found = this.#found;
    const chosen = this.#rows.filter(({ isChosen }) => isChosen);
    const search = (event: InputEvent): void => {
      this.#search = (event.currentTarget as HTMLInputElement).value;
      this.#render();
    };
    render(
      html`<div class="sheet-inner">
        <div class="sheet-head"><h2 id="animations-title">Animations of ${this.#file.name}</h2>
          <form method="dialog"><button class="tool"
            aria-label="Close" title="Close (Esc)">${icon("remove")}</button></form></div>
        <input type="search" aria-label="Search animations" placeholder="Search ${this.#rows.length} animations"
          @input=${search}>
        ${found.length === 0 ? html`<p class="quiet" role="status">No animation has this name.</p>` : nothing}
        <ul class="animations">${found.map((row) => this.#row(row))}</ul>
        <span class="row">
          <button class="button primary" type="button" ?disabled=${chosen.length === 0}
            @click=${() => this.#submit(chosen)}>Add ${count(chosen.length, "clip")}</button>
          <button class="button" type="button" ?disabled=${found.length === 0}
            @click=${() => this.#submit(found)}>Add all ${found.length}</button>
        </span>
      </div>`,
      this.element,
    );
  }
}

/** Opens the dialog. `add` gets the names of the animations that the user takes. */
export async function chooseAnimations(file: File, add: (names: readonly string[]) => void): Promise<void> {
  const animations = await listModelAnimations(file);
  new AnimationDialog(
    file,
    animations.filter(({ moves }) => moves),
    add,
  ).open();
}
