/** Transitions of a running `AnimationMixer`. */
import { type AnimationAction, AnimationClip, AnimationMixer, EventDispatcher, LoopRepeat, type Object3D } from "three";
import { anything, checkOptions, names, oneOf, seconds, text, wrongOption } from "../core/options.js";
import { throwIfAborted } from "../core/error.js";
import type { RigEdits, JoinOptions } from "../core/types.js";
import { Body, type Pose } from "./body.js";
import type { CheckedOptions } from "./checked-options.js";
import { bestCut, type ClipMotion, type Cut, RATE } from "./clip-motion.js";
import { Engine, landingSamples } from "./engine.js";
import { FeetLock } from "./feet.js";
import { Layer, type Mask, findMaskedBones } from "./layers.js";
import { findBridge, limitWait, type PlannedTransition } from "./planned-transition.js";
import { Player, type CurrentAction } from "./player.js";
import { writeDelta, move, createDelta } from "./root.js";
import {
  type RootMotionDelta,
  RunningTransition,
  type Transition,
  type TransitionOptions,
  type TransitionsEventMap,
  type TransitionsOptions,
  type TransitionJoin,
} from "./transition.js";
import { checkTransitionOptions, isSameJoin } from "./transition-options.js";

const SCHEMA = {
  load: anything,
  stitch: anything,
  rig: names<RigEdits>(),
  rootMotion: oneOf(["apply", "deltas"]),
  bones: anything,
  hips: text,
  playing: anything,
};

