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

const smooth = (share: number): number => share * share * (3 - 2 * share);

/** Returns the indices of the bones of a mask; unknown names are ignored. */
export function findMaskedBones(body: Body, mask: Mask): Set<number> {
  const { nodes } = body;
  if (typeof mask === "function") return new Set(nodes.flatMap((node, i) => (mask(node) ? [i] : [])));
  if (!("from" in mask)) return new Set(nodes.flatMap(({ name }, i) => (mask.includes(name) ? [i] : [])));
  const selected = new Set<number>();
  nodes.forEach(({ name }, i) => (name === mask.from || selected.has(body.parentOf(i))) && selected.add(i));
  return selected;
}

/** An action on some bones, created by `Transitions.layer`. */
export class Layer {
  /** The action, played over the base motion. */
  readonly action: AnimationAction;
  readonly #sampler: Sampler;
  readonly #bones: readonly number[];
  #share = 0;
  #goal: number;
  #fadeSeconds: number;
  #resolveFinished: () => void = () => {};
  /** Resolves when the layer has faded out. */
  readonly finished: Promise<void>;

  /** @internal */
  constructor(action: AnimationAction, sampler: Sampler, mask: ReadonlySet<number>, fade: number) {
    this.action = action;
    this.#sampler = sampler;
    const moved = sampler.bones;
    this.#bones = [...mask].filter((bone) => moved.has(bone));
    this.#goal = 1;
    this.#fadeSeconds = fade;
    this.finished = new Promise((resolve) => (this.#resolveFinished = resolve));
    // The mixer advances the action's time and dispatches its events, but with weight 0 it does not write the bones.
    action.reset().setEffectiveWeight(0).play();
    action.clampWhenFinished = true;
  }

  /** Current weight, 0 to 1. */
  get weight(): number {
    return smooth(this.#share);
  }

  /** Fades out the layer over some seconds. */
  fadeOut(seconds = 0.25): this {
    this.#goal = 0;
    this.#fadeSeconds = seconds;
    return this;
  }

  /** @internal Advances the fade; returns whether the layer has faded out. */
  advance(delta: number): boolean {
    const step = this.#fadeSeconds > 0 ? delta / this.#fadeSeconds : 1;
    this.#share = this.#goal > this.#share ? Math.min(1, this.#share + step) : Math.max(this.#goal, this.#share - step);
    if (this.#goal > 0 || this.#share > 0) return false;
    this.action.stop();
    this.#resolveFinished();
    return true;
  }

  /** @internal */
  apply(pose: Pose): Pose {
    const layerPose = this.#sampler.poseAt(this.action.time);
    const [rotations, positions, share] = [[...pose.rotations], [...pose.positions], this.weight];
    for (const bone of this.#bones) {
      rotations[bone] = slerp(rotations[bone] as Rotation, layerPose.rotations[bone] as Rotation, share);
      const [[x, y, z], [a, b, c]] = [positions[bone] as Vector, layerPose.positions[bone] as Vector];
      positions[bone] = [x + (a - x) * share, y + (b - y) * share, z + (c - z) * share];
    }
    return { rotations, positions };
  }
}
