/** Stores the work of this tab in the browser shortly after each change, and restores it on the next visit. */
import type { App } from "./app";
import { problemOf, sentence } from "./engine";
import { randomId } from "./ids";
import { collectWork, restoreWork, type StoredWork } from "./stored-work";
import { readFiles, putSlot, removeSlot, readSlots, type Slot } from "./store";
import { claimWork, isOpenInTab, workIdOfTab } from "./tab";

/** Time from a change until the work is stored, milliseconds. Later changes do not prolong it. */
const SAVE_DELAY_MS = 700;

/** Work is set aside if this many consecutive visits ended before it was displayed: it may crash the page. */
const MAX_TRIES = 3;

const messageOf = (error: unknown): string => sentence(problemOf(error).message);

/** Stores the work of this tab after changes, and restores it. */
export class Autosave {
  #app: App;
  /** Timer of the next write; 0 if none is scheduled. */
  #timer = 0;
  #slot: Slot = { id: "", saved: 0, tries: 0 };
  /** JSON texts of the last stored work, of the last that was also drawn, and of the last that was also shown. */
  #storedText = "";
  #drawnText = "";
  #shownText = "";
  /** The last write; writes run one after the other. */
  #queue: Promise<void> = Promise.resolve();
  /** Whether the last write failed, which is reported once. */
  #failed = false;
  #started = false;

  constructor(app: App) {
    this.#app = app;
  }

