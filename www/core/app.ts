/** What all modes share: files, networks, settings, notices, and which mode is shown. */
import type { Host } from "./command";
import { Library } from "./library";
import type { Mode } from "./mode";
import { Networks } from "./networks";
import { Notices, type Notice } from "./notices";
import type { Playback } from "./playback";
import { keepSettings, readSettings, type Settings } from "./settings";

export class App {
  readonly library: Library;
  readonly networks: Networks;
  readonly notices: Notices;
  readonly host: Host;
  readonly modes: readonly Mode[];
  mode: Mode;
  settings: Settings = readSettings();
  /** The clock moved since the page was last drawn. */
  moved = true;
  #listeners = new Set<() => void>();
  #scheduled = false;

  constructor(host: Host, makers: readonly ((app: App) => Mode)[]) {
    this.host = host;
    const changed = (): void => this.changed();
    this.library = new Library(changed);
    this.networks = new Networks("stitch", changed);
    this.notices = new Notices(changed);
    this.modes = makers.map((make) => make(this));
    for (const { clock } of this.modes) {
      clock.onState = changed;
      clock.onFrame = () => (this.moved = true);
    }
    this.mode = this.modes.find(({ id }) => `#${id}` === location.hash) ?? this.modes[0];
  }

  get clock(): Playback {
    return this.mode.clock;
  }

  /** Tells everyone, once per animation frame. */
  changed(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // A hidden tab gets no animation frames, and its results should be ready all the same.
    const soon = document.hidden ? (run: () => void) => setTimeout(run, 16) : requestAnimationFrame;
    soon(() => {
      this.#scheduled = false;
      this.mode.update();
      for (const listener of this.#listeners) listener();
    });
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Shows another mode, and says so in the address; the one before keeps its document. */
  show(id: string): void {
    const next = this.modes.find((mode) => mode.id === id);
    if (!next || next === this.mode) return;
    this.mode.clock.play(false);
    this.mode.leave();
    this.mode = next;
    this.moved = true;
    history.replaceState(null, "", next === this.modes[0] ? location.pathname : `#${next.id}`);
    next.enter();
    this.changed();
  }

  get unsaved(): boolean {
    return this.modes.some((mode) => mode.unsaved);
  }

  undo(): void {
    const label = this.mode.history.undo();
    if (label) this.notify(`Undone: ${label}`);
    this.changed();
  }

  redo(): void {
    const label = this.mode.history.redo();
    if (label) this.notify(`Done again: ${label}`);
    this.changed();
  }

  set(settings: Partial<Settings>): void {
    this.settings = { ...this.settings, ...settings };
    keepSettings(this.settings);
    this.changed();
  }

  notify(text: string, kind?: Notice["kind"]): void {
    this.notices.tell(text, kind);
  }
}
