/**
 * At most four worker threads, shared by all controllers. A thread without characters ends and frees its
 * memory.
 */
import type { TaskOptions } from "../core/types.js";
import type { WorkerLink } from "./link.js";
import type { Request } from "./protocol.js";

/** Largest number of threads: a step takes a quarter of a millisecond, so one thread runs dozens of characters. */
const MOST_THREADS = 4;

interface Thread {
  link: WorkerLink;
  /** Number of its characters. */
  taken: number;
}

/** A character's slot in a thread, without references to the character. */
export class Seat {
  readonly session: number;
  readonly #thread: Thread;
  readonly #ended: (thread: Thread) => void;
  #left = false;

  constructor(session: number, thread: Thread, ended: (thread: Thread) => void) {
    this.session = session;
    this.#thread = thread;
    this.#ended = ended;
    thread.taken++;
  }

  /** Sends a request at once: requests of several characters do not wait for each other. */
  ask(request: Request, options: TaskOptions): Promise<unknown> {
    return this.#thread.link.beside(request, options);
  }

  /** Frees the character; the thread ends with its last one. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#thread.link.release(this.session);
    if (--this.#thread.taken === 0) this.#ended(this.#thread);
  }
}

export class Seats {
  #threads: Thread[] = [];
  #count = 0;

  /**
   * A slot in the thread with the fewest characters, among those with the settings of `main`; in a new thread while
   * there are few.
   */
  take(main: WorkerLink): Seat {
    const alike = this.#threads.filter(({ link }) => link.isLike(main));
    const roomiest = alike.sort((a, b) => a.taken - b.taken)[0];
    const thread = roomiest && alike.length >= MOST_THREADS ? roomiest : { link: main.another(), taken: 0 };
    if (thread !== roomiest) this.#threads.push(thread);
    return new Seat(++this.#count, thread, (ended) => {
      this.#threads = this.#threads.filter((other) => other !== ended);
      ended.link.end();
    });
  }
}
