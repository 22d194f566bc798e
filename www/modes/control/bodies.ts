/** Skeletons of the user on which a character can be displayed: the model that replaces the figure, and clips. */
import type { CharacterName, ClipInfo } from "kinestitch/worker";
import type { App } from "../../core/app";
import type { WorkerClip } from "../../core/engine";
import type { LiveBody } from "../../viewer/live-skeleton";

/** Its own body; the model that replaces the figure; else a clip's id. */
export const OWN = "";
/** Id of the model that replaces the figure. */
export const MODEL = "model";

/** A body in a menu. */
export interface BodyEntry {
  id: string;
  name: string;
}

/** Body of a character. */
export interface CharacterBody {
  clip: WorkerClip;
  info: ClipInfo;
  /** A skinned body to be drawn and posed; a bare skeleton is drawn as a figure. */
  body?: LiveBody;
}

/** Kinds of bodies that a character's poses can be applied to. */
const KINDS: Readonly<Record<CharacterName, ClipInfo["kind"]>> = { biped: "biped", dog: "quadruped" };

/** Available bodies for a character, without its own. */
export function bodies({ characters, library }: App, character: CharacterName): BodyEntry[] {
  const { current } = characters;
  const model = current ? [{ id: MODEL, name: current.name, info: current.info }] : [];
  const all = [...model, ...library.sources.values()];
  return all.filter(({ info }) => info?.kind === KINDS[character]).map(({ id, name }) => ({ id, name }));
}

/** Identity of a body in its present state: another body or mapping has another value. */
export function stampOf({ characters, library }: App, id: string): unknown {
  return id === MODEL ? characters.current : library.sources.get(id)?.clip;
}

/** The body with that id; `undefined` if it no longer exists. */
export async function loadBody(app: App, id: string): Promise<CharacterBody | undefined> {
  if (id === MODEL) return app.characters.createLiveBody();
  return app.library.sources.get(id)?.clip ? app.library.clip(id, undefined) : undefined;
}
