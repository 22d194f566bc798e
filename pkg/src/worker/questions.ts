/**
 * Requests from the thread to the page during a computation, for files that a document refers to, which only the
 * page may read.
 */
import { KinestitchError } from "../core/error.js";
import type { ResolveFile } from "../core/types.js";
import type { Answer, FromWorker } from "./protocol.js";

interface Waiting {
  resolve(bytes: Uint8Array): void;
  reject(error: unknown): void;
}

/** Requests of a thread for files that only the page can read. */
export class Questions {
  readonly #post: (message: FromWorker) => void;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;

  constructor(post: (message: FromWorker) => void) {
    this.#post = post;
  }

  /** The reader of files for one call. */
  of(call: number): ResolveFile {
    return (address) =>
      new Promise<Uint8Array>((resolve, reject) => {
        const ask = ++this.#count;
        this.#waiting.set(ask, { resolve, reject });
        this.#post({ call, ask, address });
      });
  }

  answered(message: Answer): void {
    const waiting = this.#waiting.get(message.answer);
    this.#waiting.delete(message.answer);
    if ("bytes" in message) return waiting?.resolve(message.bytes);
    const { code, message: text, ...place } = message.error;
    waiting?.reject(new KinestitchError(code, text, place));
  }
}
