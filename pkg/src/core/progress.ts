import { aborted, callWasm, callWasmAsync, throwIfAborted } from "./error.js";
import { lightModule, type RestartableModule } from "./restart.js";
import type { Progress, TaskOptions } from "./types.js";

/** Callback for wasm; returns false to abort. */
export type Report = (stage: Progress["stage"], done: number) => boolean;

/**
 * Runs a long computation in wasm. It ends on an aborted signal, and on an exception of the user's callback, which
 * is rethrown.
 */
export function reporting<T>(
  task: TaskOptions,
  compute: (report: Report) => T,
  module: RestartableModule = lightModule,
): T {
  const { report, explain } = listener(task);
  try {
    return callWasm(() => compute(report), module);
  } catch (error) {
    throw explain(error);
  }
}

/** As {@link reporting}, for asynchronous computations. */
export async function reportingAsync<T>(task: TaskOptions, compute: (report: Report) => Promise<T>): Promise<T> {
  const { report, explain } = listener(task);
  try {
    return await callWasmAsync(() => compute(report));
  } catch (error) {
    throw explain(error);
  }
}

/** Callback for a computation, and the function that finds the cause of its error. */
function listener({ signal, onProgress }: TaskOptions): { report: Report; explain: (error: unknown) => unknown } {
  throwIfAborted(signal);
  let thrown: { error: unknown } | undefined;
  const report: Report = (stage, done) => {
    try {
      onProgress?.({ stage, done });
    } catch (error) {
      thrown = { error };
    }
    return !thrown && signal?.aborted !== true;
  };
  const explain = (error: unknown): unknown => {
    if (thrown) return thrown.error;
    return signal?.aborted ? aborted(signal) : error;
  };
  return { report, explain };
}
