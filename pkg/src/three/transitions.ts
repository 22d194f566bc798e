/** Transitions of a running `AnimationMixer`. */
import { type AnimationAction, AnimationClip, AnimationMixer, EventDispatcher, LoopRepeat, type Object3D } from "three";
import { wrongOption } from "../core/options.js";
import { KinestitchError, throwIfAborted } from "../core/error.js";
import { type BlendSample, BlendSpace, type BlendSpaceOptions, type MotionSample, PlayedSpace } from "./blend-space.js";
import { Body, type Pose } from "./body.js";
import type { ClipMotion } from "./clip-motion.js";
import { Engine } from "./engine.js";
import { FeetLock } from "./feet.js";
import { Layer, type LayerOptions, type Mask, checkLayer, findMaskedBones } from "./layers.js";
import { checkActions, checkSpeeds, isAdditive } from "./managed.js";
import { type Playable, PlayedAction } from "./playable.js";
import { Planner } from "./planner.js";
import { limitWait } from "./planned-transition.js";
import { Player } from "./player.js";
import { writeDelta, move, createDelta } from "./root.js";
import { Sampler } from "./sampler.js";
import { Steps } from "./steps.js";
import {
  type RootMotionDelta,
  RunningTransition,
  type Transition,
  type TransitionOptions,
  type TransitionsEventMap,
  type TransitionsOptions,
  type TransitionJoin,
} from "./transition.js";
import { checkPrepareOptions, checkTransitionOptions, isSameJoin } from "./transition-options.js";

/** Maximum time that a frame advances, seconds. */
const MAX_STEP = 0.25;
/** Maximum time of `seek`, seconds. */
const MAX_SEEK = 1e9;

/** Target of a transition: a clip, an action of the mixer, or a blend space. */
export type Target = AnimationAction | AnimationClip | BlendSpace;

/** Transitions between the clips of a moving model; created by {@link createTransitions}. */
export class Transitions extends EventDispatcher<TransitionsEventMap> {
  /** The mixer of the actions. */
  readonly mixer: AnimationMixer;
  readonly #model: Object3D;
  readonly #body: Body;
  /** Pose of the bones before the first frame. */
  readonly #initialPose: Pose;
  readonly #engine: Engine;
  readonly #player: Player;
  readonly #planner: Planner;
  readonly #appliesRootMotion: boolean;
  readonly #isDeterministic: boolean;
  readonly #delta = createDelta();
  /** Whether clips move bones of the model. */
  readonly #moving = new WeakMap<AnimationClip, boolean>();
  readonly #disposal = new AbortController();
  #steps: Steps | undefined;
  #running: RunningTransition | undefined;

  /** @internal */
  constructor(of: AnimationMixer | Object3D, options: TransitionsOptions) {
    super();
    this.mixer = of instanceof AnimationMixer ? of : new AnimationMixer(of);
    const root = this.mixer.getRoot();
    if (!(root as Object3D).isObject3D)
      throw wrongOption("mixer", "the mixer must be one of a single model, not of a group");
    const { rootMotion = "apply", bones, hips, playing, deterministic = false, ...engine } = options;
    this.#model = root as Object3D;
    this.#appliesRootMotion = rootMotion === "apply";
    this.#isDeterministic = deterministic;
    this.#body = new Body(this.#model, bones, hips);
    this.#player = new Player(this.#body, this.mixer);
    this.#initialPose = this.#body.read();
    this.#engine = new Engine(this.#body, this.#model, this.#initialPose, { ...engine, deterministic });
    this.#planner = new Planner(this.#engine, this.#player, this.mixer);
    if (playing) {
      const action = this.#action(playing, "playing");
      this.#player.play(new PlayedAction(action, this.#motion(action)), action.time);
    }
  }

  /** The action that the model plays or enters; in a blend space, the one with the largest weight. */
  get current(): AnimationAction | undefined {
    return this.#player.playing?.action;
  }

  /** The current transition, if any. */
  get transition(): Transition | undefined {
    return this.#running;
  }

