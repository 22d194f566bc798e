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
  /** Undo history of changes that concern more than the document of one mode. */
  readonly history = new AppHistory();
  readonly host: Host;
  readonly modes: readonly ModeEntry[];
  readonly #modesById = new Map<string, Mode>();
  #mode: Mode | undefined;
  settings: Settings = readSettings();
  /** Whether a motion has been displayed. The 3D view and the plot library are loaded afterwards. */
  isDrawn = false;
  /** Whether the displayed frame has changed since the page was last drawn. */
  frameChanged = true;
  #listeners = new Set<() => void>();
  #scheduled = false;
  /** Number of calls of `show` for a known mode. */
  #showCount = 0;

  constructor(host: Host, modes: readonly ModeEntry[]) {
    this.host = host;
    const requestUpdate = (): void => this.requestUpdate();
    this.library = new Library(requestUpdate);
    this.networks = new Networks("stitch", requestUpdate);
    this.auto = new Automatic(requestUpdate);
    this.characters = new CharacterStore(requestUpdate);
    this.notices = new Notices(requestUpdate);
    this.modes = modes;
    // An animation frame that was requested before the tab was hidden comes only when the tab is visible again.
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) setTimeout(() => this.#runUpdate());
    });
  }

  /** Creates the app in the mode that the page's address names after #, or in the first mode. Loads that mode. */
  static async start(host: Host, modes: readonly ModeEntry[]): Promise<App> {
    const app = new App(host, modes);
    const entry = modes.find(({ id }) => `#${id}` === location.hash) ?? modes[0];
    app.#mode = await app.#createMode(entry);
    return app;
  }

  /** The current mode. */
  get mode(): Mode {
    if (!this.#mode) throw new Error("create the app by App.start, which creates its first mode");
    return this.#mode;
  }

  get clock(): Playback {
    return this.mode.clock;
  }

  /** Updates the results and notifies all listeners in the next animation frame, once for all calls until then. */
  requestUpdate(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.host.markPending();
    // A hidden tab gets no animation frames, but its results should still be ready.
    const schedule = document.hidden ? (run: () => void) => setTimeout(run, 16) : requestAnimationFrame;
    schedule(() => this.#runUpdate());
  }

  /** Runs the requested update, if it has not run yet. */
  #runUpdate(): void {
    if (!this.#scheduled) return;
    this.#scheduled = false;
    this.mode.update();
    const { a, b } = this.mode.stageContents();
    this.characters.update([a, b]);
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Loads a mode, switches to it and updates the address. The previous mode keeps its document. If another mode was
   * requested while this one was being loaded, does not switch. Resolves to the mode, or to `undefined` if it cannot be
   * loaded.
   */
  async show(id: string): Promise<Mode | undefined> {
    const entry = this.modes.find((mode) => mode.id === id);
    if (!entry) return undefined;
    const request = ++this.#showCount;
    let next: Mode;
    try {
      next = await this.#createMode(entry);
    } catch {
      this.notify(`${entry.title} could not be fetched. Check the connection and try again.`, "error");
      return undefined;
    }
    if (next === this.mode || request !== this.#showCount) return next;
    this.mode.clock.play(false);
    this.mode.leave();
    this.#mode = next;
    this.frameChanged = true;
    history.replaceState(null, "", entry === this.modes[0] ? location.pathname + location.search : `#${id}`);
    next.enter();
    this.requestUpdate();
    return next;
  }

  /** Shows a mode after its document was replaced. If it is the current mode, it is entered again. */
  async reshow(id: string): Promise<void> {
    const previous = this.mode;
    if ((await this.show(id)) === previous && this.mode === previous) previous.enter();
  }

  async #createMode({ id, create }: ModeEntry): Promise<Mode> {
    const created = this.#modesById.get(id) ?? (await create(this));
    // If requested twice during loading, the first instance is used.
    const mode = this.#modesById.get(id) ?? created;
    this.#modesById.set(id, mode);
    mode.clock.onState = () => this.requestUpdate();
    mode.clock.onFrame = () => (this.frameChanged = true);
    return mode;
  }

  /** Modes created so far, because they were shown or because their stored work was restored. */
  get createdModes(): Mode[] {
    return [...this.#modesById.values()];
  }

  /** Loads a mode without showing it. Resolves to `undefined` for an unknown id. */
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

  /** Remembers all work with the undo histories of the modes, and returns a function that restores it. */
  capture(): () => void {
    const { id } = this.mode;
    const restorers = [
      this.library.capture(),
      this.characters.capture(),
      ...this.createdModes.flatMap(({ storage }) => storage?.capture() ?? []),
    ];
    return () => {
      this.clear();
      for (const restore of restorers) restore();
      void this.reshow(id);
      this.requestUpdate();
    };
  }

  /**
   * Runs a change of all work as one undoable step. If `change` rejects, all work is restored, and the error is thrown.
   */
  async replace(label: string, change: () => void | Promise<void>): Promise<void> {
    const restore = this.capture();
    try {
      await change();
    } catch (error) {
      restore();
      throw error;
    }
    this.history.push(label, () => this.capture(), restore);
    this.requestUpdate();
  }

  /** Discards all work, and shows the demo. */
  startNewProject(): void {
    void this.replace("new project", () => {
      this.clear();
      this.mode.enter();
    });
    // New work is not shown as before its improvement.
    this.set({ side: "a" });
    this.notify("Started a new project. Undo brings your work back.");
  }

  /** Whether closing the page would lose work of any mode. */
  get unsaved(): boolean {
    return this.createdModes.some((mode) => mode.unsaved);
  }

  /** Whether undo reverts a step of the app: that step is later than the last edit of the current mode's document. */
  get #undoesAppStep(): boolean {
    return (this.history.undoAt ?? -1) > (this.mode.history.undoAt ?? -1);
  }

  /**
   * Whether redo repeats a step of the app: that step is earlier than the next step of the current mode, and no
   * document was edited since the last undo.
   */
  get #redoesAppStep(): boolean {
    const { redoAt = Infinity, lastUndoTime } = this.history;
    return (
      redoAt < (this.mode.history.redoAt ?? Infinity) &&
      this.createdModes.every(({ history: { undoAt = 0 } }) => undoAt <= lastUndoTime)
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
    this.requestUpdate();
  }

  redo(): void {
    const label = (this.#redoesAppStep ? this.history : this.mode.history).redo();
    if (label) this.notify(`Redone: ${label}`);
    this.requestUpdate();
  }

  /** Changes settings, and stores them in this browser. */
  set(settings: Partial<Settings>): void {
    this.settings = { ...this.settings, ...settings };
    storeSettings(this.settings);
    this.requestUpdate();
  }

  /** Shows a short message at the foot of the page. */
  notify(text: string, kind?: Notice["kind"]): void {
    this.notices.show(text, kind);
  }
}
