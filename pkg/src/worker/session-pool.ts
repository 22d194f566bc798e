/** At most four worker threads, shared by all controllers. A thread without characters ends and frees its memory. */
import type { TaskOptions } from "../core/types.js";
import type { WorkerLink } from "./link.js";
import type { Request } from "./protocol.js";

/** Largest number of threads: a step takes a quarter of a millisecond, so one thread runs dozens of characters. */
const MAX_THREADS = 4;

interface Thread {
  link: WorkerLink;
  /** Number of its characters. */
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
  #count = 0;

  /**
   * Begins a session in the thread with the fewest characters, among those with the settings of `main`; in a new
   * thread while there are few.
   */
  begin(main: WorkerLink): Session {
    const alike = this.#threads.filter(({ link }) => link.isLike(main));
    const emptiest = alike.sort((a, b) => a.characters - b.characters)[0];
    const thread = emptiest && alike.length >= MAX_THREADS ? emptiest : { link: main.another(), characters: 0 };
    if (thread !== emptiest) this.#threads.push(thread);
    return new Session(++this.#count, thread, (empty) => {
      this.#threads = this.#threads.filter((other) => other !== empty);
      empty.link.end();
    });
  }
}
