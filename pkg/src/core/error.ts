/** The error class of the package, and functions that call wasm and convert errors. */
import { printableMessage } from "./quote.js";
import { isStaleObject, mainInstance, type RestartableModule } from "./restart.js";
import type { ErrorCode } from "./types.js";

/** Functions that return the memory of a started module, bytes; modules register them when they start. */
const memories: (() => number)[] = [];
/** Total size of the wasm memories of this thread, megabytes. Each started module adds a function that measures it. */
export const wasmMemory = {
  add: (bytes: () => number): number => memories.push(bytes),
  megabytes: (): number => Math.round(memories.reduce((sum, bytes) => sum + bytes(), 0) / 2 ** 20),
};

/** Details of an error. */
export interface ErrorDetails {
  /** Line of the BVH file, from 1. */
  line?: number | undefined;
  /** Column of the BVH file, bytes, from 1. */
  column?: number | undefined;
  /** Name of the invalid option. */
  option?: string | undefined;
  /** Name or address of the damaged file, with which the message begins. */
  file?: string | undefined;
  /** The original error. */
  cause?: unknown;
}

/** An error with a given code, and the properties of this code. */
export interface ErrorOf<Code extends ErrorCode> extends Error {
  /** "AbortError" for aborts, as in `fetch`, so that one check covers both; else "KinestitchError". */
  readonly name: Code extends "aborted" ? "AbortError" : "KinestitchError";
  /** Stable identifier for programs. */
  readonly code: Code;
  /** Code "bvh" only: line of the file, from 1. */
  readonly line: Code extends "bvh" ? number : undefined;
  /** Code "bvh" only: column of the file, bytes, from 1. */
  readonly column: Code extends "bvh" ? number : undefined;
  /** Code "option" only: name of the invalid option; `undefined` if several are involved. */
  readonly option: Code extends "option" ? string | undefined : undefined;
  /**
   * Name or address of the file that `load` has read and cannot use; the message begins with it. `undefined` for texts
   * and bytes, and if the file cannot be fetched.
   */
  readonly file: string | undefined;
}

/**
 * Any error that the package throws deliberately. `message` is one sentence for people; `code` is a stable identifier
 * for programs. TypeScript derives the types of the other properties from `code`.
 *
 * @example
 * ```ts
 * if (error instanceof KinestitchError && error.code === "bvh") mark(error.line, error.column); // numbers
 * ```
 */
export type KinestitchError = { [Code in ErrorCode]: ErrorOf<Code> }[ErrorCode];

/** Type of the error class, for `new` and for `error instanceof KinestitchError`. */
export interface KinestitchErrorConstructor {
  new (code: ErrorCode, message: string, details?: ErrorDetails): KinestitchError;
  readonly prototype: KinestitchError;
}

/** Class of all errors that the package throws deliberately. */
export const KinestitchError: KinestitchErrorConstructor = class KinestitchError extends Error {
  readonly code: ErrorCode;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly option: string | undefined;
  readonly file: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(printableMessage(message), details.cause === undefined ? undefined : { cause: details.cause });
    this.name = code === "aborted" ? "AbortError" : "KinestitchError";
    this.code = code;
    this.line = details.line;
    this.column = details.column;
    this.option = details.option;
    this.file = details.file;
  }
} as unknown as KinestitchErrorConstructor;

/** Creates the error of an aborted signal; the signal's reason becomes the cause. */
export function aborted(signal?: AbortSignal): KinestitchError {
  return new KinestitchError("aborted", "aborted", { cause: signal?.reason });
}

/**
 * Runs `work`, and names the file in its errors. `file`: name or address of the file; `undefined` if it has none. Errors
 * that name a file already, and errors that no file causes, stay unchanged.
 */
export async function namingFile<T>(file: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isAboutFile = error instanceof KinestitchError && error.code !== "aborted" && error.code !== "wasm";
    if (file === undefined || !isAboutFile || error.file !== undefined) throw error;
    const { code, message, line, column, option } = error;
    throw new KinestitchError(code, `${file}: ${message}`, { line, column, option, file, cause: error });
  }
}

/** Throws if the signal is already aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal);
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Runs a call into wasm and converts its errors to {@link KinestitchError}, except errors of the user's callbacks. A
 * module that stopped in the middle of a call is restarted.
 */
export function callWasm<T>(call: () => T): T {
  return mainInstance.run(call, convertError);
}

/** Calls `use` with a wasm object and then frees the object. An error while freeing never hides an error of `use`. */
export function freeAfter<Handle extends { free(): void }, T>(handle: Handle, use: (handle: Handle) => T): T {
  try {
    return use(handle);
  } finally {
    release(handle);
  }
}

/** Like {@link freeAfter}, for an asynchronous `use`. */
export async function freeAfterAsync<Handle extends { free(): void }, T>(
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
    // A call has consumed the object, or the object was in use when the module stopped.
  }
}

/**
 * Like {@link callWasm}, for asynchronous calls. `module`: the module to restart after a crash; the WebGPU module cannot
 * be restarted.
 */
export async function callWasmAsync<T>(call: () => Promise<T>, module?: RestartableModule): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const rethrow = (): never => {
      throw error;
    };
    if (module) return module.run(rethrow, convertError);
    throw convertError(error);
  }
}

/** Converts an error of a wasm call to a {@link KinestitchError}; errors of callbacks are returned unchanged. */
function convertError(error: unknown): unknown {
  if (error instanceof KinestitchError) return error;
  // Panics throw an `Error` with a code, so these errors mean that there is no memory, in wasm or for a result.
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
    const message = `there is no memory for this computation (wasm uses ${wasmMemory.megabytes()} MB): use shorter clips, or fewer at a time`;
    return new KinestitchError("limit", message, { cause: error });
  }
  // This is a message of wasm-bindgen's glue code.
  if (error instanceof Error && error.message === "null pointer passed to rust") {
    return new KinestitchError("option", "this object was freed, and cannot be used any more", { cause: error });
  }
  if (isStaleObject(error)) {
    const message = "this object was lost when the wasm module stopped and was restarted: create it again";
    return new KinestitchError("wasm", message, { cause: error });
  }
  // Errors of wasm/src/error.rs have a code; errors without a code come from a callback of the user.
  const { code, message, line, column, option } = (error ?? {}) as Partial<KinestitchError>;
  if (typeof code !== "string" || typeof message !== "string") return error;
  return new KinestitchError(code, message, { line, column, option, cause: error });
}
