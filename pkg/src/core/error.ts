import { messageText } from "./quote.js";
import { isLost, lightModule, liveModule, type RestartableModule } from "./restart.js";
import type { ErrorCode } from "./types.js";

/** Memory of the started modules; each registers itself, because this file is also used without modules. */
const memories: (() => number)[] = [];
/** Total size of the wasm memories of this thread; each module adds the function that measures its own. */
export const wasmMemory = {
  add: (bytes: () => number): number => memories.push(bytes),
  megabytes: (): number => Math.round(memories.reduce((sum, bytes) => sum + bytes(), 0) / 2 ** 20),
};

/** Location of an error. */
export interface ErrorPlace {
  /** Line of the BVH file, from 1. */
  line?: number | undefined;
  /** Column in bytes, from 1. */
  column?: number | undefined;
  /** The option at fault. */
  option?: string | undefined;
  cause?: unknown;
}

/** An error with one code, with the properties of that code. */
export interface ErrorOf<Code extends ErrorCode> extends Error {
  /** "AbortError" as in `fetch`, so that one check covers all. */
  readonly name: Code extends "aborted" ? "AbortError" : "KinestitchError";
  /** Stable identifier for programs. */
  readonly code: Code;
  /** Code "bvh" only: line of the file, from 1. */
  readonly line: Code extends "bvh" ? number : undefined;
  /** Code "bvh" only: column in bytes, from 1. */
  readonly column: Code extends "bvh" ? number : undefined;
  /** Code "option" only: the option at fault, if it is a single one. */
  readonly option: Code extends "option" ? string | undefined : undefined;
}

/**
 * All errors that the package throws deliberately. `message` is one sentence for people, `code` a stable identifier
 * for programs, which also gives TypeScript the other properties.
 *
 * @example
 * ```ts
 * if (error instanceof KinestitchError && error.code === "bvh") mark(error.line, error.column); // numbers
 * ```
 */
export type KinestitchError = { [Code in ErrorCode]: ErrorOf<Code> }[ErrorCode];

/** Constructor of errors, also for `error instanceof KinestitchError`. */
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

/** Throws if the signal is already aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal);
}

/** Message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Runs a call into wasm; its errors become {@link KinestitchError}, except those of the caller's own callbacks. A
 * module that stopped half-way is started anew.
 */
export function callWasm<T>(call: () => T, module: RestartableModule = lightModule): T {
  return module.run(call, typed);
}

/** Like {@link callWasm}, for the module of in-betweening and networks. */
export const callLiveWasm = <T>(call: () => T): T => callWasm(call, liveModule);

/** Uses a wasm object and frees it; an error while freeing never hides the error of the use. */
export function freed<Handle extends { free(): void }, T>(handle: Handle, use: (handle: Handle) => T): T {
  try {
    return use(handle);
  } finally {
    release(handle);
  }
}

/** As {@link freed}, for an asynchronous use. */
export async function freedAsync<Handle extends { free(): void }, T>(
  handle: Handle,
  use: (handle: Handle) => T | Promise<T>,
): Promise<T> {
  try {
    return await use(handle);
  } finally {
    release(handle);
  }
}

/** Frees a wasm object, if possible. */
export function release(handle: { free(): void } | undefined): void {
  try {
    handle?.free();
  } catch {
    // Consumed by a call, or in use when the module stopped.
  }
}

/** Like {@link callWasm}, for asynchronous calls. */
export async function callWasmAsync<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw typed(error);
  }
}

function typed(error: unknown): unknown {
  if (error instanceof KinestitchError) return error;
  // Panics are thrown with their messages, so the remaining cause is lack of memory, in wasm or for a result.
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
    const message = `there is no memory for this (wasm has ${wasmMemory.megabytes()} MB): use shorter clips, or fewer at a time`;
    return new KinestitchError("limit", message, { cause: error });
  }
  // Message of wasm-bindgen's glue code.
  if (error instanceof Error && error.message === "null pointer passed to rust") {
    return new KinestitchError("option", "this object was freed, and cannot be used any more", { cause: error });
  }
  if (isLost(error)) {
    const message = "this object was lost when the wasm module stopped and was restarted: create it again";
    return new KinestitchError("wasm", message, { cause: error });
  }
  // Errors of src/wasm.rs have a code; all others are from a callback of the caller.
  const { code, message, line, column, option } = (error ?? {}) as Partial<KinestitchError>;
  if (typeof code !== "string" || typeof message !== "string") return error;
  return new KinestitchError(code, message, { line, column, option, cause: error });
}
