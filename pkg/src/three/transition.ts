/** Options, events and results of transitions. */
import type { AnimationAction, Object3D, Quaternion, Vector3 } from "three";
import type { Method, JoinOptions } from "../core/types.js";
import type { EngineOptions } from "./engine.js";
import type { Heading } from "./gait.js";
import type { Foot } from "./steps.js";
import type { CheckedOptions } from "./checked-options.js";

/** Options of {@link createTransitions}. */
export interface TransitionsOptions extends EngineOptions {
  /** `load` of `kinestitch/worker` (or of `kinestitch`). Required for foot lock and for `stitch`. */
  load?: NonNullable<EngineOptions["load"]>;
  /**
   * `stitch` of the same entry point as `load`; that of `kinestitch/worker` computes in a worker. With it, all methods
   * but "inertialize" can use motions that are computed between the clips; without it, every transition is an
   * inertialization.
   */
  stitch?: NonNullable<EngineOptions["stitch"]>;
  /** Corrections to the automatic bone mapping. */
  rig?: NonNullable<EngineOptions["rig"]>;
  /**
   * "apply" (default): the model itself moves and rotates by the clips' root motion. "deltas": the model stays at its
   * position, and {@link Transitions.update} returns the root motion of each frame, for the controller of a game.
   */
  rootMotion?: "apply" | "deltas";
  /** Object with the bones if they belong to no skin, such as `vrm.humanoid.normalizedHumanBonesRoot`. */
  bones?: Object3D;
  /** Name of the hips bone; default: the first bone with more than one child. */
  hips?: string;
  /** An action of the mixer that is already playing. */
  playing?: AnimationAction;
  /**
   * Direction that a model keeps when it changes clips. "travel": the direction in which a clip moves over the ground.
   * "facing": the mean direction of the hips. "asInFile": the axes of the clip. "auto" (default): the direction of travel
   * if it is within 35 degrees of the facing or of a right angle to it; a clip in place, near the origin of its file and
   * facing about as the model at rest: the axes of the clip; any other clip: its facing.
   */
  heading?: Heading;
  /**
   * If true, the same calls give the same frames: only computed joins that `prepare` has made with `ahead` are used,
   * because the time of an answer of a worker is not known. All clips must be prepared.
   */
  deterministic?: boolean;
}

/** Options of {@link Transitions.transitionTo}. */
export interface TransitionOptions {
  /**
   * Maximum time until the model leaves its current motion, in real seconds, which `timeScale` of the mixer does not
   * change; 0 means in this frame. Default 0.25. A request that replaces a waiting transition does not extend the wait.
   */
  within?: number;
  /**
   * Maximum time until the model plays the target alone, in real seconds. Default: 0.4 if both motions travel, else 1; a
   * model that walks or jogs stops within 0.5 s, one that sprints within 1 s; at least `within` + `blend` if `within` is
   * given. A computed join that takes longer is not
   * used, unless `method` asks for it; inertialization is shortened.
   */
  arriveWithin?: number;
  /**
   * "auto" (default): uses the motion that `stitch` makes with "auto" if it is ready in time; otherwise inertialization
   * at the best time within `within`. "inertialize": uses inertialization at once. Another method of `stitch`, or a
   * join such as `{ gap: 12, gapMethod: "inertialize" }`: uses it if its motion is ready in time, otherwise
   * inertialization.
   */
  method?: Method | JoinOptions;
  /** Duration of inertialization, in seconds of the mixer's time; default 0.3, at most `arriveWithin`. */
  blend?: number;
  /** Time in the next clip at which it is entered, seconds. Default: in a loop the best time, else the start. */
  at?: number;
}

/** Root motion of one frame, relative to the model's ground pose before the frame. */
export interface RootMotionDelta {
  /** Movement over the ground relative to the model's heading, in units of the model's parent. */
  readonly position: Vector3;
  /** Rotation about the vertical axis. */
  readonly quaternion: Quaternion;
  /**
   * Seconds that `update` did not advance, because a frame advances at most 0.25 s; 0 in every other frame. `seek`
   * makes them up.
   */
  readonly dropped: number;
}

/** Join of a transition: "inertialize", or the options of a join that `stitch` has computed. */
export type TransitionJoin = "inertialize" | JoinOptions;

/** A requested transition. */
export interface Transition {
  /** The target action. */
  readonly action: AnimationAction;
  /**
   * "waiting": the model is still in its previous motion. "crossing": the model is between the two motions. "over": the
   * model is in the target action, or the transition was interrupted.
   */
  readonly state: "waiting" | "crossing" | "over";
  /** Join of this transition; `undefined` while waiting. */
  readonly join: TransitionJoin | undefined;
  /**
   * Resolves to `true` when the model is in the action, or to `false` when the transition is interrupted; rejected with
   * the code `aborted` by `dispose`.
   */
  readonly finished: Promise<boolean>;
}

/** Events of {@link Transitions}. */
export interface TransitionsEventMap {
  /** The model leaves its previous motion. */
  started: { transition: Transition };
  /** The model has arrived: it plays the target action alone. */
  finished: { transition: Transition };
  /** The current motion has passed the end of its loop `count` times; negative if it plays backwards. */
  loop: { action: AnimationAction; count: number };
  /** A foot was set down. Only after `prepare` with the option `load`, which finds the legs. */
  step: { foot: Foot };
  /** Before the end of this transition, another one was requested, or `dispose` was called. */
  interrupted: { transition: Transition };
}

/** The transition whose state {@link Transitions} changes. @internal */
export class RunningTransition implements Transition {
  readonly action: AnimationAction;
  readonly options: CheckedOptions;
  state: Transition["state"] = "waiting";
  join: TransitionJoin | undefined;
  readonly finished: Promise<boolean>;
  #resolveFinished: (reached: boolean) => void = () => {};
  #rejectFinished: (error: unknown) => void = () => {};
  readonly #abort = new AbortController();

  constructor(action: AnimationAction, options: CheckedOptions) {
    this.action = action;
    this.options = options;
    this.finished = new Promise((resolve, reject) => {
      this.#resolveFinished = resolve;
      this.#rejectFinished = reject;
    });
    // A caller that does not await it gets no "unhandled rejection".
    this.finished.catch(() => {});
  }

  /** Aborted when the transition ends. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Ends the transition. `reached`: whether the model is in the target action. */
  end(reached: boolean): void {
    this.state = "over";
    this.#abort.abort();
    this.#resolveFinished(reached);
  }

  /** Ends the transition by `dispose`. */
  fail(error: unknown): void {
    this.state = "over";
    this.#abort.abort();
    this.#rejectFinished(error);
  }
}
