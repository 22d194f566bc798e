/** Long operations: their progress, and whether they have taken long enough to be shown. */
import type { Progress } from "kinestitch/worker";

/** A running operation: its progress, and its start as `performance.now()`. */
export interface Operation {
  progress: Progress;
  startTime: number;
}

/** Shorter operations show no progress bar, milliseconds. */
const DISPLAY_DELAY_MS = 200;

/** Starts an operation, or continues one of `since`; `changed` is called when it should be shown. */
export function beginOperation(stage: Progress["stage"], changed: () => void, since?: number): Operation {
  if (since === undefined) setTimeout(changed, DISPLAY_DELAY_MS + 5);
  return { progress: { stage, done: 0 }, startTime: since ?? performance.now() };
}

/** Whether an operation has run long enough to be shown. */
export const isLong = ({ startTime: since }: Operation): boolean => performance.now() - since >= DISPLAY_DELAY_MS;
