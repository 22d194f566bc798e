/**
 * Requests from the thread to the page during a computation, for files that a document refers to: only the page reads
 * files.
 */
import { KinestitchError } from "../core/error.js";
import type { ResolveFile } from "../core/types.js";
import type { FileAnswer, FromWorker } from "./protocol.js";

interface PendingRequest {
  resolve(bytes: Uint8Array): void;
  reject(error: unknown): void;
}

/** Requests of a thread for files that only the page can read. */
export class FileRequests {
  readonly #post: (message: FromWorker) => void;
  readonly #pending = new Map<number, PendingRequest>();
  #requestCount = 0;

  constructor(post: (message: FromWorker) => void) {
    this.#post = post;
  }

  /** Returns the reader of files for a call. */
  readerOf(call: number): ResolveFile {
    return (address) =>
      new Promise<Uint8Array>((resolve, reject) => {
        const fileRequest = ++this.#requestCount;
        this.#pending.set(fileRequest, { resolve, reject });
        this.#post({ call, fileRequest, address });
      });
  }

  /** Resolves or rejects the request that the page has answered. */
  receiveAnswer(message: FileAnswer): void {
    const request = this.#pending.get(message.answer);
    this.#pending.delete(message.answer);
    if ("bytes" in message) return request?.resolve(message.bytes);
    const { code, message: text, ...details } = message.error;
    request?.reject(new KinestitchError(code, text, details));
  }
}
