/** Plays an action of a model's mixer, or a transition to an action; computes the pose and the root motion. */
import type { AnimationAction, AnimationMixer } from "three";
import type { Rotation, Vector } from "../bones/rotation.js";
import type { Body, Pose } from "./body.js";
import { BridgePlayback, type Bridge } from "./bridge.js";
import { type ClipMotion, type TargetMotion, RATE } from "./clip-motion.js";
import type { FeetLock } from "./feet.js";
import { relativePose, compose, type GroundPose, ORIGIN } from "./ground.js";
import { Offsets, type DisplayedPoses, extrapolate } from "./inertialize.js";
import type { Layer } from "./layers.js";
import { RootVelocity } from "./root.js";

/** Interval over which velocities are measured, seconds. */
const SPEED_INTERVAL = 1 / 60;
/** Decay time of the offset after a bridge, or at the end of an open loop, seconds. */
const SEAM_FADE = 0.2;

/** The current action of the model. */
export interface CurrentAction {
  action: AnimationAction;
  motion: ClipMotion;
  /** Time of the action after the last update, seconds. */
  time: number;
}

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
  playing: CurrentAction | undefined;
  readonly #body: Body;
  readonly #mixer: AnimationMixer;
  readonly #rootVelocity = new RootVelocity();
  #mixerPose: Pose;
  #displayed: DisplayedPoses | undefined;
  /** Velocity of the root in the last frame, per second. */
  #displayedVelocity: GroundPose = ORIGIN;
  /** Ground pose of the root: the sum of all movements so far, from the origin. */
  #world: GroundPose = ORIGIN;
  #offsets: Offsets | undefined;
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

  /** Speed of an action in the direction in which the mixer plays: seconds of the clip per second of the mixer. */
  #speedOf({ timeScale }: AnimationAction): number {
    return this.#mixer.timeScale < 0 ? -timeScale : timeScale;
  }

  /** Switches to an action, without a transition. */
  play(action: AnimationAction, motion: ClipMotion, time: number): void {
    const previous = this.playing;
    if (previous && previous.action !== action) {
      this.#leave(previous.action);
      this.#resetMixerPose([previous.motion, motion], motion.sampler.poseAt(time));
    }
    if (previous?.action !== action || !action.isRunning()) action.reset();
    action.setEffectiveWeight(1).play();
    action.paused = false;
    action.time = time;
    action.clampWhenFinished = true;
    this.playing = { action, motion, time };
    this.#bridgeState = undefined;
  }

  /** Stops an action; one that a layer plays, too, continues without moving the whole body. */
  #leave(action: AnimationAction): void {
    const isLayered = [...this.layers].some((layer) => layer.action === action);
    if (!isLayered) {
      action.stop();
      return;
    }
    action.setEffectiveWeight(0);
    // A bridge into an action pauses it.
    if (this.#bridgeState) action.paused = false;
  }

  /**
   * Sets the bones that the motions move to `pose`. Otherwise bones that the next action leaves at rest would keep the
   * pose of the previous action, because a mixer writes only values that differ from its last ones.
   */
  #resetMixerPose(motions: readonly ClipMotion[], pose: Pose): void {
    const moved = new Set(motions.flatMap(({ sampler }) => [...sampler.bones]));
    const { rotations, positions } = this.#mixerPose;
    this.#mixerPose = {
      rotations: rotations.map((rotation, bone) => (moved.has(bone) ? (pose.rotations[bone] as Rotation) : rotation)),
      positions: positions.map((position, bone) => (moved.has(bone) ? (pose.positions[bone] as Vector) : position)),
    };
  }

  /** Enters an action at once by inertialization. */
  enter(action: AnimationAction, motion: ClipMotion, landing: number, blend: number): void {
    this.#inertialize(motion, landing, blend, this.#speedOf(action));
    this.play(action, motion, landing);
  }

  /** Enters an action through a bridge, starting at one of its frames. */
  enterThrough(bridge: Bridge, start: number, action: AnimationAction, motion: ClipMotion, blend: number): void {
    const landing = motion.wrapTime(bridge.to / RATE);
    const landingPose = motion.inPlace(landing);
    const playback = new BridgePlayback(this.#body, bridge, start, this.#displayed?.last ?? landingPose, landingPose);
    this.#inertialize(playback, 0, blend, 1);
    this.play(action, motion, landing);
    action.paused = true;
    this.#bridgeState = { playback, time: 0, ground: playback.sample(0).ground, landing };
  }

  /** Removes a layer. Its action continues if it was started again, by another layer or for the whole body. */
  endLayer(layer: Layer): void {
    this.layers.delete(layer);
    const isStartedAgain = [this.playing, ...this.layers].some((other) => other?.action === layer.action);
    layer.end({ stopsAction: !isStartedAgain });
  }

  /** Advances the player and the mixer by some seconds. Returns the root motion. */
  advance(delta: number): GroundPose {
    // The mixer's time; negative if the mixer plays backwards. Transitions and layers advance in both directions.
    const time = delta * this.#mixer.timeScale;
    const duration = Math.abs(time);
    this.#endBridge(duration);
    // A mixer writes only values that differ from its last ones.
    this.#body.write(this.#mixerPose);
    this.#mixer.update(delta);
    this.#mixerPose = this.#body.read();
    for (const layer of this.layers) if (layer.advance(duration)) this.endLayer(layer);
    if (!this.playing) return ORIGIN;
    const { pose, movement } = this.#bridgeState
      ? this.#advanceBridge(this.#bridgeState, duration)
      : this.#advanceAction(this.playing, time);
    const step = compose(movement, this.#rootVelocity.advance(duration));
    this.#world = compose(this.#world, step);
    this.#show(this.playing, pose, step, duration);
    return step;
  }

  /** Ends a bridge that would end within this frame, and sets the time of the action accordingly. */
  #endBridge(duration: number): void {
    const state = this.#bridgeState;
    if (!state || !this.playing || state.time + duration < state.playback.seconds) return;
    const { action, motion } = this.playing;
    const landing = motion.wrapTime(state.landing - (state.playback.seconds - state.time) * this.#speedOf(action));
    this.enter(action, motion, landing, SEAM_FADE);
  }

  #advanceBridge(state: BridgeState, duration: number): { pose: Pose; movement: GroundPose } {
    state.time += duration;
    const { pose, ground } = state.playback.sample(state.time);
    const movement = relativePose(state.ground, ground);
    state.ground = ground;
    return { pose: this.#body.relativeTo(pose, ground), movement };
  }

  #advanceAction(playing: CurrentAction, mixerTime: number): { pose: Pose; movement: GroundPose } {
    const { action, motion, time } = playing;
    const now = action.time;
    playing.time = now;
    const wraps = this.#countWraps(playing, time, mixerTime);
    if (wraps > 0 && motion.isOpen) this.#closeLoop(motion, now - mixerTime * action.timeScale, this.#speedOf(action));
    const pose = this.#body.relativeTo(this.#mixerPose, motion.groundAt(now));
    return { pose, movement: motion.travel(time, now, wraps) };
  }

  /**
   * Returns how often playback has passed the end of a loop in this frame; negative if it runs backwards. `time`: time
   * of the action before this frame. `mixerTime`: time that passes for the mixer in this frame, seconds.
   */
  #countWraps({ action, motion }: CurrentAction, time: number, mixerTime: number): number {
    if (!motion.loops) return 0;
    const advance = mixerTime * action.timeScale;
    // A long frame may pass the end several times.
    if (Math.abs(advance) >= motion.seconds && action.isRunning())
      return Math.round((time + advance - action.time) / motion.seconds);
    if (advance < 0) return action.time > time ? -1 : 0;
    return action.time < time ? 1 : 0;
  }

  /**
   * Starts the decay of the offset between the end and the start of an open loop. `lastTime`: time of the displayed
   * pose relative to the new start of the loop, seconds of the clip, at most 0.
   */
  #closeLoop(motion: ClipMotion, lastTime: number, speed: number): void {
    const [first, next] = [motion.inPlace(0), motion.inPlace(SPEED_INTERVAL)];
    const target: TargetMotion = {
      inPlace: (time) => extrapolate(first, next, (lastTime + time) / SPEED_INTERVAL),
      velocityAt: () => motion.velocityAt(0, SPEED_INTERVAL),
    };
    this.#inertialize(target, 0, SEAM_FADE, speed);
  }

  /**
   * Switches to a motion at a time; the offset from the displayed pose decays. `speed`: seconds of the motion per
   * second of the mixer.
   */
  #inertialize(motion: TargetMotion, time: number, blend: number, speed: number): void {
    if (!this.#displayed) return;
    const target = motion.inPlace(time);
    const next = extrapolate(target, motion.inPlace(time + SPEED_INTERVAL), speed);
    this.#offsets = new Offsets(this.#displayed, target, next, SPEED_INTERVAL, blend);
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

  /** Adds the offset, foot lock and layers to a pose and displays it. `duration`: duration of this frame, seconds. */
  #show({ action, motion }: CurrentAction, pose: Pose, step: GroundPose, duration: number): void {
    this.#offsets?.advance(duration);
    if (this.#offsets?.isOver) this.#offsets = undefined;
    const mixed = this.#offsets?.apply(pose) ?? pose;
    const bodyPose = this.#offsets && this.feet ? this.feet.limitKnees(mixed, pose, this.#offsets.start) : mixed;
    if (duration > 0) {
      this.#displayed = { last: bodyPose, previous: this.#displayed?.last ?? bodyPose, interval: duration };
      this.#displayedVelocity = { x: step.x / duration, z: step.z / duration, heading: step.heading / duration };
    } else this.#displayed ??= { last: bodyPose, previous: bodyPose, interval: SPEED_INTERVAL };
    let result = bodyPose;
    const isOn = this.#offsets !== undefined && !this.#bridgeState;
    if (this.feet && (isOn || this.feet.isBusy))
      result = this.feet.apply(result, this.#world, motion, action.time, duration, isOn);
    else this.feet?.reset();
    for (const layer of this.layers) result = layer.apply(result);
    this.#body.write(result);
  }
}
