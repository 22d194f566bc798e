/** Records a character's motion as a clip. */
import type { Clip, Controller } from "kinestitch/worker";
import type { App } from "../../core/app";
import { problemOf, sentence } from "../../core/engine";

/** A finished recording. */
export interface Recording {
  clip: Clip;
  seconds: number;
  /** Whether the user has saved the clip. */
  saved: boolean;
}

/** Records the motion of a controller. Shows a notice if that fails. */
export class Recorder {
  /** Duration of the running recording, seconds; `undefined` if none is running. */
  seconds: number | undefined;
  /** The last finished recording. */
  recorded: Recording | undefined;
  #controller: Controller | undefined;
  #app: Pick<App, "notify">;

  constructor(app: Pick<App, "notify">) {
    this.#app = app;
  }

  async start(controller: Controller): Promise<void> {
    this.#controller = controller;
    this.seconds = 0;
    try {
      await controller.record();
    } catch (error) {
      this.#app.notify(`The recording could not be started: ${sentence(problemOf(error).message)}`, "error");
      this.#controller = this.seconds = undefined;
    }
  }

  /** Adds to the duration of the running recording. */
  advance(seconds: number): void {
    if (this.seconds !== undefined) this.seconds += seconds;
  }

  /** Ends the recording, also if its controller was lost. */
  async stop(): Promise<void> {
    const controller = this.#controller;
    const { seconds = 0 } = this;
    this.#controller = this.seconds = undefined;
    try {
      const clip = await controller?.clip();
      if (clip) this.recorded = { clip, seconds, saved: false };
      else this.#app.notify("Nothing was recorded: the character did not move.");
    } catch (error) {
      this.#app.notify(`The recording was lost: ${sentence(problemOf(error).message)}`, "error");
    }
  }

  discard(): void {
    this.recorded = undefined;
  }
}
