/** Loads characters with their networks, and holds the characters on the stage. */
import type { CharacterName, HeightField } from "kinestitch/worker";
import type { App } from "../../core/app";
import { beginOperation, type Operation } from "../../core/operation";
import { problemOf, type Problem } from "../../core/engine";
import { createController } from "../../core/live-functions";
import type { GroundPose } from "../../viewer/handles";
import { Actor } from "./actor";
import { OWN_BODY, bodyVersion, loadBody } from "./bodies";
import { CHARACTERS, shippedOf } from "./characters";

/** The characters on the stage, by name. */
export class Cast {
  readonly actors = new Map<CharacterName, Actor>();
  busy: Operation | undefined;
  problem: Problem | undefined;
  /** Characters whose loading was ended by that of another one, because only one is loaded at a time. */
  readonly interrupted = new Set<CharacterName>();
  #abort: AbortController | undefined;
  /** Character of the last load, which {@link busy} and {@link problem} belong to. */
  #requested: CharacterName | undefined;
  #app: App;
  #onChange: () => void;

  constructor(app: App) {
    this.#app = app;
    this.#onChange = () => app.requestUpdate();
  }

  /**
   * Loads a character with its network on the body with the id `body`; returns the character on the stage if it already
   * has this body. `groundPose`, `ground`: where a newly loaded character stands. Resolves to `undefined` after a
   * cancellation, or after an error, which is in `problem`. Never rejects.
   */
  async load(
    character: CharacterName,
    trainingSet: string,
    groundPose: GroundPose,
    body: string,
    ground: HeightField | undefined,
  ): Promise<Actor | undefined> {
    const existing = this.actors.get(character);
    const version = body === OWN_BODY ? undefined : bodyVersion(this.#app, body);
    if (existing && existing.bodyVersion === version) {
      this.dismiss(character);
      // Also the error of another character, which is no longer chosen.
      this.problem = undefined;
      this.#onChange();
      return existing;
    }
    this.#interrupt(character);
    const { signal } = (this.#abort = new AbortController());
    this.problem = undefined;
    this.busy = beginOperation("network", this.#onChange);
    this.#onChange();
    try {
      const userBody = version === undefined ? undefined : await loadBody(this.#app, body);
      const controller = await createController({
        character,
        at: groundPose,
        signal,
        ...(ground && { ground }),
        ...(userBody && { target: userBody.clip }),
        // Not every character has a network for each set of training data.
        ...(shippedOf(character).some((network) => network.set === trainingSet) && { set: trainingSet }),
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
        userBody,
        version,
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
  clear(): void {
    for (const { controller } of this.actors.values()) controller.free();
    this.actors.clear();
  }

  /** Cancels the loading of this character, and clears the error of its last load. */
  dismiss(character: CharacterName): void {
    this.interrupted.delete(character);
    if (this.#requested !== character) return;
    this.#stop();
    this.problem = undefined;
  }

  /** Cancels the loading of a character, and forgets those that it has interrupted: the user wants no loading now. */
  cancel(): void {
    this.interrupted.clear();
    this.#stop();
  }

  /** Ends the running loading before that of `character`. */
  #interrupt(character: CharacterName): void {
    if (this.busy && this.#requested) this.interrupted.add(this.#requested);
    this.interrupted.delete(character);
    this.#requested = character;
    this.#stop();
  }

  /** Ends the running loading. */
  #stop(): void {
    this.#abort?.abort();
    this.busy = undefined;
    this.#onChange();
  }
}
