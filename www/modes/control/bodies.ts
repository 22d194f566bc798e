/** Skeletons of the user's own that a character can be shown on: the model in the place of the figure, and clips. */
import type { CharacterName, ClipInfo } from "kinestitch/worker";
import type { App } from "../../core/app";
import type { WorkerClip } from "../../core/engine";
import type { LiveBody } from "../../viewer/live";

/** Its own body; the model that stands in for the figure; else a clip's id. */
export const OWN = "";
export const MODEL = "model";

export interface BodyEntry {
  id: string;
  name: string;
}

/** What a character is shown on. */
export interface Worn {
  clip: WorkerClip;
  info: ClipInfo;
  /** How a skinned body is drawn and posed; a bare skeleton is drawn as a figure. */
  body?: LiveBody;
}

/** Bodies that take a character's poses. */
const KINDS: Readonly<Record<CharacterName, ClipInfo["kind"]>> = { biped: "biped", dog: "quadruped" };

/** What there is to choose from for a character, but for its own body. */
export function bodies({ characters, library }: App, character: CharacterName): BodyEntry[] {
  const { current } = characters;
  const model = current ? [{ id: MODEL, name: current.name, info: current.info }] : [];
  const all = [...model, ...library.sources.values()];
  return all.filter(({ info }) => info?.kind === KINDS[character]).map(({ id, name }) => ({ id, name }));
}

/** Stands for a body as it is now: another one, or another mapping, is another value. */
export function stampOf({ characters, library }: App, id: string): unknown {
  return id === MODEL ? characters.current : library.sources.get(id)?.clip;
}

/** The skeleton with that id; `undefined` where it is gone. */
export async function wear(app: App, id: string): Promise<Worn | undefined> {
  if (id === MODEL) return app.characters.live();
  return app.library.sources.get(id)?.clip ? app.library.clip(id, undefined) : undefined;
}
