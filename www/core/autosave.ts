/** Keeps the work of this tab in the browser, a moment after each change, and brings it back at the next visit. */
import type { App } from "./app";
import { problemOf, sentence } from "./engine";
import { gather, restore } from "./kept";
import { get, put } from "./store";

const PAUSE_MS = 700;

export class Autosave {
  #app: App;
  #timer = 0;
  /** What was kept last, as a text that tells changes. */
  #last = "";
  #running: Promise<void> = Promise.resolve();
  #failed = false;
  #started = false;

  constructor(app: App) {
    this.#app = app;
  }

  /** Brings back what was kept, and keeps from now on; whether there was something. */
  async start(): Promise<boolean> {
    const work = await get().catch(() => undefined);
    this.#started = true;
    if (work) {
      this.#last = JSON.stringify(work.kept);
      await restore(this.#app, work).catch((error: unknown) => this.#app.notify(`Some of the last work did not come back: ${sentence(problemOf(error).message)}`, "error"));
      this.#app.notify("Your last work is back. To begin anew: Export and project.");
    }
    this.#app.onChange(() => this.#soon());
    return work !== undefined;
  }

  /** Everything is kept: closing the page loses nothing. */
  get safe(): boolean {
    if (!this.#started) return false;
    return !this.#failed && JSON.stringify(gather(this.#app)?.kept) === (this.#last || undefined);
  }

  #soon(): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void (this.#running = this.#running.then(() => this.#keep())), PAUSE_MS);
  }

  async #keep(): Promise<void> {
    const work = gather(this.#app);
    const now = work ? JSON.stringify(work.kept) : "";
    if (now === this.#last) return;
    try {
      await put(work);
      this.#last = now;
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) this.#app.notify(`This browser does not keep the work for the next visit: ${sentence(problemOf(error).message)} Save a project file.`, "error");
      this.#failed = true;
    }
  }
}
