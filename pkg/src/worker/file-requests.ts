/** Files that a document refers to: the thread requests them from the page, because only the page reads files. */
import { KinestitchError } from "../core/error.js";
import type { ResolveFile } from "../core/types.js";
import type { FileAnswer, FromWorker } from "./protocol.js";

interface PendingRequest {
  resolve(bytes: Uint8Array): void;
  reject(error: unknown): void;
}

/** A thread's requests for files that wait for the page's answers. */
export class FileRequests {
  readonly #post: (message: FromWorker) => void;
  readonly #pending = new Map<number, PendingRequest>();
  #requestCount = 0;

  constructor(post: (message: FromWorker) => void) {
    this.#post = post;
  }

  /** Returns the function that reads files for a call; `call`: number of the call. */
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
