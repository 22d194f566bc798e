/** Refines on the CPU, window by window, with pauses in which the thread handles events. */
import type { CpuRefiner } from "../../wasm/kinestitch.js";
import { callWasm, KinestitchError, release } from "../core/error.js";
import { nextTask } from "../core/next-task.js";

/** Input of the refiner: rows of a joined motion, [frames × 161], and the frames of its seams. */
export interface DraftRows {
  rows: Float32Array;
  seams: Uint32Array;
}

/** Maximum time without a pause, milliseconds; a window takes about five milliseconds. */
const SLICE_MS = 24;

/** Returns the refined rows. `report` receives the completed fraction and returns whether to continue. */
export async function refineOnCpu(
  network: CpuRefiner,
  { rows, seams }: DraftRows,
  report: (done: number) => boolean,
): Promise<Float32Array> {
  const work = callWasm(() => network.begin(rows, seams));
  try {
    let sliceStart = performance.now();
    for (let done = 0; done < 1; ) {
      done = callWasm(() => work.step());
      if (!report(done)) throw new KinestitchError("aborted", "aborted");
      if (done < 1 && performance.now() - sliceStart > SLICE_MS) {
        await nextTask();
        sliceStart = performance.now();
      }
    }
    return work.rows();
  } finally {
    release(work);
  }
}