/** Minimum number of remaining frames of a bridge that is used. */
const MIN_BRIDGE_FRAMES = 3;

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
  readonly #appliesRootMotion: boolean;
  /** Whether the bones are in an object inside the model; then root motion is in units of that object. */
  readonly #hasBonesInside: boolean;
  readonly #delta = createDelta();
  #waiting: PlannedTransition | undefined;
  #running: RunningTransition | undefined;

  /** @internal */
  constructor(of: AnimationMixer | Object3D, options: TransitionsOptions) {
    super();
    this.mixer = of instanceof AnimationMixer ? of : new AnimationMixer(of);
    const root = this.mixer.getRoot();
    if (!(root as Object3D).isObject3D)
      throw wrongOption("mixer", "the mixer must be one of a single model, not of a group");
    const { rootMotion = "apply", bones, hips, playing, ...engine } = options;
    this.#model = root as Object3D;
    this.#appliesRootMotion = rootMotion === "apply";
    this.#hasBonesInside = bones !== undefined && bones !== root;
    this.#body = new Body(this.#model, bones, hips);
    this.#player = new Player(this.#body, this.mixer);
    this.#initialPose = this.#body.read();
    this.#engine = new Engine(this.#body, this.#model, this.#initialPose, engine);
    if (playing) {
      const action = this.#action(playing, "playing");
      this.#player.play(action, this.#motion(action), action.time);
    }
  }

  /** The action that the model plays or enters. */
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
   * transition per `ahead` seconds of the clip that the model leaves. `signal`: aborts the preparation.
   * @throws {KinestitchError} `option`, `aborted`; errors of `load` and `stitch`.
   * @example
   * ```js
   * await transitions.prepare([walk, run, jump], { ahead: 0.2 });
   * ```
   */
  async prepare(
    clips: readonly (AnimationClip | AnimationAction)[],
    options: { ahead?: number; signal?: AbortSignal } = {},
  ): Promise<void> {
    const { ahead, signal } = checkOptions<{ ahead?: number; signal?: AbortSignal }>(
      "prepare",
      { ahead: seconds } as never,
      options,
    );
    const motions: ClipMotion[] = [];
    for (const entry of clips) {
      throwIfAborted(signal);
      const action = this.#action(entry);
      motions.push(await this.#engine.prepare(action.getClip(), action.loop === LoopRepeat));
    }
    this.#player.feet ??= new FeetLock(this.#body, await this.#engine.rig());
    // The playing action continues with the prepared motion.
    const { playing } = this.#player;
    if (playing) playing.motion = this.#motion(playing.action);
    for (const from of ahead ? motions : []) {
      for (const to of motions) if (from !== to) await this.#engine.computeAhead(from, to, ahead as number, signal);
    }
  }

  /**
   * Starts a transition from the current motion into another clip. It may replace a running transition: the model
   * continues from its current pose and velocity. A request that repeats a waiting transition returns that transition;
   * one that replaces it does not extend the wait.
   *
   * @param next A clip, or an action of the mixer (whose `timeScale` and `loop` apply).
   * @returns The transition, immediately; see {@link Transition}.
   * @throws {KinestitchError} `option`.
   * @example
   * ```js
   * const { finished } = transitions.transitionTo(run, { within: 0.3 });
   * if (await finished) console.log("it runs");
   * ```
   */
  transitionTo(next: AnimationAction | AnimationClip, options?: TransitionOptions): Transition {
    const plan = checkTransitionOptions(options);
    const action = this.#action(next);
    // First, because a clip that cannot be sampled must not interrupt the current transition.
    const motion = this.#motion(action);
    const waiting = this.#waiting;
    // Otherwise a game that repeats its request in every frame would never leave the current motion.
    if (waiting?.transition.action === action && isSameJoin(waiting.transition.options, plan))
      if (waiting.realSecondsLeft <= plan.within) return waiting.transition;
    const transition = new RunningTransition(action, plan);
    this.#interrupt();
    this.#running = transition;
    if (this.#player.isMoving) this.#plan(transition, motion, limitWait(plan, waiting));
    else {
      this.#player.play(action, motion, plan.at ?? 0);
      this.#begin(transition, "inertialize");
      // A listener of "started" may have requested another transition.
      if (this.#running === transition) this.#finish();
    }
    return transition;
  }

  /**
   * Plays an action on some bones, over the base motion.
   *
   * @param mask The bones: `{ from: "Spine" }`, a list of names, or a function of a bone.
   * @param options `fade`: fade-in time in seconds; default 0.25.
   * @returns The layer; `fadeOut()` removes it, and an action that plays once fades out at its end, within 0.25 s.
   * @throws {KinestitchError} `option`.
   * @example
   * ```js
   * const wave = transitions.layer(mixer.clipAction(waving), { from: "mixamorigSpine" });
   * wave.fadeOut();
   * ```
   */
  layer(next: AnimationAction | AnimationClip, mask: Mask, { fade = 0.25 }: { fade?: number } = {}): Layer {
    if (typeof mask !== "function" && !(typeof mask === "object" && (mask as unknown) !== null))
      throw wrongOption("mask", 'the mask of a layer is { from: "Spine" }, a list of names, or a function of a bone');
    const bones = findMaskedBones(this.#body, mask);
    if (bones.size === 0) throw wrongOption("mask", "the mask of the layer selects no bone of this model");
    const action = this.#action(next);
    if (action === this.current)
      throw wrongOption("action", "the action of a layer is already the current action of the whole body");
    const layer = new Layer(action, this.#motion(action).sampler, bones, fade);
    this.#player.layers.add(layer);
    return layer;
  }

  /**
   * Advances the transitions and the mixer by a duration in seconds; call it instead of the mixer's `update`.
   *
   * @returns Root motion of the model in this frame; the same object at every call.
   * @throws {KinestitchError} `option`.
   * @example
   * ```js
   * const { position, quaternion } = transitions.update(clock.getDelta());
   * // with rootMotion: "deltas"
   * controller.move(position.applyQuaternion(model.quaternion));
   * model.quaternion.multiply(quaternion);
   * ```
   */
  update(deltaSeconds: number): RootMotionDelta {
    if (!Number.isFinite(deltaSeconds))
      throw wrongOption("deltaSeconds", `deltaSeconds must be a finite number of seconds, not ${deltaSeconds}`);
    this.#leave(deltaSeconds);
    const step = this.#player.advance(deltaSeconds);
    if (this.#running?.state === "crossing" && this.#player.isPlain) this.#finish();
    writeDelta(step, this.#hasBonesInside ? this.#model.scale : undefined, this.#delta);
    if (this.#appliesRootMotion) move(this.#model, this.#delta);
    return this.#delta;
  }

  /** Stops the mixer, which resets the pose of the model, and frees the prepared clips. */
  dispose(): void {
    this.#interrupt();
    // The mixer resets only what its clips move, not a bone above the hips that root motion has turned.
    if (this.#player.playing) this.#body.write(this.#initialPose);
    this.mixer.stopAllAction();
    for (const layer of this.#player.layers) this.#player.endLayer(layer);
    this.#engine.free();
    this.#player.playing = undefined;
  }

  /** Returns the action of a clip, or the action itself. `option`: name of the argument, for messages. */
  #action(next: AnimationAction | AnimationClip, option = "next"): AnimationAction {
    if (next instanceof AnimationClip || Array.isArray((next as Partial<AnimationClip>)?.tracks))
      return this.mixer.clipAction(next as AnimationClip);
    if (typeof (next as Partial<AnimationAction>)?.getClip !== "function")
      throw wrongOption(option, `${option} must be an AnimationClip, or an AnimationAction of the mixer`);
    if ((next as AnimationAction).getMixer() !== this.mixer)
      throw wrongOption(
        option,
        option === "playing"
          ? "the action `playing` belongs to another mixer: pass its mixer to createTransitions"
          : "the action belongs to another mixer: create it with transitions.mixer.clipAction(clip)",
      );
    return next as AnimationAction;
  }

  #motion(action: AnimationAction): ClipMotion {
    return this.#engine.motionOf(action.getClip(), action.loop === LoopRepeat);
  }

  /** Ends the current transition; the model keeps its displayed pose. */
  #interrupt(): void {
    const interrupted = this.#running;
    this.#running = this.#waiting = undefined;
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

  /** Plans the exit time and the join of a transition. */
  #plan(transition: RunningTransition, motion: ClipMotion, { within, blend, at, join }: CheckedOptions): void {
    const { action, motion: from } = this.#player.playing as CurrentAction;
    const now = from.wrapTime(action.time);
    const isFixedLanding = at !== undefined;
    const common = { transition, motion, deadline: within, clipTime: now, isFixedLanding, blend };
    // In a bridge the model plays no clip, so it cannot wait for a better exit time.
    const isFree = !this.#player.isCrossing && join !== "inertialize" && within > 0 && action.isRunning();
    const landings = at === undefined ? landingSamples(motion) : [motion.sampleAt(at)];
    const speed = action.timeScale * this.mixer.timeScale;
    const maxRealWait = from.loops
      ? within
      : Math.min(within, Math.max(0, (from.seconds - now) / Math.max(1e-6, speed)));
    // Arguments in real seconds.
    const cut = (first: number, until: number): Cut =>
      bestCut(from, from.exitsBetween(now, first * speed, until * speed), motion, landings);
    if (!isFree || speed <= 0) {
      const { landing } = cut(0, 0);
      this.#waiting = { ...common, realSecondsLeft: 0, landing: at ?? landing };
      return;
    }
    const storedBridge =
      at === undefined && join === "auto"
        ? findBridge(this.#engine.bridges(from, motion), from, now, { maxRealWait, speed })
        : undefined;
    if (storedBridge) {
      this.#waiting = { ...common, ...storedBridge, landing: 0 };
      return;
    }
    const requestsBridge = this.#engine.canRequest(from, motion) && this.#engine.latency < maxRealWait;
    const { wait, landing } = cut(requestsBridge ? this.#engine.latency : 0, maxRealWait);
    const waiting: PlannedTransition = {
      ...common,
      realSecondsLeft: requestsBridge ? maxRealWait : wait / speed,
      landing: at ?? landing,
    };
    this.#waiting = waiting;
    if (requestsBridge) this.#requestBridge(waiting, from, { maxRealWait, speed }, join);
  }

  /** Requests a bridge whose exit is within `maxRealWait` real seconds. `speed`: seconds of the clip per real second. */
  #requestBridge(
    waiting: PlannedTransition,
    from: ClipMotion,
    { maxRealWait, speed }: { maxRealWait: number; speed: number },
    join: JoinOptions | "auto" | "inertialize",
  ): void {
    // In the first second of a loop, the frames before the current frame are at the end of the loop.
    if (from.loops && waiting.clipTime < 1) waiting.clipTime += from.seconds;
    const { clipTime, landing, motion, transition } = waiting;
    const request = {
      from,
      to: motion,
      now: clipTime,
      until: clipTime + maxRealWait * speed,
      maxCut: Math.max(0, maxRealWait - this.#engine.latency) * speed,
      landing,
      join: join as JoinOptions | "auto",
    };
    this.#engine.requestBridge(request, transition.signal).then(
      (bridge) => bridge && (waiting.bridge = bridge),
      // The request was aborted, or the clips cannot be stitched: the transition uses inertialization.
      () => {},
    );
  }

  /** Returns the landing time of a transition that leaves now; the planned time is for a bridge that is not ready. */
  #landing({ motion, landing, isFixedLanding }: PlannedTransition, { action, motion: from }: CurrentAction): number {
    if (isFixedLanding) return landing;
    return bestCut(from, from.exitsBetween(action.time, 0, 0), motion, landingSamples(motion)).landing;
  }

  /** Leaves the current motion if the planned exit time is reached. `realSeconds`: duration of this frame. */
  #leave(realSeconds: number): void {
    const { playing } = this.#player;
    const waiting = this.#waiting;
    if (!waiting || !playing) return;
    const { transition, motion, bridge, blend } = waiting;
    const frame = bridge ? waiting.clipTime * RATE - bridge.from : 0;
    if (bridge && frame >= bridge.range.from && frame <= bridge.range.to - MIN_BRIDGE_FRAMES) {
      this.#waiting = undefined;
      this.#player.enterThrough(bridge, frame, transition.action, motion, blend);
      this.#begin(transition, bridge.join);
    } else if (waiting.realSecondsLeft <= 0 && !(bridge && frame < bridge.range.from)) {
      this.#waiting = undefined;
      this.#player.enter(transition.action, motion, this.#landing(waiting, playing), blend);
      this.#begin(transition, "inertialize");
    }
    const { timeScale } = this.mixer;
    // A paused mixer does not count down.
    if (timeScale !== 0) {
      waiting.realSecondsLeft -= realSeconds;
      waiting.deadline -= realSeconds;
    }
    waiting.clipTime += realSeconds * timeScale * playing.action.timeScale;
  }
}

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
