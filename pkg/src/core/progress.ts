import { aborted, callWasm, callWasmAsync, throwIfAborted } from "./error.js";
import { mainInstance } from "./restart.js";
import type { Progress, TaskOptions } from "./types.js";

/** Callback that wasm calls with its progress; returns `false` to abort the computation. */
export type Report = (stage: Progress["stage"], done: number) => boolean;

/**
 * Runs a long computation in wasm and reports its progress. The computation ends if the signal is aborted, or if the
 * user's callback throws; then the exception of the callback is rethrown.
 */
export function runWithProgress<T>(task: TaskOptions, compute: (report: Report) => T): T {
  const { report, causeOf } = createReport(task);
  try {
    return callWasm(() => compute(report));
  } catch (error) {
    throw causeOf(error);
  }
}

/** Like {@link runWithProgress}, for asynchronous computations. */
export async function runWithProgressAsync<T>(task: TaskOptions, compute: (report: Report) => Promise<T>): Promise<T> {
  const { report, causeOf } = createReport(task);
  try {
    return await callWasmAsync(() => compute(report), mainInstance);
  } catch (error) {
    throw causeOf(error);
  }
}

/** Creates the callback of a computation, and a function that returns the cause of the computation's error. */
function createReport({ signal, onProgress }: TaskOptions): { report: Report; causeOf: (error: unknown) => unknown } {
  throwIfAborted(signal);
  let thrown: { error: unknown } | undefined;
  const report: Report = (stage, done) => {
    if (thrown) return false;
    try {
      onProgress?.({ stage, done });
    } catch (error) {
      thrown = { error };
    }
    return !thrown && signal?.aborted !== true;
  };
  const causeOf = (error: unknown): unknown => {
    if (thrown) return thrown.error;
    return signal?.aborted ? aborted(signal) : error;
  };
  return { report, causeOf };
}
