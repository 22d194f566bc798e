/** `inbetween` with the method "auto": fills each gap by the gap filler with the most natural motion. */
import { freeAfterAsync, callWasm } from "../core/error.js";
import type { Keys } from "../../wasm/kinestitch.js";
import { AUTO } from "../core/method.js";
import { nextTask, SLICE_MS } from "../core/next-task.js";
import { wrongOption } from "../core/options.js";
import { runWithProgress } from "../core/progress.js";
import type { InbetweenClip, InbetweenOptions } from "../core/types.js";
import { wasmOptions } from "./inbetween-keys.js";
import { takeResult } from "./inbetween-result.js";

/** Throws if a device is requested that "auto" does not use; with `candidates`, too. */
export function checkAutoDevice({ method, device }: InbetweenOptions): void {
  if (method !== AUTO || device !== "webgpu") return;
  throw wrongOption("device", 'method "auto" compares on the CPU: leave device out, or name a method');
}

/**
 * Tries the gap fillers one after the other; between two of them an abort takes effect. `warnings` are added to the
 * warnings of the result.
 */
export function fillAutomatically(
  wasmKeys: Keys,
  options: InbetweenOptions,
  warnings: readonly string[],
): Promise<InbetweenClip> {
  const started = performance.now();
  const search = callWasm(() => wasmKeys.auto(wasmOptions(options)));
  return freeAfterAsync(search, async () => {
    let sliceStart = performance.now();
    for (let done = 0; done < 1; ) {
      done = runWithProgress(options, (report) => search.advance(report));
      if (performance.now() - sliceStart < SLICE_MS) continue;
      await nextTask();
      sliceStart = performance.now();
    }
    const result = takeResult(
      runWithProgress(options, (report) => search.run(report)),
      started,
      {},
    );
    result.warnings.push(...warnings);
    return result;
  });
}
