/** Layers: actions on some bones, over the base motion. */
import type { AnimationAction, Object3D } from "three";
import { add, multiply, scaleBy, slerp, subtract, type Rotation, type Vector } from "../bones/rotation.js";
import { checkOptions, faultOf, fraction, secondsUpTo, wrongOption } from "../core/options.js";
import type { Body, Pose } from "./body.js";
import type { Sampler } from "./sampler.js";

/**
 * Selects the bones of a layer: `{ from: "Spine" }` selects a bone with all its descendants, a list selects bones by
 * name, and a function returns whether a bone is selected.
 */
export type Mask = { from: string } | readonly string[] | ((bone: Object3D) => boolean);

/** Options of `Transitions.layer`. */
export interface LayerOptions {
  /** Fade-in time, seconds; default 0.25. */
  fade?: number;
  /** Weight of the layer after the fade-in, 0 to 1; default 1. */
  weight?: number;
}

/** Maximum duration of a fade, seconds. */
const MAX_FADE = 60;
const fadeSeconds = /* @__PURE__ */ secondsUpTo(MAX_FADE);

/** Checks mask and options of a layer, and adds defaults. */
export function checkLayer(
  mask: Mask | undefined,
  isAdditive: boolean,
  options: LayerOptions | undefined,
): Required<LayerOptions> & { mask: Mask } {
  const usedMask = mask ?? (isAdditive ? () => true : undefined);
  if (typeof usedMask !== "function" && !(typeof usedMask === "object" && (usedMask as unknown) !== null))
    throw wrongOption("mask", 'the mask of a layer is { from: "Spine" }, a list of names, or a function of a bone');
  const { fade = 0.25, weight = 1 } = checkOptions<LayerOptions>(
    "layer",
    { fade: fadeSeconds, weight: fraction },
    options,
  );
  return { mask: usedMask, fade, weight };
}

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
  #rejectFinished: (error: unknown) => void = () => {};
  readonly #isAdditive: boolean;
  readonly #fullWeight: number;
  /** Resolves when the layer has faded out; rejected with the code `aborted` by `dispose` of the transitions. */
  readonly finished: Promise<void>;
  /** Fades out the layer when its action ends. */
  readonly #onActionFinished = ({ action }: { action: AnimationAction }): void => {
    if (action === this.action && this.#targetWeight > 0) this.fadeOut();
  };

  /** @internal */
  constructor(
    action: AnimationAction,
    sampler: Sampler,
    mask: ReadonlySet<number>,
    { fade, weight, isAdditive }: Required<LayerOptions> & { isAdditive: boolean },
  ) {
    this.action = action;
    this.#sampler = sampler;
    const animatedBones = sampler.bones;
    this.#bones = [...mask].filter((bone) => animatedBones.has(bone));
    this.#targetWeight = 1;
    this.#fadeSeconds = fade;
    this.#fullWeight = weight;
    this.#isAdditive = isAdditive;
    this.finished = new Promise((resolve, reject) => {
      this.#resolveFinished = resolve;
      this.#rejectFinished = reject;
    });
    // A caller that does not await it gets no "unhandled rejection".
    this.finished.catch(() => {});
    // The mixer advances the action's time and dispatches its events, but with weight 0 it does not write the bones.
    action.reset().setEffectiveWeight(0).play();
    action.clampWhenFinished = true;
    action.getMixer().addEventListener("finished", this.#onActionFinished);
  }

  /** Current weight, 0 to 1. */
  get weight(): number {
    return smoothstep(this.#linearWeight) * this.#fullWeight;
  }

  /** Fades out the layer within `seconds`, by default 0.25, and removes it. */
  fadeOut(seconds = 0.25): this {
    if (!fadeSeconds.is(seconds)) throw wrongOption("seconds", faultOf("seconds", fadeSeconds, seconds));
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

  /**
   * Settles `finished`, after `Player.endLayer` has removed the layer; stops the action on request. @internal
   */
  end({ stopsAction, error }: { stopsAction: boolean; error: unknown }): void {
    this.action.getMixer().removeEventListener("finished", this.#onActionFinished);
    if (stopsAction) this.action.stop();
    if (error) this.#rejectFinished(error);
    else this.#resolveFinished();
  }

  /** Applies the layer to a pose. @internal */
  apply(pose: Pose): Pose {
    const tracks = this.#sampler.tracksAt(this.action.time);
    const [rotations, positions, weight] = [[...pose.rotations], [...pose.positions], this.weight];
    for (const bone of this.#bones) {
      const [base, place] = [rotations[bone] as Rotation, positions[bone] as Vector];
      const [rotation, position] = [tracks.rotations.get(bone), tracks.positions.get(bone)];
      if (rotation) rotations[bone] = slerp(base, this.#isAdditive ? multiply(base, rotation) : rotation, weight);
      if (position) {
        const target = this.#isAdditive ? add(place, position) : position;
        positions[bone] = add(place, scaleBy(subtract(target, place), weight));
      }
    }
    return { rotations, positions };
  }
}
