/** Layers: actions on some bones, over the base motion. */
import type { AnimationAction, Object3D } from "three";
import { slerp, type Rotation, type Vector } from "../bones/rotation.js";
import type { Body, Pose } from "./body.js";
import type { Sampler } from "./sampler.js";

/**
 * Selects the bones of a layer: `{ from: "Spine" }` selects a bone with all its descendants, a list selects bones by
 * name, and a function returns whether a bone is selected.
 */
export type Mask = { from: string } | readonly string[] | ((bone: Object3D) => boolean);

const smoothstep = (weight: number): number => weight * weight * (3 - 2 * weight);

/** Returns the indices of the bones of a mask; unknown names are ignored. */
export function findMaskedBones(body: Body, mask: Mask): Set<number> {
  const { nodes } = body;
  if (typeof mask === "function") return new Set(nodes.flatMap((node, i) => (mask(node) ? [i] : [])));
  if (Array.isArray(mask)) return new Set(nodes.flatMap(({ name }, i) => (mask.includes(name) ? [i] : [])));
  const { from } = mask as { from: string };
  const selected = new Set<number>();
  nodes.forEach(({ name }, i) => (name === from || selected.has(body.parentOf(i))) && selected.add(i));
  return selected;
}

/** An action that is played on some bones only, created by `Transitions.layer`. */
export class Layer {
  /** The action, played over the base motion. */
  readonly action: AnimationAction;
  readonly #sampler: Sampler;
  readonly #bones: readonly number[];
  #linearWeight = 0;
  #targetWeight: number;
  #fadeSeconds: number;
  #resolveFinished: () => void = () => {};
  /** Resolves when the layer has faded out, or when `dispose` of the transitions has removed it. */
  readonly finished: Promise<void>;
  /** Fades out the layer when its action ends. */
  readonly #onActionFinished = ({ action }: { action: AnimationAction }): void => {
    if (action === this.action && this.#targetWeight > 0) this.fadeOut();
  };

  /** `fade`: duration of the fade-in, seconds. @internal */
  constructor(action: AnimationAction, sampler: Sampler, mask: ReadonlySet<number>, fade: number) {
    this.action = action;
    this.#sampler = sampler;
    const animatedBones = sampler.bones;
    this.#bones = [...mask].filter((bone) => animatedBones.has(bone));
    this.#targetWeight = 1;
    this.#fadeSeconds = fade;
    this.finished = new Promise((resolve) => (this.#resolveFinished = resolve));
    // The mixer advances the action's time and dispatches its events, but with weight 0 it does not write the bones.
    action.reset().setEffectiveWeight(0).play();
    action.clampWhenFinished = true;
    action.getMixer().addEventListener("finished", this.#onActionFinished);
  }

  /** Current weight, 0 to 1. */
  get weight(): number {
    return smoothstep(this.#linearWeight);
  }

  /** Fades out the layer within `seconds`, by default 0.25, and removes it. */
  fadeOut(seconds = 0.25): this {
    this.#targetWeight = 0;
    this.#fadeSeconds = seconds;
    return this;
  }

  /** Advances the fade by some seconds of the mixer's time, from 0; returns whether the layer has faded out. @internal */
  advance(seconds: number): boolean {
    const step = this.#fadeSeconds > 0 ? seconds / this.#fadeSeconds : 1;
    this.#linearWeight =
      this.#targetWeight > this.#linearWeight
        ? Math.min(1, this.#linearWeight + step)
        : Math.max(this.#targetWeight, this.#linearWeight - step);
    return this.#targetWeight === 0 && this.#linearWeight === 0;
  }

  /** Resolves `finished`, after `Player.endLayer` has removed the layer; stops the action on request. @internal */
  end({ stopsAction }: { stopsAction: boolean }): void {
    this.action.getMixer().removeEventListener("finished", this.#onActionFinished);
    if (stopsAction) this.action.stop();
    this.#resolveFinished();
  }

  /** Applies the layer to a pose. @internal */
  apply(pose: Pose): Pose {
    const layerPose = this.#sampler.poseAt(this.action.time);
    const [rotations, positions, weight] = [[...pose.rotations], [...pose.positions], this.weight];
    for (const bone of this.#bones) {
      rotations[bone] = slerp(rotations[bone] as Rotation, layerPose.rotations[bone] as Rotation, weight);
      const [[x, y, z], [a, b, c]] = [positions[bone] as Vector, layerPose.positions[bone] as Vector];
      positions[bone] = [x + (a - x) * weight, y + (b - y) * weight, z + (c - z) * weight];
    }
    return { rotations, positions };
  }
}
