/** Creates transitions of a running `AnimationMixer`. */
import type { AnimationMixer, Object3D } from "three";
import { anything, checkOptions, flag, names, oneOf, text } from "../core/options.js";
import type { RigEdits } from "../core/types.js";
import { headings } from "./gait.js";
import type { TransitionsOptions } from "./transition.js";
import { Transitions } from "./transitions.js";

const SCHEMA = {
  load: anything,
  stitch: anything,
  rig: names<RigEdits>(),
  rootMotion: oneOf(["apply", "deltas"]),
  bones: anything,
  hips: text,
  playing: anything,
  heading: oneOf(headings),
  deterministic: flag,
};

/**
 * Creates transitions for a model with an `AnimationMixer`: from its current motion into the next clip, with continuous
 * poses and root motion.
 *
 * @param of The mixer, or a model, for which a mixer is created.
 * @param options See {@link TransitionsOptions}; with `load` and `stitch` of `kinestitch/worker`, "auto" makes motions
 * between clips.
 * @throws {KinestitchError} `option` for a model without bones.
 * @example
 * ```js
 * import { load, stitch } from "kinestitch/worker";
 * import { createTransitions } from "kinestitch/three";
 *
 * const { scene, animations: [idle, walk, run] } = await new GLTFLoader().loadAsync("hero.glb");
 * const transitions = createTransitions(scene, { load, stitch });
 * await transitions.prepare([idle, walk, run]);
 * transitions.transitionTo(idle);
 * renderer.setAnimationLoop(() => {
 *   transitions.update(clock.getDelta()); // in place of mixer.update
 *   renderer.render(world, camera);
 * });
 * onkeydown = () => transitions.transitionTo(run, { within: 0.3 });
 * ```
 */
export function createTransitions(of: AnimationMixer | Object3D, options?: TransitionsOptions): Transitions {
  const checkedValues = checkOptions<TransitionsOptions>("createTransitions", SCHEMA as never, options);
  return new Transitions(of, checkedValues);
}