  /**
   * Prepares clips in slices of some milliseconds, so that transitions between them do not delay a frame. A clip that
   * is not prepared is sampled at its first use, and its transitions use only inertialization.
   *
   * @param clips Animation clips, or actions of the mixer.
   * @param options `ahead`: if given, also computes transitions between all these clips in advance, with `stitch`: one
   * transition per `ahead` seconds of the clip that the model leaves, at least 1/30. `signal`: aborts the preparation.
   * @throws {KinestitchError} `option`, `limit`, `aborted`; errors of `load` and `stitch`.
   * @example
   * ```js
   * await transitions.prepare([walk, run, jump], { ahead: 0.2 });
   * ```
   */
  async prepare(
    clips: readonly (AnimationClip | AnimationAction)[],
    options: { ahead?: number; signal?: AbortSignal } = {},
  ): Promise<void> {
    this.#checkAlive();
    const { ahead, signal } = checkPrepareOptions(options);
    const disposal = this.#disposal.signal;
    const motions: ClipMotion[] = [];
    for (const entry of clips) {
      throwIfAborted(signal);
      const action = this.#action(entry);
      motions.push(await this.#engine.prepare(action.getClip(), action.loop === LoopRepeat));
      throwIfAborted(disposal);
    }
    if (!this.#player.feet) {
      const feet = new FeetLock(this.#body, await this.#engine.rig());
      throwIfAborted(disposal);
      this.#player.feet ??= feet;
      this.#steps ??= new Steps(this.#body, feet.feet);
    }
    // The playing action continues with the prepared motion.
    const { playing } = this.#player;
    if (playing instanceof PlayedAction) playing.motion = this.#motion(playing.action);
    for (const from of ahead ? motions : [])
      for (const to of motions) {
        if (from !== to) await this.#engine.computeAhead(from, to, ahead as number, signal);
        throwIfAborted(disposal);
      }
  }

  /**
   * Starts a transition from the current motion into another clip. It may replace a running transition: the model
   * continues from its current pose and velocity. A request that repeats a waiting transition returns that transition;
   * one that replaces it does not extend the wait.
   *
   * @param next A clip, an action of the mixer (whose `timeScale` and `loop` apply), or a blend space.
   * @returns The transition, immediately; see {@link Transition}.
   * @throws {KinestitchError} `option`.
   * @example
   * ```js
   * const { finished } = transitions.transitionTo(run, { within: 0.3 });
   * if (await finished) console.log("it runs");
   * ```
   */
  transitionTo(next: Target, options?: TransitionOptions): Transition {
    this.#checkAlive();
    const plan = checkTransitionOptions(options);
    // First, because a clip that cannot be sampled must not interrupt the current transition.
    const target = this.#target(next);
    if (this.#isDeterministic && plan.isJoinGiven)
      throw wrongOption("method", 'with `deterministic`, the method of transitionTo is "auto" or "inertialize"');
    const { waiting } = this.#planner;
    // Otherwise a game that repeats its request in every frame would never leave the current motion.
    if (waiting?.next.source === target.source && isSameJoin(waiting.transition.options, plan))
      if (waiting.realSecondsLeft <= plan.within) return waiting.transition;
    const transition = new RunningTransition(target.action, plan);
    this.#interrupt();
    this.#running = transition;
    if (this.#player.isMoving) this.#planner.plan(transition, target, limitWait(plan, waiting));
    else {
      this.#player.play(target, target.motion.wrapTime(plan.at ?? 0));
      this.#begin(transition, "inertialize");
      // A listener of "started" may have requested another transition.
      if (this.#running === transition) this.#finish();
    }
    return transition;
  }

  /**
   * Plays an action on some bones, over the base motion; an additive action is added to it.
   *
   * @param mask The bones: `{ from: "Spine" }`, a list of names, or a function of a bone. An additive action needs none.
   * @param options `fade`: fade-in time in seconds; default 0.25. `weight`: weight of the layer, 0 to 1; default 1.
   * @returns The layer; `fadeOut()` removes it, and an action that plays once fades out at its end, within 0.25 s.
   * @throws {KinestitchError} `option`.
   * @example
   * ```js
   * const wave = transitions.layer(mixer.clipAction(waving), { from: "mixamorigSpine" });
   * wave.fadeOut();
   * ```
   */
  layer(next: AnimationAction | AnimationClip, mask?: Mask, options?: LayerOptions): Layer {
    this.#checkAlive();
    const action = this.#action(next);
    const checked = checkLayer(mask, isAdditive(action), options);
    const bones = findMaskedBones(this.#body, checked.mask);
    if (bones.size === 0) throw wrongOption("mask", "the mask of the layer selects no bone of this model");
    if (action === this.current)
      throw wrongOption("action", "the action of a layer is already the current action of the whole body");
    const sampler = new Sampler(this.#body, this.#model, action.getClip(), this.#initialPose);
    const layer = new Layer(action, sampler, bones, { ...checked, isAdditive: isAdditive(action) });
    this.#player.layers.add(layer);
    return layer;
  }

  /**
   * Creates a blend space: actions that are mixed by speed, and by turn if they have one, with their steps in phase.
   * Enter it with {@link transitionTo}; then set its `speed` and `turn` at any time.
   *
   * @param samples The actions or clips, with the speed of each (any unit), and its turn (any unit).
   * @param options See {@link BlendSpaceOptions}.
   * @throws {KinestitchError} `option`.
   * @example
   * ```js
   * const gait = transitions.createBlendSpace([{ action: idle, speed: 0 }, { action: walk, speed: 1.4 }, { action: run, speed: 4 }]);
   * transitions.transitionTo(gait);
   * gait.speed = 2.3;
   * ```
   */
  createBlendSpace(samples: readonly BlendSample[], options?: BlendSpaceOptions): BlendSpace {
    this.#checkAlive();
    if (!Array.isArray(samples) || samples.length < 2)
      throw wrongOption("samples", "a blend space needs two samples or more, { action, speed }");
    const motions = samples.map((sample): MotionSample => {
      const action = this.#action((sample as Partial<BlendSample> | null)?.action as AnimationAction, "action");
      if (isAdditive(action))
        throw wrongOption("action", "an additive action is no sample of a blend space; use layer");
      return { ...sample, action, motion: this.#motion(action) };
    });
    return new BlendSpace(this.#body, motions, this.#player.feet?.feet ?? [], options);
  }

  /**
   * Advances the transitions and the mixer by a duration in seconds; call it instead of the mixer's `update`. A frame
   * advances at most 0.25 s, so that a model does not jump after a pause of the page; `dropped` is the rest.
   *
   * @returns Root motion of the model in this frame; the same object at every call.
   * @throws {KinestitchError} `option`, also if an action was started by its own methods.
   * @example
   * ```js
   * const { position, quaternion } = transitions.update(clock.getDelta());
   * // with rootMotion: "deltas"
   * controller.move(position.applyQuaternion(model.quaternion));
   * model.quaternion.multiply(quaternion);
   * ```
   */
  update(deltaSeconds: number): RootMotionDelta {
    this.#checkAlive();
    if (!Number.isFinite(deltaSeconds))
      throw wrongOption("deltaSeconds", `deltaSeconds must be a finite number of seconds, not ${deltaSeconds}`);
    checkSpeeds(this.mixer, this.#player);
    checkActions(this.mixer, this.#player, (action) => this.#movesBones(action));
    const seconds = Math.max(-MAX_STEP, Math.min(MAX_STEP, deltaSeconds));
    this.#delta.dropped = deltaSeconds - seconds;
    const transition = this.#running;
    const join = this.#planner.leave(seconds);
    if (join && transition) this.#begin(transition, join);
    return this.#advance(seconds);
  }

  /**
   * Goes to a time of the mixer (`mixer.time`) at once, however far it is: after a pause, for example,
   * `seek(mixer.time + dropped)`. A running transition ends: the model is in its target.
   *
   * @param seconds Time of the mixer, from -1e9 to 1e9 seconds.
   * @returns Root motion of the model up to this time; the same object at every call.
   * @throws {KinestitchError} `option`.
   */
  seek(seconds: number): RootMotionDelta {
    this.#checkAlive();
    if (!(Math.abs(seconds) <= MAX_SEEK))
      throw wrongOption("seconds", `seek takes a time of the mixer from -1e9 to 1e9 seconds, not ${String(seconds)}`);
    checkSpeeds(this.mixer, this.#player);
    const { waiting } = this.#planner;
    if (waiting) {
      this.#planner.waiting = undefined;
      this.#player.play(waiting.next, waiting.next.motion.wrapTime(waiting.landing));
      this.#begin(waiting.transition, "inertialize");
    }
    this.#player.settle();
    const { timeScale } = this.mixer;
    this.#delta.dropped = 0;
    // The time of the mixer passes at this rate; here, the caller gives that time.
    this.mixer.timeScale = 1;
    try {
      return this.#advance(seconds - this.mixer.time);
    } finally {
      this.mixer.timeScale = timeScale;
    }
  }

  #advance(seconds: number): RootMotionDelta {
    const step = this.#player.advance(seconds);
    if (this.#running?.state === "crossing" && this.#player.isPlain) this.#finish();
    writeDelta(step, this.#model.scale, this.#delta);
    if (this.#appliesRootMotion) move(this.#model, this.#delta);
    const { wraps, displayedPose } = this.#player;
    if (wraps !== 0 && this.current) this.dispatchEvent({ type: "loop", action: this.current, count: wraps });
    for (const foot of (displayedPose && this.#steps?.advance(displayedPose)) ?? [])
      this.dispatchEvent({ type: "step", foot });
    return this.#delta;
  }

  /**
   * Ends everything: stops the mixer, which resets the pose of the model, frees the prepared clips, and rejects pending
   * promises with the code `aborted`. Later calls throw.
   */
  dispose(): void {
    if (this.#disposal.signal.aborted) return;
    const error = new KinestitchError("aborted", "the transitions were disposed of");
    this.#disposal.abort(error);
    this.#planner.waiting = undefined;
    this.#running?.fail(error);
    this.#running = undefined;
    // The mixer resets only what its clips move, not a bone above the hips that root motion has turned.
    if (this.#player.playing) this.#body.write(this.#initialPose);
    this.mixer.stopAllAction();
    for (const layer of this.#player.layers) this.#player.endLayer(layer, error);
    this.#engine.free();
    this.#player.playing = undefined;
  }

  #checkAlive(): void {
    if (this.#disposal.signal.aborted)
      throw new KinestitchError("option", "these transitions were disposed of: call createTransitions again");
  }

  #movesBones(action: AnimationAction): boolean {
    const clip = action.getClip();
    const known = this.#moving.get(clip);
    if (known !== undefined) return known;
    const { size } = new Sampler(this.#body, this.#model, clip, this.#initialPose).bones;
    this.#moving.set(clip, size > 0);
    return size > 0;
  }

  #target(next: Target): Playable {
    if (next instanceof BlendSpace) {
      // While it is not played, changes are not smoothed.
      if (this.#player.playing?.source !== next) next.settle();
      return new PlayedSpace(next);
    }
    const action = this.#action(next);
    if (isAdditive(action))
      throw wrongOption("next", "an additive action cannot move the whole body; use transitions.layer(action)");
    if (this.#isDeterministic && !this.#engine.isPrepared(action.getClip()))
      throw wrongOption("next", `with \`deterministic\`, prepare the clip "${action.getClip().name}" first`);
    return new PlayedAction(action, this.#motion(action));
  }

  /** Returns the action of a clip, or the action itself. `option`: name of the argument, for messages. */
  #action(next: AnimationAction | AnimationClip, option = "next"): AnimationAction {
    if (next instanceof AnimationClip || Array.isArray((next as Partial<AnimationClip> | undefined)?.tracks))
      return this.mixer.clipAction(next as AnimationClip);
    if (typeof (next as Partial<AnimationAction> | undefined)?.getClip !== "function")
      throw wrongOption(option, `${option} must be an AnimationClip, or an AnimationAction of the mixer`);
    if (next.getMixer() !== this.mixer)
      throw wrongOption(
        option,
        option === "playing"
          ? "the action `playing` belongs to another mixer: pass its mixer to createTransitions"
          : "the action belongs to another mixer: create it with transitions.mixer.clipAction(clip)",
      );
    return next;
  }

  #motion(action: AnimationAction): ClipMotion {
    return this.#engine.motionOf(action.getClip(), action.loop === LoopRepeat);
  }

  /** Ends the current transition; the model keeps its displayed pose. */
  #interrupt(): void {
    const interrupted = this.#running;
    this.#running = this.#planner.waiting = undefined;
    if (!interrupted) return;
    interrupted.end(false);
    this.dispatchEvent({ type: "interrupted", transition: interrupted });
  }

  #begin(transition: RunningTransition, join: TransitionJoin): void {
    transition.join = join;
    transition.state = "crossing";
    this.dispatchEvent({ type: "started", transition });
  }

  #finish(): void {
    const transition = this.#running as RunningTransition;
    this.#running = undefined;
    transition.end(true);
    this.dispatchEvent({ type: "finished", transition });
  }
}
