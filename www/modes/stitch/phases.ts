/** Phases of the limbs of a result: requested from the worker once per result, when first needed. */
import type { LimbPhases } from "kinestitch/worker";
import { problemOf, type Problem } from "../../core/engine";
import type { StitchResult } from "./stitcher";

/** Phases of a result, or the reason why there are none; empty while they are computed. */
export interface ResultPhases {
  limbs?: readonly LimbPhases[];
  problem?: Problem;
}

const phasesByClip = new WeakMap<StitchResult["clip"], ResultPhases>();

/** Returns the phases of a result, and requests them first if necessary; `onChange` is called when they arrive. */
export function phasesOf({ clip }: StitchResult, onChange: () => void): ResultPhases {
  const requested = phasesByClip.get(clip);
  if (requested) return requested;
  const phases: ResultPhases = {};
  phasesByClip.set(clip, phases);
  clip
    .phases()
    .then(
      (limbs) => (phases.limbs = limbs),
      (error: unknown) => (phases.problem = problemOf(error)),
    )
    .finally(onChange);
  return phases;
}
