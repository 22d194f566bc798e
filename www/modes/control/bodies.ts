/** Bodies of the user that can display a character: the user's model, and the skeletons of clips. */
import type { CharacterName, ClipInfo } from "kinestitch/worker";
import type { App } from "../../core/app";
import type { Clip } from "../../core/engine";
import type { LiveBody } from "../../viewer/live-skeleton";

/** Id of the character's own (canonical) body. Other ids: {@link MODEL_BODY}, or the id of a source clip. */
export const OWN_BODY = "";
/** Id of the user's model, which on the page replaces the default figure. */
export const MODEL_BODY = "model";

/** A body in a menu. */
export interface BodyEntry {
  id: string;
  name: string;
}

/** A body of the user for a character. */
export interface CharacterBody {
  clip: Clip;
  info: ClipInfo;
  /** The skinned body; absent for a bare skeleton, which is drawn like the default figure. */
  body?: LiveBody;
}

/** Kind of body to which the poses of each character can be applied. */
const KINDS: Readonly<Record<CharacterName, ClipInfo["kind"]>> = { biped: "biped", dog: "quadruped" };

/** Returns the bodies that can display a character, except its own. */
export function bodiesFor({ characters, library }: App, character: CharacterName): BodyEntry[] {
  const { current } = characters;
  const modelEntry = current ? [{ id: MODEL_BODY, name: current.name, info: current.info }] : [];
  const candidates = [...modelEntry, ...library.sources.values()];
  return candidates.filter(({ info }) => info?.kind === KINDS[character]).map(({ id, name }) => ({ id, name }));
}

/**
 * Returns a value that identifies the current version of a body. It changes when the file is replaced, and when the
 * bone mapping of the user's model is corrected.
 */
export function bodyVersion({ characters, library }: App, id: string): unknown {
  return id === MODEL_BODY ? characters.current : library.sources.get(id)?.clip;
}

/** Loads the body with this id; resolves to `undefined` if it no longer exists. */
export async function loadBody(app: App, id: string): Promise<CharacterBody | undefined> {
  if (id === MODEL_BODY) return app.characters.createLiveBody();
  return app.library.sources.get(id)?.clip ? app.library.clip(id, undefined) : undefined;
}
