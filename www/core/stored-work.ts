/** Stored work: the documents of all modes, and their files. */
import type { BvhOptions, RigEdits } from "kinestitch/worker";
import type { GenericSchema } from "valibot";
import type { App } from "./app";
import type { MissingFile, Origin } from "./library";
import { randomId } from "./ids";

/** Storage of a mode's document. */
export interface DocumentStorage<D extends object = object> {
  /** Returns the document as JSON values; `undefined` if it is empty or the unchanged demo. */
  document(): D | undefined;
  /** Returns the ids of a document's motions in the library. */
  sources(document: D): string[];
  /** Loads the schema of a stored document. */
  schema(): Promise<GenericSchema<unknown, D>>;
  /** Restores a valid document, after its motions were added to the library. */
  restore(document: D): void;
  /** Resets to an empty document. */
  clear(): void;
  /** Returns a function that restores the current document, with its undo steps. */
  capture(): () => void;
}

/** A stored motion of the library. */
export interface StoredSource {
  id: string;
  name: string;
  /** Name of the stored file. */
  file?: string | undefined;
  /** URL of the file, instead of `file`. */
  href?: string | undefined;
  /** Name of the animation in the file. */
  animation?: string | undefined;
  /** The user's corrections to how a BVH file is read. */
  reading?: BvhOptions | undefined;
}

/** The stored work without its files. `documents`: by id of the mode. */
export interface StoredWork {
  version: 1;
  mode: string;
  documents: Record<string, object>;
  sources: StoredSource[];
  character?: { file: string; edits: RigEdits } | undefined;
}

/** The stored work with its files, by the names that the record uses. */
export interface WorkWithFiles {
  record: StoredWork;
  files: Map<string, File>;
}

const storedNames = new WeakMap<File, string>();
/** Returns the name under which a file is stored: a random id, given once. */
const storedNameOf = (file: File): string => {
  const name = storedNames.get(file) ?? randomId();
  storedNames.set(file, name);
  return name;
};

/** Collects the work to be stored; `undefined` if there is none. */
export function collectWork(app: App): WorkWithFiles | undefined {
  const files = new Map<string, File>();
  const addFile = (file: File): string => {
    files.set(storedNameOf(file), file);
    return storedNameOf(file);
  };
  const documents: StoredWork["documents"] = {};
  const used = new Set<string>();
  for (const { id, storage } of app.createdModes) {
    const document = storage?.document();
    if (!storage || !document) continue;
    documents[id] = document;
    storage.sources(document).forEach((source) => used.add(source));
  }
  const sources = [...used].flatMap((id): StoredSource[] => {
    const source = app.library.sources.get(id);
    if (!source) return [];
    const { name, origin, reading } = source;
    const corrected = reading && { reading };
    if (origin instanceof URL) return [{ id, name, href: origin.href, ...corrected }];
    if (origin instanceof File) return [{ id, name, file: addFile(origin), ...corrected }];
    return [
      {
        id,
        name,
        file: "missing" in origin ? origin.missing : addFile(origin.file),
        ...("animation" in origin && { animation: origin.animation }),
      },
    ];
  });
  const { current, unread } = app.characters;
  // Without the unread character, its file would be removed from the store.
  const stored = current ?? unread;
  const character = stored && { file: addFile(stored.file), edits: stored.edits };
  if (Object.keys(documents).length === 0 && !character) return undefined;
  return { record: { version: 1, mode: app.mode.id, documents, sources, ...(character && { character }) }, files };
}

function originOf({ file, href, animation }: StoredSource, files: WorkWithFiles["files"]): Origin | MissingFile {
  if (href !== undefined) return new URL(href, location.href);
  const stored = file === undefined ? undefined : files.get(file);
  const named = animation === undefined ? undefined : { animation };
  if (!stored) return { missing: file ?? "", ...named };
  return named ? { file: stored, ...named } : stored;
}

/**
 * Replaces the current work by stored work, which must be valid (see stored-work-schema.ts). Missing and unreadable
 * motion files are reported beside their clips; a missing file of the character by a message that stays. If the
 * character cannot be read, rejects after all else was restored; the character stays part of the work.
 */
export async function restoreWork(app: App, { record, files }: WorkWithFiles): Promise<void> {
  const modes = new Map(
    await Promise.all(Object.keys(record.documents).map(async (id) => [id, await app.loadMode(id)] as const)),
  );
  const { character } = record;
  const characterFile = character && files.get(character.file);
  for (const [name, file] of files) storedNames.set(file, name);
  app.clear();
  for (const source of record.sources)
    app.library.restore(source.id, source.name, originOf(source, files), source.reading);
  for (const [id, document] of Object.entries(record.documents)) {
    const storage = modes.get(id)?.storage;
    for (const source of storage?.sources(document) ?? [])
      if (!app.library.sources.has(source)) app.library.restore(source, "Unknown file", { missing: "" });
    storage?.restore(document);
  }
  app.requestUpdate();
  if (characterFile) await app.characters.restore(characterFile, character.edits);
  else if (character) {
    const text = "The character's file is missing. Drop it on the page again.";
    app.notices.ask({ topic: "character", kind: "error", text, actions: [] });
  }
}
