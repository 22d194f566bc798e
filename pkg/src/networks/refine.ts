/** Refines on the CPU, window by window, with pauses for other work. */
import type { CpuRefiner } from "../../wasm/live.js";
import { callLiveWasm as callWasm, KinestitchError, release } from "../core/error.js";
import { nextTask } from "../core/next-task.js";

/** Rows of a draft, [frames × 161], and the frames of its seams. */
export interface Rows {
  rows: Float32Array;
  seams: Uint32Array;
}

/** Longest time without a pause, milliseconds; a window takes some five. */
const BREATH = 24;

/** Rows → refined rows. `report` gets the completed fraction and returns whether to continue. */
export async function refineOnCpu(
  network: CpuRefiner,
  { rows, seams }: Rows,
  report: (done: number) => boolean,
): Promise<Float32Array> {
  const work = callWasm(() => network.begin(rows, seams));
  try {
    let last = performance.now();
    for (let done = 0; done < 1; ) {
      done = callWasm(() => work.step());
      if (!report(done)) throw new KinestitchError("aborted", "aborted");
      if (done < 1 && performance.now() - last > BREATH) {
        await nextTask();
        last = performance.now();
      }
    }
    return work.rows();
  } finally {
    release(work);
  }
}
