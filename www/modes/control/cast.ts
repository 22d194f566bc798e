/** Characters on the stage; their networks are loaded on first need. */
import type { CharacterName } from "kinestitch/worker";
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
  #changed: () => void;

  constructor(app: App) {
    this.#app = app;
    this.#changed = () => app.changed();
  }

  /** The character, once its network is loaded; `undefined` if that fails. Never rejects. */
  async load(character: CharacterName, set: string, at: GroundPose, body: string): Promise<Actor | undefined> {
    const known = this.actors.get(character);
    const stamp = body === OWN ? undefined : stampOf(this.#app, body);
    if (known?.stamp === stamp && known) return known;
    this.cancel();
    const { signal } = (this.#abort = new AbortController());
    this.problem = undefined;
    this.busy = beginOperation("network", this.#changed);
    this.#changed();
    try {
      const bodyOfUser = stamp === undefined ? undefined : await loadBody(this.#app, body);
      const controller = await createController({
        character,
        at,
        signal,
        ...(bodyOfUser && { target: bodyOfUser.clip }),
        // Not every character has every set of training data.
        ...(shippedOf(character).some((network) => network.set === set) && { set }),
        onProgress: (progress) => {
          if (!this.busy || signal.aborted) return;
          this.busy.progress = progress;
          this.#changed();
        },
      });
      if (signal.aborted) {
        controller.free();
        return undefined;
      }
      const actor = new Actor(
        controller,
        CHARACTERS.find(({ id }) => id === character)?.color ?? "#7f9bd6",
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
      this.#changed();
    }
  }

  /** Removes all characters. */
  dismiss(): void {
    for (const { controller } of this.actors.values()) controller.free();
    this.actors.clear();
  }

  cancel(): void {
    this.#abort?.abort();
    this.busy = undefined;
    this.#changed();
  }
}
