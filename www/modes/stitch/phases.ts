/** Phases of the limbs of a result: asked of the worker when they are first looked at, once a result. */
import type { LimbPhases } from "kinestitch/worker";
import { problemOf, type Problem } from "../../core/engine";
import type { Take } from "./stitcher";

export interface TakePhases {
  limbs?: readonly LimbPhases[];
  problem?: Problem;
}

const known = new WeakMap<Take["clip"], TakePhases>();

/** What is known of a result's phases now; `changed` is called when there is more. */
export function phasesOf({ clip }: Take, changed: () => void): TakePhases {
  const found = known.get(clip);
  if (found) return found;
  const phases: TakePhases = {};
  known.set(clip, phases);
  clip
    .phases()
    .then(
      (limbs) => (phases.limbs = limbs),
      (error: unknown) => (phases.problem = problemOf(error)),
    )
    .finally(changed);
  return phases;
}
