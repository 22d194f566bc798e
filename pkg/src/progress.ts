import { aborted, guarded, throwIfAborted } from "./error.js";
import type { Progress, TaskOptions } from "./types.js";

/** What wasm calls now and then; false asks it to stop. */
export type Report = (stage: Progress["stage"], done: number) => boolean;

/** Runs a long computation in wasm. An aborted signal ends it, and so does an error of the user's callback, which comes out as it is. */
export function reporting<T>({ signal, onProgress }: TaskOptions, compute: (report: Report) => T): T {
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
  try {
    return guarded(() => compute(report));
  } catch (error) {
    if (thrown) throw thrown.error;
    if (signal?.aborted) throw aborted(signal);
    throw error;
  }
}