  /**
   * Restores stored work and starts storing. Resolves to whether work was restored. `link`: path and query of the page
   * if the query names motions, else empty. With a link, only work of this link is restored; without one, the work that
   * this tab had before a reload, or else the newest that belongs to no link. Work that is open in another tab is never
   * restored. Rejects if stored work cannot be restored now: then it stays stored, and nothing else is stored.
   */
  async start(link: string): Promise<boolean> {
    const slots = await readSlots().catch(() => []);
    const usable = slots.filter(({ fault }) => fault === undefined);
    const lastSlot = usable.find(({ id }) => id === workIdOfTab());
    // Not the work of a link: edits at the page's plain address would be stored as work of this link.
    const newest = usable.find((slot) => slot.link === undefined);
    const candidates = link
      ? usable.filter((slot) => slot.link === link)
      : [lastSlot, newest].filter((slot) => slot !== undefined);
    const id = await claimWork(candidates.map((slot) => slot.id));
    this.#slot = usable.find((slot) => slot.id === id) ?? { id, saved: 0, tries: 0, ...(link && { link }) };
    const isRestored = await this.#restoreSlot();
    this.#started = true;
    if (isRestored)
      this.#app.notify(
        `Your last work${link ? " on this link" : ""} is back. ` +
          'For an empty project, choose "New project" in "Export and project".',
      );
    else if (!link && newest && newest.id !== id && (await isOpenInTab(newest.id)))
      this.#app.notify("Your last work is open in another tab. This tab has separate work.");
    this.#app.onChange(() => this.#scheduleSave());
    return isRestored;
  }

  /** Whether all work is stored, so that closing the page loses nothing. */
  get isStored(): boolean {
    if (!this.#started) return false;
    return serialize(collectWork(this.#app)?.record) === this.#storedText;
  }

  /**
   * Called after the page was drawn. The stored work has then not stopped the page. If the page also shows it without
   * errors, it becomes the last good copy: not always at once, because the stage is updated after the work has changed.
   */
  onDrawn(): void {
    const { mode } = this.#app;
    const text = this.#storedText;
    if (!this.#started || !text || !mode.settled || this.#shownText === text) return;
    const { a, liveSkeletons } = mode.stageContents();
    const isGood = !mode.failed && (a !== undefined || (liveSkeletons?.length ?? 0) > 0);
    if ((this.#drawnText === text && !isGood) || !this.isStored) return;
    this.#drawnText = text;
    if (isGood) this.#shownText = text;
    const { kept } = this.#slot;
    void this.#enqueue(() => this.#writeSlot({ ...this.#slot, tries: 0, ...(isGood && { good: kept }) }));
  }

  /** Stores unsaved changes immediately. */
  flush(): Promise<void> {
    window.clearTimeout(this.#timer);
    this.#timer = 0;
    return this.#enqueue(() => this.#save());
  }

  async #restoreSlot(): Promise<boolean> {
    const { kept, good, tries } = this.#slot;
    if (kept === undefined) {
      if (good !== undefined) this.#offerPreviousWork(good);
      return false;
    }
    const fault =
      tries >= MAX_TRIES
        ? "The page was closed or stopped several times before this work was displayed."
        : await this.#restoreRecord(kept);
    if (fault === undefined) return true;
    await this.#setAside(kept, fault);
    return good !== undefined && serialize(good) !== serialize(kept) && (await this.#restoreRecord(good)) === undefined;
  }

  /**
   * Validates stored work and restores it in the page. Returns the fault if the work is invalid. Rejects if it cannot be
   * read or validated now, for example because a script cannot be fetched.
   */
  async #restoreRecord(value: unknown): Promise<string | undefined> {
    const app = this.#app;
    const { validateWork, InvalidWork } = await import("./stored-work-schema");
    let record: StoredWork;
    try {
      record = await validateWork(app, value);
    } catch (error) {
      if (error instanceof InvalidWork) return messageOf(error);
      throw error;
    }
    const files = await readFiles(record);
    // Counts the attempt before the work is shown, because showing it may crash the page. If the attempt cannot be
    // stored, for example on a full disk, the work is shown all the same.
    await this.#writeSlot({ ...this.#slot, kept: value, tries: this.#slot.tries + 1 }).catch(() => undefined);
    this.#storedText = serialize(record);
    await restoreWork(app, { record, files }).catch((error: unknown) =>
      app.notify(`Some of the last work could not be restored: ${messageOf(error)}`, "error"),
    );
    // A mode in the address takes precedence.
    if (!location.hash) await app.show(record.mode);
    return undefined;
  }

  /** Adds an undo step that restores the work from before "New project". */
  #offerPreviousWork(good: unknown): void {
    const app = this.#app;
    // Read now, because the store removes them when newer work is drawn.
    const reading = readFiles(good);
    // Reported when the step is undone.
    reading.catch(() => undefined);
    const restorePrevious = async (): Promise<void> => {
      const { validateWork } = await import("./stored-work-schema");
      const record = await validateWork(app, good);
      await restoreWork(app, { record, files: await reading });
      await app.reshow(record.mode);
    };
    app.history.push(
      "new project",
      () => app.capture(),
      () => void restorePrevious().catch((error: unknown) => app.notify(messageOf(error), "error")),
    );
  }

  /** Moves work that cannot be opened to a slot of its own, and offers to save or remove it. */
  async #setAside(kept: unknown, fault: string): Promise<void> {
    const id = randomId();
    const notify = (error: unknown): void => this.#app.notify(messageOf(error), "error");
    const faultySlot: Slot = { id, kept, saved: Date.now(), tries: 0, fault };
    await putSlot(faultySlot);
    const { kept: _, ...rest } = this.#slot;
    this.#slot = { ...rest, tries: 0 };
    await this.#writeSlot(this.#slot);
    this.#app.notices.ask({
      topic: "aside",
      kind: "error",
      text: `Your last work could not be opened. It is kept unchanged in this browser. ${fault}`,
      actions: [
        { label: "Save as a file", run: () => void this.#saveSlot(faultySlot).catch(notify) },
        { label: "Remove", run: () => void removeSlot(id).catch(notify) },
      ],
    });
  }

  async #saveSlot(slot: Slot): Promise<void> {
    const { saveSlot } = await import("./other-works");
    await saveSlot(this.#app, slot);
  }

  #enqueue(run: () => Promise<void>): Promise<void> {
    return (this.#queue = this.#queue.then(run).catch(() => undefined));
  }

  #scheduleSave(): void {
    // Not restarted: reports of progress, which are changes too, may follow each other for minutes.
    if (this.#timer !== 0) return;
    this.#timer = window.setTimeout(() => void this.flush(), SAVE_DELAY_MS);
  }

  async #writeSlot(slot: Slot, files?: ReadonlyMap<string, File>): Promise<void> {
    const written: Slot = { ...slot, saved: Date.now() };
    if (slot.kept === undefined && slot.good === undefined) await removeSlot(slot.id);
    else await putSlot(written, files);
    // Only after success: a failed write leaves the stored slot unchanged.
    this.#slot = written;
  }

  async #save(): Promise<void> {
    // Half-restored work must not replace the stored work.
    if (!this.#started) return;
    const work = collectWork(this.#app);
    const text = serialize(work?.record);
    if (text === this.#storedText) return;
    try {
      const { kept, ...rest } = this.#slot;
      // After "New project", the previous work is kept as `good` until new work has been drawn.
      await this.#writeSlot(work ? { ...rest, kept: work.record } : { ...rest, good: rest.good ?? kept }, work?.files);
      this.#storedText = text;
      this.#failed = false;
      this.#app.requestUpdate();
    } catch (error) {
      if (!this.#failed)
        this.#app.notify(
          `This browser does not keep the work for the next visit: ${messageOf(error)} Save a project file.`,
          "error",
        );
      this.#failed = true;
    }
  }
}

const serialize = (record: unknown): string => (record === undefined ? "" : JSON.stringify(record));
