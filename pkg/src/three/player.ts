/** Plays an action of a model's mixer, or a transition to an action; computes the pose and the root motion. */
import type { AnimationMixer } from "three";
import type { Rotation, Vector } from "../bones/rotation.js";
import { blendPoses, type Body, isFinitePose, type Pose } from "./body.js";
import { BRIDGE_FADE, BridgePlayback, type Bridge } from "./bridge.js";
import { type Motion, type TargetMotion, RATE } from "./clip-motion.js";
import type { FeetLock } from "./feet.js";
import { compose, type GroundPose, ORIGIN } from "./ground.js";
import { Offsets, type DisplayedPoses, extrapolate } from "./inertialize.js";
import type { Layer } from "./layers.js";
import { forwardRate, type Playable, PlayedAction } from "./playable.js";
import { RootVelocity } from "./root.js";

/** Interval over which velocities are measured, seconds. */
const SPEED_INTERVAL = 1 / 60;
/** Maximum speed of a landmark in a transition, relative to the fastest one of both motions. */
const MAX_SPEED_RATIO = 1.9;
/** Decay time of the offset at the end of an open loop, seconds. */
const LOOP_FADE = 0.2;

/** Playback of a bridge into an action. */
interface BridgeState {
  playback: BridgePlayback;
  /** Time since the start of the bridge, seconds. */
  time: number;
  /** Ground pose of the root in the bridge at this time. */
  ground: GroundPose;
  /** Time of the action at the end of the bridge, seconds. */
  landing: number;
}

/** Poses a body from the mixer's actions and the transitions between them. */
export class Player {
  readonly layers = new Set<Layer>();
  feet: FeetLock | undefined;
  playing: Playable | undefined;
  /** How often the loop of the current motion ended in the last frame; negative if it plays backwards. */
  wraps = 0;
  readonly #body: Body;
  readonly #mixer: AnimationMixer;
  readonly #rootVelocity = new RootVelocity();
  /** The motion before the current one. */
  #previous: Motion | undefined;
  /** Time of the current motion after the last frame. */
  #lastTime = 0;
  #mixerPose: Pose;
  #displayed: DisplayedPoses | undefined;
  /** Velocity of the root in the last frame, per second. */
  #displayedVelocity: GroundPose = ORIGIN;
  /** Ground pose of the root: the sum of all movements so far, from the origin. */
  #world: GroundPose = ORIGIN;
  #offsets: Offsets | undefined;
  /** Whether the last pose was held back by `#limitSpeed`. */
  #isLimited = false;
  /** Displayed pose at the start of `#offsets`. */
  #offsetStart: Pose | undefined;
  #bridgeState: BridgeState | undefined;

  constructor(body: Body, mixer: AnimationMixer) {
    this.#body = body;
    this.#mixer = mixer;
    this.#mixerPose = body.read();
  }

  /** Whether a pose has been displayed, so that a transition can start from it. */
  get isMoving(): boolean {
    return this.playing !== undefined && this.#displayed !== undefined;
  }

  /** Whether the model is in a bridge between two actions. */
  get isCrossing(): boolean {
    return this.#bridgeState !== undefined;
  }

  /** Whether the model shows only its current action, without bridge or offset. */
  get isPlain(): boolean {
    return !this.#bridgeState && !this.#offsets;
  }

  /** Whether the current motion is an action of the mixer. */
  get isAction(): boolean {
    return this.playing instanceof PlayedAction;
  }

  /** Last displayed pose, without layers and foot lock. */
  get displayedPose(): Pose | undefined {
    return this.#displayed?.last;
  }

  /** Switches to a motion, without a transition. */
  play(next: Playable, time: number): void {
    const previous = this.playing;
    if (previous && previous.source !== next.source) {
      previous.stop([...this.layers].some((layer) => layer.action === previous.action));
      this.#resetMixerPose([previous.motion, next.motion], next.motion.sampler.poseAt(time));
    }
    if (previous && previous.motion !== next.motion) this.#previous = previous.motion;
    next.start(time);
    this.playing = next;
    this.#lastTime = time;
    this.#bridgeState = undefined;
  }

