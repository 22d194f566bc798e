/**
 * Threads that steer characters: few, however many characters there are. A thread that has none left ends, with its memory.
 */
import type { TaskOptions } from "../core/types.js";
import type { WorkerLink } from "./link.js";
import type { Request } from "./protocol.js";

/** Threads at most: a step takes a quarter of a millisecond, so that one steers dozens of characters. */
const MOST_THREADS = 4;

interface Thread {
  link: WorkerLink;
  /** Characters that it steers. */
  taken: number;
}

/** A character's place in a thread. It holds nothing of the character's. */
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

  /** Asks at once: requests of several characters do not wait for each other's answers. */
  ask(request: Request, options: TaskOptions): Promise<unknown> {
    return this.#thread.link.beside(request, options);
  }

  /** Frees the character; the thread ends where it was the last one. */
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

  /** A place in the thread that has most room, of those with the settings of `main`; in a new one while there are few. */
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
