/** Playback of a model in an action of its mixer, or in transition to one: its pose, and its root motion. */
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

/** The current action of the model. */
export interface Playing {
  action: AnimationAction;
  motion: ClipMotion;
  /** Its last time, seconds. */
  time: number;
}

/** A passage into an action, with the action's time at its end. */
interface Passage {
  crossing: Crossing;
  time: number;
  ground: Ground;
  landing: number;
}

/** Poses a body from the mixer's actions and the transitions between them. */
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

  /** Whether a pose has been shown from which a transition can start. */
  get isMoving(): boolean {
    return this.playing !== undefined && this.#shown !== undefined;
  }

  /** Whether it is inside a bridge between two actions. */
  get isCrossing(): boolean {
    return this.#passage !== undefined;
  }

  /** Whether it shows its current action alone. */
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
  into(action: AnimationAction, motion: ClipMotion, landing: number, blend: number): void {
    this.#inertialize(motion, landing, blend);
    this.play(action, motion, landing);
  }

  /** Enters an action through a bridge, starting at one of its frames. */
  through(bridge: Bridge, start: number, action: AnimationAction, motion: ClipMotion, blend: number): void {
    const landing = motion.inside(bridge.to / RATE);
    const after = motion.inPlace(landing);
    const crossing = new Crossing(this.#body, bridge, start, this.#shown?.last ?? after, after);
    this.#inertialize(crossing, 0, blend);
    this.play(action, motion, landing);
    action.paused = true;
    this.#passage = { crossing, time: 0, ground: crossing.at(0).ground, landing };
  }

  /** Advances by some seconds, together with the mixer. Returns the root motion. */
  advance(delta: number): Ground {
    const time = delta * this.#mixer.timeScale;
    this.#arrive(time);
    // A mixer writes only values that differ from its last ones.
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

  /** Ends a bridge that would end within this frame, keeping the action in step. */
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
   * For a loop that does not close: the offset of its end from its start decays. `since`: seconds since the restart.
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

  /** Switches to the course from `time` on; the remaining offset decays. */
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
