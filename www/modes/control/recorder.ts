/** Records a character's motion as a clip. */
import type { Clip, Controller } from "kinestitch/worker";

/** A finished recording. */
export interface Recording {
  clip: Clip;
  seconds: number;
  /** Whether the user has saved the clip. */
  saved: boolean;
}

/** Records the motion of a controller. */
export class Recorder {
  /** Duration of the running recording, seconds; `undefined` if none is running. */
  seconds: number | undefined;
  /** The last finished recording. */
  recorded: Recording | undefined;
  #controller: Controller | undefined;

  start(controller: Controller): void {
    controller.record();
    this.#controller = controller;
    this.seconds = 0;
  }

  /** Adds to the duration of the running recording. */
  advance(seconds: number): void {
    if (this.seconds !== undefined) this.seconds += seconds;
  }

  /** Ends the recording; returns whether it has frames. */
  stop(): boolean {
    const clip = this.#controller?.clip();
    const { seconds = 0 } = this;
    this.#controller = this.seconds = undefined;
    if (clip) this.recorded = { clip, seconds, saved: false };
    return clip !== undefined;
  }

  discard(): void {
    this.recorded = undefined;
  }
}
