/** Work as it is kept: the documents of all modes, and the files that they are about. */
import type { RigEdits } from "kinestitch/worker";
import type { App } from "./app";
import type { Origin } from "./library";
import { modelOf } from "./models";

/** How a mode's document is kept. */
export interface Keeping {
  /** Plain values; `undefined` where there is nothing worth keeping, such as a demo. */
  document(): object | undefined;
  /** Ids of the files that it is about. */
  sources(): string[];
  /** Takes a document that was kept; its files are in the library. */
  restore(document: object): void;
  /** Back to nothing. */
  clear(): void;
}

interface KeptSource {
  id: string;
  name: string;
  /** The file's name among those kept, or an address. */
  file?: string;
  href?: string;
  /** Which animation of the file. */
  animation?: string;
}

/** All of it but the files themselves. */
export interface Kept {
  version: 1;
  mode: string;
  documents: Record<string, object>;
  sources: KeptSource[];
  character?: { file: string; edits: RigEdits };
}

export interface Work {
  kept: Kept;
  files: Map<string, File>;
}

const names = new WeakMap<File, string>();
const nameOf = (file: File): string => {
  const known = names.get(file) ?? crypto.randomUUID();
  names.set(file, known);
  return known;
};

/** What there is to keep now; `undefined` where there is nothing. */
export function gather(app: App): Work | undefined {
  const files = new Map<string, File>();
  const keep = (file: File): string => {
    files.set(nameOf(file), file);
    return nameOf(file);
  };
  const documents: Kept["documents"] = {};
  const used = new Set<string>();
  for (const { id, keeping } of app.made) {
    const document = keeping?.document();
    if (!document) continue;
    documents[id] = document;
    keeping?.sources().forEach((source) => used.add(source));
  }
  const sources = [...used].flatMap((id): KeptSource[] => {
    const source = app.library.sources.get(id);
    if (!source) return [];
    const { name, origin } = source;
    if (origin instanceof URL) return [{ id, name, href: origin.href }];
    return origin instanceof File ? [{ id, name, file: keep(origin) }] : [{ id, name, file: keep(origin.file), animation: origin.animation }];
  });
  const { current } = app.characters;
  const character = current && { file: keep(current.file), edits: current.edits };
  if (Object.keys(documents).length === 0 && !character) return undefined;
  return { kept: { version: 1, mode: app.mode.id, documents, sources, ...(character && { character }) }, files };
}

/** Puts work back as it was. Files that are gone, or do not read any more, are told beside their clips. */
export async function restore(app: App, { kept, files }: Work): Promise<void> {
  for (const [name, file] of files) names.set(file, name);
  for (const { id, name, file, href, animation } of kept.sources) {
    const given = file === undefined ? undefined : files.get(file);
    const origin: Origin | undefined = href !== undefined ? new URL(href, location.href) : given && animation !== undefined ? { file: given, animation } : given;
    if (origin) app.library.restore(id, name, origin);
  }
  for (const [id, document] of Object.entries(kept.documents)) (await app.modeOf(id))?.keeping?.restore(document);
  // An address that names a mode counts.
  if (!location.hash) await app.show(kept.mode);
  app.changed();
  const { character } = kept;
  const body = character && files.get(character.file);
  if (body) await app.characters.take(body, await modelOf(body), character.edits);
}

/** Whether something read from elsewhere is work that was kept. */
export function isKept(value: unknown): value is Kept {
  const { version, mode, documents, sources } = (value ?? {}) as Partial<Kept>;
  return version === 1 && typeof mode === "string" && typeof documents === "object" && documents !== null && Array.isArray(sources);
}
