/**
 * Worker threads of controllers: at most four with equal settings. A thread without characters is ended, which frees its
 * memory.
 */
import type { TaskOptions } from "../core/types.js";
import type { WorkerLink } from "./link.js";
import type { Request } from "./protocol.js";

/**
 * Maximum number of threads with equal settings: a step takes a quarter of a millisecond, so one thread runs dozens of
 * characters.
 */
const MAX_THREADS = 4;

interface Thread {
  link: WorkerLink;
  /** Number of characters in the thread. */
  characters: number;
}

/** A character's session in a thread, without references to the character. */
export class Session {
  /** Unique number of the session. */
  readonly id: number;
  readonly #thread: Thread;
  readonly #onEmpty: (thread: Thread) => void;
  #hasEnded = false;

  /** `onEmpty` is called when the last session of the thread ends. */
  constructor(id: number, thread: Thread, onEmpty: (thread: Thread) => void) {
    this.id = id;
    this.#thread = thread;
    this.#onEmpty = onEmpty;
    thread.characters++;
  }

  /** Sends a request at once: requests of several characters do not wait for each other. */
  send(request: Request, options: TaskOptions): Promise<unknown> {
    return this.#thread.link.send(request, options);
  }

  /** Frees the character; the thread ends with its last one. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#thread.link.release(this.id);
    if (--this.#thread.characters === 0) this.#onEmpty(this.#thread);
  }
}

/** The threads of controllers, and their sessions. */
export class SessionPool {
  #threads: Thread[] = [];
  #sessionCount = 0;

  /**
   * Begins a session in a new thread. If {@link MAX_THREADS} threads have the settings of `main`, begins it in the one
   * with the fewest characters instead.
   */
  begin(main: WorkerLink): Session {
    const matching = this.#threads.filter(({ link }) => link.hasSettingsOf(main));
    const leastUsed = matching.sort((a, b) => a.characters - b.characters)[0];
    const thread =
      leastUsed && matching.length >= MAX_THREADS ? leastUsed : { link: main.createSibling(), characters: 0 };
    if (thread !== leastUsed) this.#threads.push(thread);
    return new Session(++this.#sessionCount, thread, (empty) => {
      this.#threads = this.#threads.filter((other) => other !== empty);
      empty.link.end();
    });
  }
}
