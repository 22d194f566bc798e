import { messageText } from "./quote.js";
import type { ErrorCode } from "./types.js";

/** Memory of the modules that are started; told by each when it is, since this file is also used where none is. */
const memories: (() => number)[] = [];
export const wasmMemory = {
  add: (bytes: () => number): number => memories.push(bytes),
  megabytes: (): number => Math.round(memories.reduce((sum, bytes) => sum + bytes(), 0) / 2 ** 20),
};

/** Where in a file an error lies. */
export interface ErrorPlace {
  /** Line of the BVH file, from 1. */
  line?: number | undefined;
  /** Column in bytes, from 1. */
  column?: number | undefined;
  /** The option that is at fault. */
  option?: string | undefined;
  cause?: unknown;
}

/** An error of one code, with what errors of that code tell besides. */
export interface ErrorOf<Code extends ErrorCode> extends Error {
  /** "AbortError" is what `fetch` and friends reject with, so that one check serves all. */
  readonly name: Code extends "aborted" ? "AbortError" : "KinestitchError";
  /** Stable word for programs. */
  readonly code: Code;
  /** Code "bvh" only: line of the file, from 1. */
  readonly line: Code extends "bvh" ? number : undefined;
  /** Code "bvh" only: column in bytes, from 1. */
  readonly column: Code extends "bvh" ? number : undefined;
  /** Code "option" only: which one is at fault, where it is one alone. */
  readonly option: Code extends "option" ? string | undefined : undefined;
}

/**
 * Every error the package throws on purpose. `message` is one sentence for people, `code` a stable word for programs, which tells
 * TypeScript what else there is.
 *
 * @example
 * ```ts
 * if (error instanceof KinestitchError && error.code === "bvh") mark(error.line, error.column); // numbers
 * ```
 */
export type KinestitchError = { [Code in ErrorCode]: ErrorOf<Code> }[ErrorCode];

/** Makes errors, and tells them from others: `error instanceof KinestitchError`. */
export interface KinestitchErrorConstructor {
  new (code: ErrorCode, message: string, place?: ErrorPlace): KinestitchError;
  readonly prototype: KinestitchError;
}

/** The class of every error that the package throws on purpose. */
export const KinestitchError: KinestitchErrorConstructor = class KinestitchError extends Error {
  readonly code: ErrorCode;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly option: string | undefined;

  constructor(code: ErrorCode, message: string, place: ErrorPlace = {}) {
    super(messageText(message), place.cause === undefined ? undefined : { cause: place.cause });
    this.name = code === "aborted" ? "AbortError" : "KinestitchError";
    this.code = code;
    this.line = place.line;
    this.column = place.column;
    this.option = place.option;
  }
} as unknown as KinestitchErrorConstructor;

/** The error of an aborted signal; its reason becomes the cause. */
export function aborted(signal?: AbortSignal): KinestitchError {
  return new KinestitchError("aborted", "aborted", { cause: signal?.reason });
}

/** Throws where the signal is aborted already. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal);
}

/** Anything thrown → the message text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs a call into wasm; what it throws comes out as a {@link KinestitchError}, except errors of the caller's own callbacks. */
export function guarded<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw typed(error);
  }
}

/** Uses something of wasm's and frees it; that it cannot be freed never hides why its use failed. */
export function freed<Held extends { free(): void }, T>(held: Held, use: (held: Held) => T): T {
  try {
    return use(held);
  } finally {
    release(held);
  }
}

/** Frees something of wasm's, where it still can be. */
export function release(held: { free(): void } | undefined): void {
  try {
    held?.free();
  } catch {
    // Taken along by a call, or in use when the module stopped.
  }
}

/** As {@link guarded}, for calls that answer later. */
export async function guardedAsync<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw typed(error);
  }
}

function typed(error: unknown): unknown {
  if (error instanceof KinestitchError) return error;
  // A panic is thrown with its message, so what is left is memory that cannot be had, in wasm or for a result.
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
    const message = `there is no memory for this (wasm has ${wasmMemory.megabytes()} MB): use shorter clips, or fewer at a time`;
    return new KinestitchError("limit", message, { cause: error });
  }
  // The words of wasm-bindgen's glue.
  if (error instanceof Error && error.message === "null pointer passed to rust") {
    return new KinestitchError("option", "this was freed, and cannot be used any more", { cause: error });
  }
  // Errors made in src/wasm.rs carry a code; anything else came out of a callback and is the caller's.
  const { code, message, line, column, option } = (error ?? {}) as Partial<KinestitchError>;
  if (typeof code !== "string" || typeof message !== "string") return error;
  return new KinestitchError(code, message, { line, column, option, cause: error });
}