  /**
   * Sets the bones that the motions move to `pose`. Otherwise bones that the next action leaves at rest would keep the
   * pose of the previous action, because a mixer writes only values that differ from its last ones.
   */
  #resetMixerPose(motions: readonly Motion[], pose: Pose): void {
    const moved = new Set(motions.flatMap(({ sampler }) => [...sampler.bones]));
    const { rotations, positions } = this.#mixerPose;
    this.#mixerPose = {
      rotations: rotations.map((rotation, bone) => (moved.has(bone) ? (pose.rotations[bone] as Rotation) : rotation)),
      positions: positions.map((position, bone) => (moved.has(bone) ? (pose.positions[bone] as Vector) : position)),
    };
  }

  /** Enters a motion at once by inertialization. */
  enter(next: Playable, landing: number, blend: number): void {
    this.#inertialize(next.motion, landing, blend, forwardRate(next, this.#mixer));
    this.play(next, landing);
  }

  /** Enters a motion through a bridge, starting at one of its frames. */
  enterThrough(bridge: Bridge, start: number, next: Playable, blend: number): void {
    const { motion } = next;
    const landing = motion.wrapTime(bridge.to / RATE);
    const from = this.playing?.motion ?? motion;
    const playback = new BridgePlayback(this.#body, bridge, start, { from, to: motion, landing });
    this.#inertialize(playback, 0, blend, 1);
    this.play(next, landing);
    next.hold();
    this.#bridgeState = { playback, time: 0, ground: playback.sample(0).ground, landing };
  }

  /** Ends a running transition at once: the model plays the current motion alone from its next frame on. */
  settle(): void {
    const { playing } = this;
    if (playing && this.#bridgeState) this.play(playing, this.#bridgeState.landing);
    this.#offsets = this.#offsetStart = this.#displayed = undefined;
    this.#rootVelocity.set(ORIGIN, 0);
    this.feet?.release();
  }

  /** Removes a layer; `error`: the reason if it has not faded out. Its action continues if it was started again, by another layer or for the whole body. */
  endLayer(layer: Layer, error?: unknown): void {
    this.layers.delete(layer);
    const isStartedAgain = [this.playing, ...this.layers].some((other) => other?.action === layer.action);
    layer.end({ stopsAction: !isStartedAgain, error });
  }

  /** Advances the player and the mixer by some seconds. Returns the root motion. */
  advance(delta: number): GroundPose {
    // The mixer's time; negative if the mixer plays backwards. Transitions and layers advance in both directions.
    const time = delta * this.#mixer.timeScale;
    const duration = Math.abs(time);
    this.wraps = 0;
    this.#endBridge(duration);
    // A mixer writes only values that differ from its last ones.
    this.#body.write(this.#mixerPose);
    this.#mixer.update(delta);
    const mixerPose = this.#body.read();
    // The mixer mixes with whatever the bones were set to; the pose before it is used again instead of such values.
    if (isFinitePose(mixerPose)) this.#mixerPose = mixerPose;
    for (const layer of this.layers) if (layer.advance(duration)) this.endLayer(layer);
    if (!this.playing) return ORIGIN;
    const { pose, movement } = this.#bridgeState
      ? this.#advanceBridge(this.#bridgeState, duration)
      : this.#advanceMotion(this.playing, time);
    const step = compose(movement, this.#rootVelocity.advance(duration));
    this.#world = compose(this.#world, step);
    this.#show(this.playing, pose, step, duration);
    return step;
  }

  /** Ends a bridge that would end within this frame, and sets the time of the motion accordingly. */
  #endBridge(duration: number): void {
    const state = this.#bridgeState;
    if (!state || !this.playing || state.time + duration < state.playback.seconds) return;
    const early = state.playback.seconds - state.time;
    const landing = this.playing.motion.wrapTime(state.landing - early * forwardRate(this.playing, this.#mixer));
    this.enter(this.playing, landing, BRIDGE_FADE);
  }

  #advanceBridge(state: BridgeState, duration: number): { pose: Pose; movement: GroundPose } {
    state.time += duration;
    const { pose, ground } = state.playback.sample(state.time);
    const movement = state.playback.movement(state.ground, ground);
    state.ground = ground;
    return { pose: state.playback.place(pose, ground), movement };
  }

  #advanceMotion(playing: Playable, mixerTime: number): { pose: Pose; movement: GroundPose } {
    const { motion } = playing;
    const time = this.#lastTime;
    const advance = mixerTime * playing.rate;
    playing.advance(mixerTime);
    const now = playing.time;
    this.#lastTime = now;
    this.wraps = this.#countWraps(playing, time, advance);
    if (this.wraps > 0 && motion.isOpen) this.#closeLoop(motion, now - advance, forwardRate(playing, this.#mixer));
    return { pose: motion.displayed(this.#mixerPose, now), movement: motion.travel(time, now, this.wraps) };
  }

  /**
   * Returns how often playback has passed the end of a loop in this frame; negative if it runs backwards. `time`: time
   * of the motion before this frame. `advance`: time that passed in the motion, seconds.
   */
  #countWraps({ motion, time: now, isRunning }: Playable, time: number, advance: number): number {
    if (!motion.loops) return 0;
    // A long frame may pass the end several times.
    if (Math.abs(advance) >= motion.seconds && isRunning) return Math.round((time + advance - now) / motion.seconds);
    if (advance < 0) return now > time ? -1 : 0;
    return now < time ? 1 : 0;
  }

  /**
   * Starts the decay of the offset between the end and the start of an open loop. `lastTime`: time of the displayed
   * pose relative to the new start of the loop, seconds of the clip, at most 0.
   */
  #closeLoop(motion: Motion, lastTime: number, speed: number): void {
    const [first, next] = [motion.inPlace(0), motion.inPlace(SPEED_INTERVAL)];
    const target: TargetMotion = {
      inPlace: (time) => extrapolate(first, next, (lastTime + time) / SPEED_INTERVAL),
      velocityAt: () => motion.velocityAt(0, SPEED_INTERVAL),
    };
    this.#inertialize(target, 0, LOOP_FADE, speed);
  }

  /**
   * Switches to a motion at a time; the offset from the displayed pose decays. `speed`: seconds of the motion per
   * second of the mixer.
   */
  #inertialize(motion: TargetMotion, time: number, blend: number, speed: number): void {
    if (!this.#displayed) return;
    const lift = (pose: Pose): Pose => this.#body.lift(pose);
    const target = lift(motion.inPlace(time));
    const next = extrapolate(target, lift(motion.inPlace(time + SPEED_INTERVAL)), speed);
    const { last, previous, interval } = this.#displayed;
    this.#offsetStart = last;
    const displayed = { last: lift(last), previous: lift(previous), interval };
    this.#offsets = new Offsets(displayed, target, next, SPEED_INTERVAL, blend);
    const targetVelocity = motion.velocityAt(time, SPEED_INTERVAL);
    const { x, z, heading } = this.#displayedVelocity;
    this.#rootVelocity.set(
      {
        x: x - targetVelocity.x * speed,
        z: z - targetVelocity.z * speed,
        heading: heading - targetVelocity.heading * speed,
      },
      blend,
    );
  }

  /** Adds the offset to a pose. An offset that is not finite is dropped. */
  #mix(pose: Pose): Pose {
    if (!this.#offsets) return pose;
    const mixed = this.#body.lower(this.#offsets.apply(this.#body.lift(pose)));
    if (!isFinitePose(mixed)) {
      this.#offsets = undefined;
      return pose;
    }
    return this.feet ? this.feet.limitKnees(mixed, pose, this.#offsetStart ?? pose) : mixed;
  }

  /** Keeps feet that are no part of a leg, but hang at a bone above the hips, from sinking below both motions. */
  #raiseFeet(pose: Pose, motion: Motion): Pose {
    if (!this.#offsets && !this.#bridgeState) return pose;
    let raised = pose;
    for (const bone of motion.gait.body) {
      const lowest = Math.min(motion.lowest[bone] as number, this.#previous?.lowest[bone] ?? Infinity);
      const { position, rotation } = this.#body.worldTransform(raised, bone);
      if (bone === this.#body.hips || !(position[1] < lowest)) continue;
      if (raised === pose) raised = { rotations: [...pose.rotations], positions: [...pose.positions] };
      this.#body.setWorldTransform(raised, bone, rotation, [position[0], lowest, position[2]]);
    }
    return raised;
  }

  /**
   * Returns the pose, or one between it and the last pose: no landmark moves faster than {@link MAX_SPEED_RATIO} times
   * the fastest one of both motions. A limb whose offset decays may swing in the direction in which it moves anyway.
   */
  #limitSpeed(pose: Pose, motion: Motion, duration: number): Pose {
    const last = this.#displayed?.last;
    if (!last || !(duration > 0) || !(this.#offsets || this.#isLimited)) return pose;
    const limit = MAX_SPEED_RATIO * Math.max(motion.topSpeed, this.#previous?.topSpeed ?? 0) * duration;
    const moved = this.#body.landmarkDistance(last, pose);
    this.#isLimited = limit > 0 && moved > limit;
    return this.#isLimited ? blendPoses(last, pose, limit / moved) : pose;
  }

  /** Adds the offset, foot lock and layers to a pose and displays it. `duration`: duration of this frame, seconds. */
  #show({ motion, time }: Playable, pose: Pose, step: GroundPose, duration: number): void {
    this.#offsets?.advance(duration);
    if (this.#offsets?.isOver) this.#offsets = undefined;
    const bodyPose = this.#limitSpeed(this.#raiseFeet(this.#mix(pose), motion), motion, duration);
    if (duration > 0) {
      this.#displayed = { last: bodyPose, previous: this.#displayed?.last ?? bodyPose, interval: duration };
      this.#displayedVelocity = { x: step.x / duration, z: step.z / duration, heading: step.heading / duration };
    } else this.#displayed ??= { last: bodyPose, previous: bodyPose, interval: SPEED_INTERVAL };
    let result = bodyPose;
    const isBridge = this.#bridgeState !== undefined;
    const isOn = this.#offsets !== undefined && !isBridge;
    if (this.feet && (isOn || isBridge || this.feet.isBusy)) {
      const previous = this.#previous ?? motion;
      const frame = { root: this.#world, motion, previous, time, delta: duration, isOn, isBridge };
      result = this.feet.apply(result, frame);
      if (!isFinitePose(result)) {
        this.feet.release();
        result = bodyPose;
      }
    } else this.feet?.reset();
    const withLayers = [...this.layers].reduce((layered, layer) => layer.apply(layered), result);
    this.#body.write(isFinitePose(withLayers) ? withLayers : result);
  }
}
