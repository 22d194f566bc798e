/** The user's character: replaces the default figure in the viewer, plays the motion, and is exported with it. */
import { animateGlb } from "kinestitch/worker";
import type { ClipInfo, RigEdits } from "kinestitch/worker";
import type { LiveBody } from "../viewer/live-skeleton";
import type { DisplayedMotion } from "../viewer/poses";
import type { Model } from "../viewer/model";
import { load, motionOf, problemOf, type Clip } from "./engine";
import { isFbx, modelChunk, modelOf } from "./models";

/** A character: its file, model and bone mapping. */
export interface Character {
  name: string;
  file: File;
  model: Model;
  /** Clip with the rest pose as its only frame, and the inferred bone mapping. */
  restPose: Clip;
  info: ClipInfo;
  /** Corrections to the mapping. */
  edits: RigEdits;
}

/**
 * A character of stored work that is being read, or that could not be read: `problem` is the reason. It stays stored
 * until the user removes or replaces it.
 */
export interface UnreadCharacter {
  file: File;
  edits: RigEdits;
  problem?: string;
}

/** Display of a motion on a character. `displayed` is absent until it is ready. */
interface CharacterDisplay {
  character: Character;
  displayed?: DisplayedMotion;
}

/** Exports a character from an FBX file with a motion, as a GLB. */
async function exportFbxCharacter({ model, edits }: Character, clip: Clip): Promise<Uint8Array<ArrayBuffer>> {
  const { exportModel, toAnimationClip } = await modelChunk();
  return exportModel(model, await toAnimationClip(clip, model.object, { rig: edits }));
}

