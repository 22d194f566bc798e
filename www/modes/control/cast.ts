/** Loads characters and their networks, and keeps the characters that are on the stage. */
import type { CharacterName, HeightField } from "kinestitch/worker";
import type { App } from "../../core/app";
import { beginOperation, type Operation } from "../../core/operation";
import { problemOf, type Problem } from "../../core/engine";
import { createController } from "../../core/live-functions";
import type { GroundPose } from "../../viewer/handles";
import { Actor } from "./actor";
import { OWN, stampOf, loadBody } from "./bodies";
import { CHARACTERS, shippedOf } from "./characters";

/** The characters on the stage, by name. */
export class Cast {
  readonly actors = new Map<CharacterName, Actor>();
  busy: Operation | undefined;
  problem: Problem | undefined;
  #abort: AbortController | undefined;
  #app: App;
  #onChange: () => void;

  constructor(app: App) {
    this.#app = app;
    this.#onChange = () => app.requestUpdate();
  }

  /**
   * Loads a character with its network, or returns the loaded one. `at`: ground pose of a new one. Resolves to
   * `undefined` after an error, which is in `problem`, or a cancellation. Never rejects.
   */
  async load(
    character: CharacterName,
    set: string,
    at: GroundPose,
    body: string,
    ground: HeightField | undefined,
  ): Promise<Actor | undefined> {
    const known = this.actors.get(character);
    const stamp = body === OWN ? undefined : stampOf(this.#app, body);
    if (known?.stamp === stamp && known) return known;
    this.cancel();
    const { signal } = (this.#abort = new AbortController());
    this.problem = undefined;
    this.busy = beginOperation("network", this.#onChange);
    this.#onChange();
    try {
      const bodyOfUser = stamp === undefined ? undefined : await loadBody(this.#app, body);
      const controller = await createController({
        character,
        at,
        signal,
        ...(ground && { ground }),
        ...(bodyOfUser && { target: bodyOfUser.clip }),
        // Not every character has every set of training data.
        ...(shippedOf(character).some((network) => network.set === set) && { set }),
        onProgress: (progress) => {
          if (!this.busy || signal.aborted) return;
          this.busy.progress = progress;
          this.#onChange();
        },
      });
      if (signal.aborted) {
        controller.free();
        return undefined;
      }
      const actor = new Actor(
        controller,
        CHARACTERS.find(({ id }) => id === character)?.color ?? "#7f9bd6",
        ground,
        bodyOfUser,
        stamp,
      );
      this.actors.get(character)?.controller.free();
      this.actors.set(character, actor);
      return actor;
    } catch (error) {
      if (!signal.aborted) this.problem = problemOf(error);
      return undefined;
    } finally {
      if (!signal.aborted) this.busy = undefined;
      this.#onChange();
    }
  }

  /** Removes all characters from the stage. */
  dismiss(): void {
    for (const { controller } of this.actors.values()) controller.free();
    this.actors.clear();
  }

  /** Cancels the loading of a character. */
  cancel(): void {
    this.#abort?.abort();
    this.busy = undefined;
    this.#onChange();
  }
}
