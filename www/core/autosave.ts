/** Stores the work of this tab in the browser shortly after each change, and restores it at the next visit. */
import type { App } from "./app";
import { problemOf, sentence } from "./engine";
import { gather, restore, type StoredWork } from "./kept";
import { download } from "./save";
import { filesOf, put, remove, slots, type Slot } from "./store";
import { claim, isTaken, lastOfTab } from "./tab";

const PAUSE_MS = 700;

/** Number of consecutive visits that may end before the work is ready; then it is set aside. */
const MOST_TRIES = 3;

const reason = (error: unknown): string => sentence(problemOf(error).message);

/** Stores the work of this tab after changes, and restores it. */
export class Autosave {
  #app: App;
  #timer = 0;
  #slot: Slot = { id: "", saved: 0, tries: 0 };
  /** Key of the last stored work, and of the last drawn one. */
  #last = "";
  #drawn = "";
  #running: Promise<void> = Promise.resolve();
  #failed = false;
  #started = false;

  constructor(app: App) {
    this.#app = app;
  }

  /**
   * Restores stored work and starts storing; resolves to whether there was any. `link`: query of the page, where it
   * names motions. Work of another link or tab is neither shown nor replaced.
   */
  async start(link: string): Promise<boolean> {
    const all = await slots().catch(() => []);
    const sound = all.filter(({ fault }) => fault === undefined);
    const own = sound.find(({ id }) => id === lastOfTab());
    const wanted = link ? sound.filter((slot) => slot.link === link) : [...(own ? [own] : []), ...sound.slice(0, 1)];
    const id = await claim(wanted.map((slot) => slot.id));
    this.#slot = sound.find((slot) => slot.id === id) ?? { id, saved: 0, tries: 0, ...(link && { link }) };
    const back = await this.#bringBack();
    this.#started = true;
    const last = sound[0];
    if (back)
      this.#app.notify(
        `Your last work${link ? " on this link" : ""} is back. For an empty project: Export and project.`,
      );
    else if (!link && last && last.id !== id && (await isTaken(last.id)))
      this.#app.notify("Your last work is open in another tab. This tab has separate work.");
    this.#app.onChange(() => this.#soon());
    return back;
  }

  /** Whether everything is stored, so that closing the page loses nothing. */
  get safe(): boolean {
    if (!this.#started) return false;
    return !this.#failed && textOf(gather(this.#app)?.kept) === this.#last;
  }

  /** The page was drawn. If it shows the stored work, that becomes the last good copy. */
  drawn(): void {
    const { mode } = this.#app;
    if (!this.#started || !this.#last || this.#last === this.#drawn || !mode.settled || !this.safe) return;
    this.#drawn = this.#last;
    const { a, lives } = mode.displayedMotions();
    const { kept } = this.#slot;
    const isGood = !mode.failed && (a !== undefined || (lives?.length ?? 0) > 0);
    void this.#turn(() => this.#put({ ...this.#slot, tries: 0, ...(isGood && { good: kept }) }));
  }

  /** Stores unsaved changes immediately. */
  flush(): Promise<void> {
    window.clearTimeout(this.#timer);
    return this.#turn(() => this.#keep());
  }

  async #bringBack(): Promise<boolean> {
    const { kept, good, tries } = this.#slot;
    if (kept === undefined) {
      if (good !== undefined) this.#offerGood(good);
      return false;
    }
    const fault = tries >= MOST_TRIES ? "The page ended before it was ready, several times." : await this.#take(kept);
    if (fault === undefined) return true;
    await this.#setAside(kept, fault);
    return good !== undefined && textOf(good) !== textOf(kept) && (await this.#take(good)) === undefined;
  }

  /** Shows stored work; returns the reason where that fails. */
  async #take(value: unknown): Promise<string | undefined> {
    const app = this.#app;
    try {
      const { checked } = await import("./kept-check");
      const kept = await checked(app, value);
      const files = await filesOf(kept);
      // Counted before it is shown, because showing it may crash the page.
      await this.#put({ ...this.#slot, kept: value, tries: this.#slot.tries + 1 });
      this.#last = textOf(kept);
      await restore(app, { kept, files }).catch((error: unknown) =>
        app.notify(`Some of the last work could not be restored: ${reason(error)}`, "error"),
      );
      // A mode in the address takes precedence.
      if (!location.hash) await app.show(kept.mode);
      return undefined;
    } catch (error) {
      return reason(error);
    }
  }

  /** Offers the work before a fresh start as an undo step. */
  #offerGood(good: unknown): void {
    const app = this.#app;
    const back = async (): Promise<void> => {
      const { checked } = await import("./kept-check");
      const kept = await checked(app, good);
      await restore(app, { kept, files: await filesOf(good) });
      await app.reshow(kept.mode);
    };
    app.history.push(
      "new project",
      () => app.capture(),
      () => void back().catch((error: unknown) => app.notify(reason(error), "error")),
    );
  }

  /** Sets aside work that cannot be opened, and offers it as a file. */
  async #setAside(kept: unknown, fault: string): Promise<void> {
    const id = crypto.randomUUID();
    const aside: Slot = { id, kept, saved: Date.now(), tries: 0, fault };
    await put(aside);
    const { kept: _, ...rest } = this.#slot;
    this.#slot = { ...rest, tries: 0 };
    await this.#put(this.#slot);
    this.#app.notices.ask({
      about: "aside",
      kind: "error",
      text: `Your last work could not be opened, and is kept as it was. ${fault}`,
      actions: [
        { label: "Save it as a file", run: () => void saveSlot(this.#app, aside) },
        { label: "Remove it", run: () => void remove(id) },
      ],
    });
  }

  #turn(run: () => Promise<void>): Promise<void> {
    return (this.#running = this.#running.then(run).catch(() => undefined));
  }

  #soon(): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#turn(() => this.#keep()), PAUSE_MS);
  }

  async #put(slot: Slot, files?: ReadonlyMap<string, File>): Promise<void> {
    this.#slot = { ...slot, saved: Date.now() };
    if (slot.kept === undefined && slot.good === undefined) await remove(slot.id);
    else await put(this.#slot, files);
  }

  async #keep(): Promise<void> {
    const work = gather(this.#app);
    const now = textOf(work?.kept);
    if (now === this.#last) return;
    try {
      const { kept, ...rest } = this.#slot;
      // After a fresh start, the previous work is kept until new work has been drawn.
      await this.#put(work ? { ...rest, kept: work.kept } : { ...rest, good: rest.good ?? kept }, work?.files);
      this.#last = now;
      this.#failed = false;
      this.#app.changed();
    } catch (error) {
      if (!this.#failed)
        this.#app.notify(
          `This browser does not keep the work for the next visit: ${reason(error)} Save a project file.`,
          "error",
        );
      this.#failed = true;
    }
  }
}

const textOf = (kept: unknown): string => (kept === undefined ? "" : JSON.stringify(kept));

/** Other work stored in this browser. */
export interface OtherWork {
  slot: Slot;
  /** Whether a tab has it open. */
  taken: boolean;
}

/** All other work stored in this browser, the newest first. */
export async function others(): Promise<OtherWork[]> {
  const all = (await slots()).filter(({ id }) => id !== lastOfTab());
  return Promise.all(all.map(async (slot) => ({ slot, taken: await isTaken(slot.id) })));
}

/** Saves stored work as a project file, valid or not. */
export async function saveSlot(app: App, { kept, good }: Slot): Promise<void> {
  try {
    const value = kept ?? good;
    const { packed } = await import("./project-file");
    app.notify(
      `Saved ${download("kinestitch work", "kinestitch", await packed(value as StoredWork, await filesOf(value)), "application/gzip")}.`,
    );
  } catch (error) {
    app.notify(`It could not be saved: ${reason(error)}`, "error");
  }
}
