/** A model in an action of its mixer, or on its way into one: its pose, and its way over the ground. */
import type { AnimationAction, AnimationMixer } from "three";
import type { Body, Pose } from "./body.js";
import { Crossing, type Bridge } from "./bridge.js";
import { type ClipMotion, type Course, RATE } from "./clip-motion.js";
import type { FeetLock } from "./feet.js";
import { between, compose, type Ground, ORIGIN } from "./ground.js";
import { Offsets, type DisplayedPoses, stepped } from "./inertialize.js";
import type { Layer } from "./layers.js";
import { RootSpeed } from "./root.js";

/** Seconds over which speeds are measured. */
const STEP = 1 / 60;
/** Fade time of the remaining difference after a seam, or after a loop that does not close, seconds. */
const SEAM = 0.2;

/** An action that the model is in. */
export interface Playing {
  action: AnimationAction;
  motion: ClipMotion;
  /** Its time when it was looked at last, seconds. */
  time: number;
}

/** The way into an action: its time when it is reached. */
interface Passage {
  crossing: Crossing;
  time: number;
  ground: Ground;
  landing: number;
}

export class Player {
  readonly layers = new Set<Layer>();
  feet: FeetLock | undefined;
  playing: Playing | undefined;
  readonly #body: Body;
  readonly #mixer: AnimationMixer;
  readonly #speed = new RootSpeed();
  #mixed: Pose;
  #shown: DisplayedPoses | undefined;
  #shownSpeed: Ground = ORIGIN;
  #world: Ground = ORIGIN;
  #offsets: Offsets | undefined;
  #passage: Passage | undefined;

  constructor(body: Body, mixer: AnimationMixer) {
    this.#body = body;
    this.#mixer = mixer;
    this.#mixed = body.read();
  }

  /** Whether something was shown that another motion could go on from. */
  get isMoving(): boolean {
    return this.playing !== undefined && this.#shown !== undefined;
  }

  /** Whether it is between two actions, in frames that are of neither. */
  get isCrossing(): boolean {
    return this.#passage !== undefined;
  }

  /** Whether it shows the action that it is in, and nothing else. */
  get isPlain(): boolean {
    return !this.#passage && !this.#offsets;
  }

  /** Lets an action move the model from now on, and nothing of what it did before. */
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

  /** Goes into an action at once: the distance from it fades out. */
  into(action: AnimationAction, motion: ClipMotion, landing: number, blend: number): void {
    this.#inertialize(motion, landing, blend);
    this.play(action, motion, landing);
  }

  /** Goes into an action through a bridge, from a frame of it on. */
  through(bridge: Bridge, start: number, action: AnimationAction, motion: ClipMotion, blend: number): void {
    const landing = motion.inside(bridge.to / RATE);
    const after = motion.inPlace(landing);
    const crossing = new Crossing(this.#body, bridge, start, this.#shown?.last ?? after, after);
    this.#inertialize(crossing, 0, blend);
    this.play(action, motion, landing);
    action.paused = true;
    this.#passage = { crossing, time: 0, ground: crossing.at(0).ground, landing };
  }

  /** Goes on by some seconds, the mixer with it. Returns the way over the ground. */
  advance(delta: number): Ground {
    const time = delta * this.#mixer.timeScale;
    this.#arrive(time);
    // A mixer writes only what changes of what it wrote last.
    this.#body.write(this.#mixed);
    this.#mixer.update(delta);
    this.#mixed = this.#body.read();
    for (const layer of this.layers) if (layer.advance(time)) this.layers.delete(layer);
    if (!this.playing) return ORIGIN;
    const { pose, way } = this.#passage ? this.#crossed(this.#passage, time) : this.#played(this.playing, time);
    const step = compose(way, this.#speed.advance(time));
    this.#world = compose(this.#world, step);
    this.#show(this.playing, pose, step, time);
    return step;
  }

  /** Ends a crossing that would be over within this frame: the action goes on in step with it. */
  #arrive(time: number): void {
    const passage = this.#passage;
    if (!passage || !this.playing || passage.time + time < passage.crossing.seconds) return;
    const { action, motion } = this.playing;
    const landing = motion.inside(passage.landing - (passage.crossing.seconds - passage.time) * action.timeScale);
    this.into(action, motion, landing, SEAM);
  }

  #crossed(passage: Passage, time: number): { pose: Pose; way: Ground } {
    passage.time += time;
    const { pose, ground } = passage.crossing.at(passage.time);
    const way = between(passage.ground, ground);
    passage.ground = ground;
    return { pose: this.#body.seenFrom(pose, ground), way };
  }

  #played(playing: Playing, delta: number): { pose: Pose; way: Ground } {
    const { action, motion, time } = playing;
    const now = action.time;
    playing.time = now;
    const pace = action.timeScale * this.#mixer.timeScale;
    const wraps = motion.loops && (pace < 0 ? now > time : now < time);
    if (wraps && motion.isOpen && pace > 0) this.#closeLoop(motion, now / pace, delta);
    const pose = this.#body.seenFrom(this.#mixed, motion.groundAt(now));
    return { pose, way: motion.step(time, now, wraps) };
  }

  /**
   * A loop that does not close: the distance of its end from its beginning fades out. `since`: seconds since it began
   * anew.
   */
  #closeLoop(motion: ClipMotion, since: number, delta: number): void {
    const [first, next] = [motion.inPlace(0), motion.inPlace(STEP)];
    const back = (since - delta) / STEP;
    const course: Course = {
      inPlace: (time) => stepped(first, next, back + time / STEP),
      speedAt: () => motion.speedAt(0, STEP),
    };
    this.#inertialize(course, 0, SEAM);
  }

  /** From now on, what is shown is the course from `time` on, and the distance from it that is left. */
  #inertialize(course: Course, time: number, blend: number): void {
    if (!this.#shown) return;
    const [target, next] = [course.inPlace(time), course.inPlace(time + STEP)];
    this.#offsets = new Offsets(this.#shown, target, next, STEP, blend);
    const goal = course.speedAt(time, STEP);
    const { x, z, heading } = this.#shownSpeed;
    this.#speed.set({ x: x - goal.x, z: z - goal.z, heading: heading - goal.heading }, blend);
  }

  #show({ action, motion }: Playing, pose: Pose, step: Ground, time: number): void {
    this.#offsets?.advance(time);
    if (this.#offsets?.isOver) this.#offsets = undefined;
    const whole = this.#offsets?.applied(pose) ?? pose;
    if (time > 0) {
      this.#shown = { last: whole, before: this.#shown?.last ?? whole, apart: time };
      this.#shownSpeed = { x: step.x / time, z: step.z / time, heading: step.heading / time };
    } else this.#shown ??= { last: whole, before: whole, apart: STEP };
    let result = whole;
    const isOn = this.#offsets !== undefined && !this.#passage;
    if (this.feet && (isOn || this.feet.isBusy))
      result = this.feet.applied(result, this.#world, motion, action.time, time, isOn);
    else this.feet?.rest();
    for (const layer of this.layers) result = layer.applied(result);
    this.#body.write(result);
  }
}
