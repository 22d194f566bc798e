/** Running operations: their progress, and whether they have run long enough to show a progress bar. */
import type { Progress } from "kinestitch/worker";

/** A running operation. `startTime`: as `performance.now()`. */
export interface Operation {
  progress: Progress;
  startTime: number;
}

/** Duration after which a progress bar is shown, milliseconds. */
const DISPLAY_DELAY_MS = 200;

/**
 * Starts an operation. `onChange` is called when its progress bar should appear. `runningSince`: start time of a
 * running operation that this one continues.
 */
export function beginOperation(stage: Progress["stage"], onChange: () => void, runningSince?: number): Operation {
  if (runningSince === undefined) setTimeout(onChange, DISPLAY_DELAY_MS + 5);
  return { progress: { stage, done: 0 }, startTime: runningSince ?? performance.now() };
}

/** Whether an operation has run long enough to show its progress. */
export const isLong = ({ startTime }: Operation): boolean => performance.now() - startTime >= DISPLAY_DELAY_MS;