/** The current character, and the displays of motions on it. */
export class CharacterStore {
  #onChange: () => void;
  #current: Character | undefined;
  /** Present only while there is no current character. */
  #unread: UnreadCharacter | undefined;
  #displays = new WeakMap<DisplayedMotion, CharacterDisplay>();
  /** Last display of each side: shown until the next one is ready. */
  #lastDisplayed: Partial<Record<"a" | "b", DisplayedMotion | undefined>> = {};
  #editedRestPose: { character: Character; clip: Clip } | undefined;
  /** Motions on the stage. */
  #shown: readonly (DisplayedMotion | undefined)[] = [];
  /** By clip, the reason why the character cannot play it. */
  #problems = new WeakMap<object, { character: Character; message: string }>();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get current(): Character | undefined {
    return this.#current;
  }

  get unread(): UnreadCharacter | undefined {
    return this.#unread;
  }

  /** Reason why the character cannot play a motion on the stage; `undefined` if it can play all. */
  get problem(): string | undefined {
    return this.#shown.map((displayed) => this.#problemWith(displayed?.clip)).find((problem) => problem !== undefined);
  }

  /** Whether there is a character, and no known reason why it cannot play this clip. */
  canPlay(clip: object | undefined): boolean {
    return this.#current !== undefined && this.#problemWith(clip) === undefined;
  }

  #problemWith(clip: object | undefined): string | undefined {
    const problem = clip && this.#problems.get(clip);
    return problem?.character === this.#current ? problem?.message : undefined;
  }

  /**
   * Replaces the character, and returns a function that restores the previous one. If the model cannot be read, keeps
   * the previous character and rejects with an error whose message is shown to the user.
   */
  async replace(file: File, model: Model, edits: RigEdits = {}): Promise<() => void> {
    const { restOfObject } = await modelChunk();
    const data = restOfObject(model.object);
    const restPose = await load(data, { name: file.name });
    const info = await restPose.info();
    // Captured only now: another character may have been opened while this one was read.
    const restore = this.capture();
    this.#set({ name: file.name.replace(/\.[^.]*$/, ""), file, model, restPose, info, edits });
    return restore;
  }

  /**
   * Replaces the character by one of stored work. If it cannot be read, keeps it as {@link unread}, because the reason
   * may be temporary, and rejects with an error whose message is shown to the user.
   */
  async restore(file: File, edits: RigEdits): Promise<void> {
    const unread: UnreadCharacter = { file, edits };
    this.#set(undefined, unread);
    try {
      await this.replace(file, await modelOf(file), edits);
    } catch (error) {
      unread.problem = problemOf(error).message;
      this.#onChange();
      throw error;
    }
  }

  remove(): void {
    this.#set(undefined);
  }

  /** Removes the character, and returns a function that restores it. */
  removeUndoably(): () => void {
    const restore = this.capture();
    this.remove();
    return restore;
  }

  /** Returns a function that restores the current character, or the default figure if there is none. */
  capture(): () => void {
    const [character, unread] = [this.#current, this.#unread];
    return () => this.#set(character, unread);
  }

  /** Maps a role to a joint: `null` to no joint, `undefined` to the inferred joint. */
  setJoint(role: keyof RigEdits, joint: string | null | undefined): void {
    if (!this.#current) return;
    const edits = { ...this.#current.edits };
    if (joint === undefined) delete edits[role];
    else edits[role] = joint;
    this.#set({ ...this.#current, edits });
  }

  clearEdits(): void {
    if (this.#current) this.#set({ ...this.#current, edits: {} });
  }

  #set(character: Character | undefined, unread?: UnreadCharacter): void {
    if (character?.model !== this.#current?.model) this.#lastDisplayed = {};
    this.#current = character;
    this.#unread = unread;
    this.#onChange();
  }

  /**
   * Returns the display of a side's motion on the character: the previous display until the new one is ready, and the
   * motion on the default figure if it cannot be retargeted.
   */
  displayOnCharacter(side: "a" | "b", displayed: DisplayedMotion | undefined): DisplayedMotion | undefined {
    const display = displayed && this.#displays.get(displayed);
    const ready = display?.character === this.#current ? display?.displayed : undefined;
    const isPending = displayed?.clip && this.canPlay(displayed.clip);
    return (this.#lastDisplayed[side] = ready ?? (isPending ? this.#lastDisplayed[side] : undefined)) ?? displayed;
  }

  /** Starts to prepare the displays of motions on the character. Called before the page is drawn. */
  update(motions: readonly (DisplayedMotion | undefined)[]): void {
    const character = this.#current;
    this.#shown = motions;
    for (const displayed of motions) {
      if (!character || !displayed?.clip || this.#displays.get(displayed)?.character === character) continue;
      const { clip } = displayed;
      const display: CharacterDisplay = { character };
      this.#displays.set(displayed, display);
      this.#display(displayed, character).then(
        (displayedOnCharacter) => {
          display.displayed = displayedOnCharacter;
          if (character === this.#current) this.#onChange();
        },
        (error: unknown) => {
          this.#problems.set(clip, { character, message: problemOf(error).message });
          if (character === this.#current) this.#onChange();
        },
      );
    }
  }

  async #display(displayed: DisplayedMotion, character: Character): Promise<DisplayedMotion> {
    const { Puppet, toAnimationClip } = await modelChunk();
    const retargeted = await this.#retarget(displayed.clip as Clip, character);
    const [motion, animation] = await Promise.all([
      motionOf(retargeted),
      toAnimationClip(retargeted, character.model.object),
    ]);
    const body = { puppet: () => new Puppet(character.model.copy(), animation) };
    // Segments without poses: ghosts would show the bodies of the clips. Path, marks and colours stay.
    const segments = displayed.segments.map(({ start, color }) => ({ start, color }));
    return {
      ...displayed,
      motion: { ...motion, name: displayed.motion.name },
      contact: motion.curves.contact,
      segments,
      body,
    };
  }

  /** Retargets a motion to the character's skeleton. */
  async #retarget(clip: Pick<Clip, "retarget">, character: Character): Promise<Clip> {
    return clip.retarget(await this.#restPoseWithEdits(character));
  }

  /** Returns the rest pose with the corrected mapping. */
  async #restPoseWithEdits(character: Character): Promise<Clip> {
    if (this.#editedRestPose?.character !== character) {
      const hasEdits = Object.keys(character.edits).length > 0;
      this.#editedRestPose = {
        character,
        clip: hasEdits ? await character.restPose.withRig(character.edits) : character.restPose,
      };
    }
    return this.#editedRestPose.clip;
  }

  /** Creates a copy of the character that is posed frame by frame; `undefined` if there is no character. */
  async createLiveBody(): Promise<{ clip: Clip; info: ClipInfo; body: LiveBody } | undefined> {
    const character = this.#current;
    if (!character) return undefined;
    const [{ poseObject }, clip] = await Promise.all([modelChunk(), this.#restPoseWithEdits(character)]);
    const info = await clip.info();
    const object = character.model.copy();
    return { clip, info, body: { object, pose: poseObject(object, info.rig.Hips ?? "") } };
  }

  /**
   * Exports the character with a motion as a GLB. A GLB differs from the character's file only in its animation; an FBX
   * file is converted. Returns `undefined` if there is no character, or if the clip cannot be retargeted.
   */
  exportGlb(clip: object): Promise<Uint8Array<ArrayBuffer>> | undefined {
    const character = this.#current;
    if (!character || !("retarget" in clip)) return undefined;
    const motion = clip as Clip;
    return isFbx(character.file)
      ? exportFbxCharacter(character, motion)
      : animateGlb(character.file, motion, { rig: character.edits });
  }
}
