/** Phases of the limbs of a result: requested from the worker on first need, once per result. */
import type { LimbPhases } from "kinestitch/worker";
import { problemOf, type Problem } from "../../core/engine";
import type { Take } from "./stitcher";

/** Phases of a result, or the reason why there are none; empty while they are computed. */
export interface TakePhases {
  limbs?: readonly LimbPhases[];
  problem?: Problem;
}

const known = new WeakMap<Take["clip"], TakePhases>();

/** The present state of a result's phases; `changed` is called on updates. */
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
