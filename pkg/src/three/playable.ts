/** A playable motion of a model: an action of the mixer, or a blend space. */
import type { AnimationAction, AnimationMixer } from "three";
import type { Motion } from "./clip-motion.js";

/** A motion that is being played, or that a transition enters. */
export interface Playable {
  /** Identifies the source: two playables of one source are the same motion to a caller. */
  readonly source: object;
  motion: Motion;
  /** The action; of a blend space, the action with the largest weight. */
  readonly action: AnimationAction;
  /** Time in the motion, seconds of the motion. */
  readonly time: number;
  /** Seconds of the motion per second of the mixer. */
  readonly rate: number;
  readonly isRunning: boolean;
  /** Starts at a time, as the only action of the mixer that moves the whole body. */
  start(time: number): void;
  /** Stops, unless `isLayered`: then the action continues without moving the whole body. */
  stop(isLayered: boolean): void;
  /** Holds the time until {@link start}. */
  hold(): void;
  /** Advances by some seconds of the mixer, after the mixer itself was advanced. */
  advance(mixerSeconds: number): void;
}

/** An action of the mixer. */
export class PlayedAction implements Playable {
  motion: Motion;
  readonly action: AnimationAction;

  constructor(action: AnimationAction, motion: Motion) {
    this.action = action;
    this.motion = motion;
  }

  get source(): object {
    return this.action;
  }

  get time(): number {
    return this.action.time;
  }

  get rate(): number {
    return this.action.timeScale;
  }

  get isRunning(): boolean {
    return this.action.isRunning();
  }

  start(time: number): void {
    const { action } = this;
    if (!action.isRunning()) action.reset();
    action.stopFading().stopWarping().setEffectiveWeight(1).play();
    action.paused = false;
    action.time = time;
    action.clampWhenFinished = true;
  }

  stop(isLayered: boolean): void {
    if (isLayered) {
      this.action.setEffectiveWeight(0);
      // A bridge into an action holds it.
      this.action.paused = false;
    } else this.action.stop();
  }

  hold(): void {
    this.action.paused = true;
  }

  advance(): void {}
}

/** Returns the speed of a motion in the direction in which the mixer plays. */
export const forwardRate = ({ rate }: Playable, mixer: AnimationMixer): number => (mixer.timeScale < 0 ? -rate : rate);
