/** State shared by all modes: files, networks, settings, notices, and the current mode. */
import { Automatic } from "./automatic";
import { CharacterStore } from "./character";
import type { Host } from "./command";
import { Library } from "./library";
import type { Mode, ModeEntry } from "./mode";
import { Networks } from "./networks";
import { Notices, type Notice } from "./notices";
import type { Playback } from "./playback";
import { storeSettings, readSettings, type Settings } from "./settings";
import { AppHistory } from "./app-history";

/** State of the page that all modes share. */
export class App {
  readonly library: Library;
  readonly networks: Networks;
  readonly auto: Automatic;
  readonly characters: CharacterStore;
  readonly notices: Notices;
  /** Undo steps that concern more than the document of one mode. */
  readonly history = new AppHistory();
  readonly host: Host;
  readonly modes: readonly ModeEntry[];
  readonly #modesById = new Map<string, Mode>();
  #mode: Mode | undefined;
  settings: Settings = readSettings();
  /** Whether the motion has been displayed once: code that is not needed for that is loaded afterwards. */
  isDrawn = false;
  /** Whether the clock has moved since the page was last drawn. */
  frameChanged = true;
  #listeners = new Set<() => void>();
  #scheduled = false;

  constructor(host: Host, modes: readonly ModeEntry[]) {
    this.host = host;
    const changed = (): void => this.changed();
    this.library = new Library(changed);
    this.networks = new Networks("stitch", changed);
    this.auto = new Automatic(changed);
    this.characters = new CharacterStore(changed);
    this.notices = new Notices(changed);
    this.modes = modes;
  }

  /** The app in the mode of the address, which is loaded. */
  static async start(host: Host, modes: readonly ModeEntry[]): Promise<App> {
    const app = new App(host, modes);
    const wanted = modes.find(({ id }) => `#${id}` === location.hash) ?? modes[0];
    app.#mode = await app.#createMode(wanted);
    return app;
  }

  /** The current mode. */
  get mode(): Mode {
    if (!this.#mode) throw new Error("App.begin makes the first mode");
    return this.#mode;
  }

  get clock(): Playback {
    return this.mode.clock;
  }

  /** Notifies all listeners, once per animation frame. */
  changed(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.host.pending();
    // A hidden tab gets no animation frames, but its results should still be ready.
    const soon = document.hidden ? (run: () => void) => setTimeout(run, 16) : requestAnimationFrame;
    soon(() => {
      this.#scheduled = false;
      this.mode.update();
      const { a, b } = this.mode.displayedMotions();
      this.characters.update([a, b]);
      for (const listener of this.#listeners) listener();
    });
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Switches to another mode, which is loaded first, and updates the address; the previous mode keeps its document.
   * Resolves to the mode, or to `undefined` where it cannot be loaded.
   */
  async show(id: string): Promise<Mode | undefined> {
    const entry = this.modes.find((mode) => mode.id === id);
    if (!entry) return undefined;
    let next: Mode;
    try {
      next = await this.#createMode(entry);
    } catch {
      this.notify(`${entry.title} could not be fetched. Check the connection and try again.`, "error");
      return undefined;
    }
    if (next === this.mode) return next;
    this.mode.clock.play(false);
    this.mode.leave();
    this.#mode = next;
    this.frameChanged = true;
    history.replaceState(null, "", entry === this.modes[0] ? location.pathname : `#${id}`);
    next.enter();
    this.changed();
    return next;
  }

  /** Shows a mode whose document was replaced; the current mode restarts with that document. */
  async reshow(id: string): Promise<void> {
    const before = this.mode;
    if ((await this.show(id)) === before) before.enter();
  }

  async #createMode({ id, create: make }: ModeEntry): Promise<Mode> {
    const created = this.#modesById.get(id) ?? (await make(this));
    // If requested twice during loading, the first instance is used.
    const mode = this.#modesById.get(id) ?? created;
    this.#modesById.set(id, mode);
    mode.clock.onState = () => this.changed();
    mode.clock.onFrame = () => (this.frameChanged = true);
    return mode;
  }

  /** Modes already created: those that were shown, or have stored work. */
  get createdModes(): Mode[] {
    return [...this.#modesById.values()];
  }

  /** A mode, loaded if necessary. */
  async loadMode(id: string): Promise<Mode | undefined> {
    const entry = this.modes.find((mode) => mode.id === id);
    return entry && this.#createMode(entry);
  }

  /** Discards all work. */
  clear(): void {
    this.characters.remove();
    for (const mode of this.createdModes) mode.storage?.clear();
    this.library.clear();
  }

  /** Returns a function that restores all work of this moment, with its undo steps. */
  capture(): () => void {
    const { id } = this.mode;
    const parts = [
      this.library.capture(),
      this.characters.capture(),
      ...this.createdModes.flatMap(({ storage: keeping }) => keeping?.capture() ?? []),
    ];
    return () => {
      this.clear();
      for (const part of parts) part();
      void this.reshow(id);
      this.changed();
    };
  }

  /** Replaces all work, as one undoable step. If `change` rejects, everything is restored. */
  async replace(label: string, change: () => void | Promise<void>): Promise<void> {
    const back = this.capture();
    try {
      await change();
    } catch (error) {
      back();
      throw error;
    }
    this.history.push(label, () => this.capture(), back);
    this.changed();
  }

  /** Discards all work, and shows the demo. */
  startAnew(): void {
    void this.replace("new project", () => {
      this.clear();
      this.mode.enter();
    });
    this.notify("Started a new project. Undo brings your work back.");
  }

  get unsaved(): boolean {
    return this.createdModes.some((mode) => mode.unsaved);
  }

  /** The later step is undone first. */
  get #undoesAppStep(): boolean {
    return (this.history.undoAt ?? -1) > (this.mode.history.undoAt ?? -1);
  }

  /** The earlier step is done again first; none of those that were undone before an edit. */
  get #redoesAppStep(): boolean {
    const { redoAt = Infinity, lastUndoTime: undone } = this.history;
    return (
      redoAt < (this.mode.history.redoAt ?? Infinity) &&
      this.createdModes.every(({ history: { undoAt = 0 } }) => undoAt <= undone)
    );
  }

  get undoLabel(): string | undefined {
    return (this.#undoesAppStep ? this.history : this.mode.history).undoLabel;
  }

  get redoLabel(): string | undefined {
    return (this.#redoesAppStep ? this.history : this.mode.history).redoLabel;
  }

  undo(): void {
    const label = (this.#undoesAppStep ? this.history : this.mode.history).undo();
    if (label) this.notify(`Undone: ${label}`);
    this.changed();
  }

  redo(): void {
    const label = (this.#redoesAppStep ? this.history : this.mode.history).redo();
    if (label) this.notify(`Redone: ${label}`);
    this.changed();
  }

  set(settings: Partial<Settings>): void {
    this.settings = { ...this.settings, ...settings };
    storeSettings(this.settings);
    this.changed();
  }

  notify(text: string, kind?: Notice["kind"]): void {
    this.notices.show(text, kind);
  }
}
