/** Long operations: their progress, and whether they have taken long enough to be shown. */
import type { Progress } from "kinestitch/worker";

/** A running operation: its progress, and its start as `performance.now()`. */
export interface Busy {
  progress: Progress;
  since: number;
}

/** Shorter operations show no progress bar, milliseconds. */
const PATIENCE_MS = 200;

/** Starts an operation, or continues one of `since`; `changed` is called when it should be shown. */
export function begin(stage: Progress["stage"], changed: () => void, since?: number): Busy {
  if (since === undefined) setTimeout(changed, PATIENCE_MS + 5);
  return { progress: { stage, done: 0 }, since: since ?? performance.now() };
}

/** Whether an operation has run long enough to be shown. */
export const isLong = ({ since }: Busy): boolean => performance.now() - since >= PATIENCE_MS;
