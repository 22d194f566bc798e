/** Options, events and results of transitions. */
import type { AnimationAction, Quaternion, Vector3 } from "three";
import type { Object3D } from "three";
import type { Method, Way } from "../core/types.js";
import type { EngineOptions } from "./engine.js";

/** Options of {@link createTransitions}. */
export interface TransitionsOptions extends EngineOptions {
  /**
   * `load` of `kinestitch/worker` (or of `kinestitch`): with it, feet are held, and clips can be joined by `stitch`.
   */
  load?: NonNullable<EngineOptions["load"]>;
  /** `stitch` of the same entry: with it, "auto" finds the ways from clip to clip, in the worker. */
  stitch?: NonNullable<EngineOptions["stitch"]>;
  /** Corrections to the automatic bone mapping. */
  rig?: NonNullable<EngineOptions["rig"]>;
  /**
   * "apply" (default): the model itself goes the clips' way over the ground, and turns with it. "deltas": it stays,
   * and {@link Transitions.update} tells the way of each frame, for a game's own controller.
   */
  rootMotion?: "apply" | "deltas";
  /** Object that holds the bones where they are no bones of a skin: `vrm.humanoid.normalizedHumanBonesRoot`. */
  bones?: Object3D;
  /** Name of the bone that the body hangs from; default: the first that has more than one child. */
  hips?: string;
  /** An action of the mixer that is playing already. */
  playing?: AnimationAction;
}

/** Options of {@link Transitions.transitionTo}. */
export interface TransitionOptions {
  /**
   * Longest time, seconds, that the model goes on with what it does before it turns to the next clip; default 0.25, 0
   * is this frame.
   */
  within?: number;
  /**
   * "auto" (default): the way that `stitch` finds by "auto", if it is there in time, else as "inertialize", at the
   * moment within `within` that suits best. "inertialize": at once. Another method of `stitch`, or a way such as `{
   * gap: 12, gapMethod: "inertialize" }`: that one, if it is there in time.
   */
  method?: Method | Way;
  /** Time in which inertialization fades out, seconds; default 0.3. */
  blend?: number;
  /** Where the next clip is entered, seconds; default: of a loop where it suits best, of others the beginning. */
  at?: number;
}

/** The way over the ground of one frame, as seen from the model: units of its parent, a turn about +Y. */
export interface RootMotionDelta {
  /** Way over the ground, in units of the model. */
  readonly position: Vector3;
  /** Turn about the vertical. */
  readonly quaternion: Quaternion;
}

/** How a transition was made: by inertialization within the frame, or as `stitch` made it. */
export type TransitionWay = "inertialize" | Way;

/** A transition that was asked for. */
export interface Transition {
  /** The action that it leads to. */
  readonly action: AnimationAction;
  /**
   * "waiting": the model does what it did. "crossing": it is between the two. "over": it is in the action, or another
   * transition came before.
   */
  readonly state: "waiting" | "crossing" | "over";
  /** How it was made; `undefined` while it waits. */
  readonly way: TransitionWay | undefined;
  /** Resolves when it is over: `true` if the model is in the action, `false` if another transition came before. */
  readonly finished: Promise<boolean>;
}

/** Events of {@link Transitions}. */
export interface TransitionsEventMap {
  /** The model leaves what it did. */
  started: { transition: Transition };
  /** It is in the next action. */
  finished: { transition: Transition };
  /** Another transition was asked for before this one was over. */
  interrupted: { transition: Transition };
}

/** @internal */
export class RunningTransition implements Transition {
  readonly action: AnimationAction;
  state: Transition["state"] = "waiting";
  way: TransitionWay | undefined;
  readonly finished: Promise<boolean>;
  #end: (reached: boolean) => void = () => {};
  readonly #abort = new AbortController();

  constructor(action: AnimationAction) {
    this.action = action;
    this.finished = new Promise((resolve) => (this.#end = resolve));
  }

  /** Aborted when it is over. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  end(reached: boolean): void {
    this.state = "over";
    this.#abort.abort();
    this.#end(reached);
  }
}
