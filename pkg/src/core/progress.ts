import { aborted, guarded, guardedAsync, throwIfAborted } from "./error.js";
import type { Progress, TaskOptions } from "./types.js";

/** What wasm calls now and then; false asks it to stop. */
export type Report = (stage: Progress["stage"], done: number) => boolean;

/** Runs a long computation in wasm. An aborted signal ends it, and so does an error of the user's callback, which comes out as it is. */
export function reporting<T>(task: TaskOptions, compute: (report: Report) => T): T {
  const { report, explain } = listener(task);
  try {
    return guarded(() => compute(report));
  } catch (error) {
    throw explain(error);
  }
}

/** As {@link reporting}, for computations that answer later. */
export async function reportingAsync<T>(task: TaskOptions, compute: (report: Report) => Promise<T>): Promise<T> {
  const { report, explain } = listener(task);
  try {
    return await guardedAsync(() => compute(report));
  } catch (error) {
    throw explain(error);
  }
}

/** What to call during a computation, and what its error really was. */
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
