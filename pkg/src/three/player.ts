/** Plays a model in an action of its mixer, or in a transition to one; computes its pose and its root motion. */
import type { AnimationAction, AnimationMixer } from "three";
import type { Body, Pose } from "./body.js";
import { BridgePlayback, type Bridge } from "./bridge.js";
import { type ClipMotion, type TargetMotion, RATE } from "./clip-motion.js";
import type { FeetLock } from "./feet.js";
import { relativePose, compose, type GroundPose, ORIGIN } from "./ground.js";
import { Offsets, type DisplayedPoses, extrapolate } from "./inertialize.js";
import type { Layer } from "./layers.js";
import { RootSpeed } from "./root.js";

/** Interval for measuring speeds, seconds. */
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
interface Passage {
  playback: BridgePlayback;
  time: number;
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
  readonly #speed = new RootSpeed();
  #mixerPose: Pose;
  #displayed: DisplayedPoses | undefined;
  #displayedSpeed: GroundPose = ORIGIN;
  #world: GroundPose = ORIGIN;
  #offsets: Offsets | undefined;
  #passage: Passage | undefined;

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
    return this.#passage !== undefined;
  }

  /** Whether the model shows only its current action, without bridge or offset. */
  get isPlain(): boolean {
    return !this.#passage && !this.#offsets;
  }

  /** Switches to an action, without a transition. */
  play(action: AnimationAction, motion: ClipMotion, time: number): void {
    const before = this.playing?.action;
    if (before && before !== action) before.stop();
    if (before !== action || !action.isRunning()) action.reset();
    action.setEffectiveWeight(1).play();
    action.paused = false;
    action.time = time;
    action.clampWhenFinished = true;
    this.playing = { action, motion, time };
    this.#passage = undefined;
  }

  /** Enters an action at once by inertialization. */
  enter(action: AnimationAction, motion: ClipMotion, landing: number, blend: number): void {
    this.#inertialize(motion, landing, blend);
    this.play(action, motion, landing);
  }

  /** Enters an action through a bridge, starting at one of its frames. */
  enterThrough(bridge: Bridge, start: number, action: AnimationAction, motion: ClipMotion, blend: number): void {
    const landing = motion.wrapTime(bridge.to / RATE);
    const after = motion.inPlace(landing);
    const playback = new BridgePlayback(this.#body, bridge, start, this.#displayed?.last ?? after, after);
    this.#inertialize(playback, 0, blend);
    this.play(action, motion, landing);
    action.paused = true;
    this.#passage = { playback, time: 0, ground: playback.sample(0).ground, landing };
  }

  /** Advances by some seconds, together with the mixer. Returns the root motion. */
  advance(delta: number): GroundPose {
    const time = delta * this.#mixer.timeScale;
    this.#endBridge(time);
    // A mixer writes only values that differ from its last ones.
    this.#body.write(this.#mixerPose);
    this.#mixer.update(delta);
    this.#mixerPose = this.#body.read();
    for (const layer of this.layers) if (layer.advance(time)) this.layers.delete(layer);
    if (!this.playing) return ORIGIN;
    const { pose, movement } = this.#passage
      ? this.#advanceBridge(this.#passage, time)
      : this.#advanceAction(this.playing, time);
    const step = compose(movement, this.#speed.advance(time));
    this.#world = compose(this.#world, step);
    this.#show(this.playing, pose, step, time);
    return step;
  }

  /** Ends a bridge that would end within this frame, and sets the action to the matching time. */
  #endBridge(time: number): void {
    const passage = this.#passage;
    if (!passage || !this.playing || passage.time + time < passage.playback.seconds) return;
    const { action, motion } = this.playing;
    const landing = motion.wrapTime(passage.landing - (passage.playback.seconds - passage.time) * action.timeScale);
    this.enter(action, motion, landing, SEAM_FADE);
  }

  #advanceBridge(passage: Passage, time: number): { pose: Pose; movement: GroundPose } {
    passage.time += time;
    const { pose, ground } = passage.playback.sample(passage.time);
    const movement = relativePose(passage.ground, ground);
    passage.ground = ground;
    return { pose: this.#body.relativeTo(pose, ground), movement };
  }

  #advanceAction(playing: CurrentAction, delta: number): { pose: Pose; movement: GroundPose } {
    const { action, motion, time } = playing;
    const now = action.time;
    playing.time = now;
    const pace = action.timeScale * this.#mixer.timeScale;
    const wraps = motion.loops && (pace < 0 ? now > time : now < time);
    if (wraps && motion.isOpen && pace > 0) this.#closeLoop(motion, now / pace, delta);
    const pose = this.#body.relativeTo(this.#mixerPose, motion.groundAt(now));
    return { pose, movement: motion.travel(time, now, wraps) };
  }

  /**
   * Lets the offset between the end and the start of an open loop decay. `since`: seconds since the restart.
   */
  #closeLoop(motion: ClipMotion, since: number, delta: number): void {
    const [first, next] = [motion.inPlace(0), motion.inPlace(SPEED_INTERVAL)];
    const back = (since - delta) / SPEED_INTERVAL;
    const target: TargetMotion = {
      inPlace: (time) => extrapolate(first, next, back + time / SPEED_INTERVAL),
      speedAt: () => motion.speedAt(0, SPEED_INTERVAL),
    };
    this.#inertialize(target, 0, SEAM_FADE);
  }

  /** Switches to a motion at a time; the offset from the displayed pose decays. */
  #inertialize(motion: TargetMotion, time: number, blend: number): void {
    if (!this.#displayed) return;
    const [target, next] = [motion.inPlace(time), motion.inPlace(time + SPEED_INTERVAL)];
    this.#offsets = new Offsets(this.#displayed, target, next, SPEED_INTERVAL, blend);
    const goal = motion.speedAt(time, SPEED_INTERVAL);
    const { x, z, heading } = this.#displayedSpeed;
    this.#speed.set({ x: x - goal.x, z: z - goal.z, heading: heading - goal.heading }, blend);
  }

  #show({ action, motion }: CurrentAction, pose: Pose, step: GroundPose, time: number): void {
    this.#offsets?.advance(time);
    if (this.#offsets?.isOver) this.#offsets = undefined;
    const whole = this.#offsets?.apply(pose) ?? pose;
    if (time > 0) {
      this.#displayed = { last: whole, previous: this.#displayed?.last ?? whole, interval: time };
      this.#displayedSpeed = { x: step.x / time, z: step.z / time, heading: step.heading / time };
    } else this.#displayed ??= { last: whole, previous: whole, interval: SPEED_INTERVAL };
    let result = whole;
    const isOn = this.#offsets !== undefined && !this.#passage;
    if (this.feet && (isOn || this.feet.isBusy))
      result = this.feet.apply(result, this.#world, motion, action.time, time, isOn);
    else this.feet?.reset();
    for (const layer of this.layers) result = layer.apply(result);
    this.#body.write(result);
  }
}
