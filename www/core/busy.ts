/** Work that takes a while: how far it is, and when it has taken long enough to be shown. */
import type { Progress } from "kinestitch/worker";

export interface Busy {
  progress: Progress;
  since: number;
}

/** Work shorter than this shows no bar. */
const PATIENCE_MS = 200;

/** Work begins, or began at `since`; `changed` is called when it is long enough to be shown. */
export function begin(stage: Progress["stage"], changed: () => void, since?: number): Busy {
  if (since === undefined) setTimeout(changed, PATIENCE_MS + 5);
  return { progress: { stage, done: 0 }, since: since ?? performance.now() };
}

export const isLong = ({ since }: Busy): boolean => performance.now() - since >= PATIENCE_MS;
