/** Stored work: the documents of all modes, and their files. */
import type { RigEdits } from "kinestitch/worker";
import type { GenericSchema } from "valibot";
import type { App } from "./app";
import type { MissingFile, Origin } from "./library";
import { modelOf } from "./models";

/** How a mode's document is stored. */
export interface DocumentStorage<D extends object = object> {
  /** Plain values; `undefined` where there is nothing worth storing, such as a demo. */
  document(): D | undefined;
  /** Ids of the files of a document. */
  sources(document: D): string[];
  /** Schema of a stored document. Loaded when there is one. */
  schema(): Promise<GenericSchema<unknown, D>>;
  /** Restores a valid document; its files are in the library. */
  restore(document: D): void;
  /** Resets to an empty document. */
  clear(): void;
  /** Returns a function that restores the present document, with its undo steps. */
  capture(): () => void;
}

/** A stored motion of the library. */
export interface StoredSource {
  id: string;
  name: string;
  /** Name of the stored file, or an address. */
  file?: string | undefined;
  href?: string | undefined;
  /** Name of the animation in the file. */
  animation?: string | undefined;
}

/** Stored work without the files. */
export interface StoredWork {
  version: 1;
  mode: string;
  documents: Record<string, object>;
  sources: StoredSource[];
  character?: { file: string; edits: RigEdits } | undefined;
}

/** Stored work with its files, by name. */
export interface WorkWithFiles {
  record: StoredWork;
  files: Map<string, File>;
}

const names = new WeakMap<File, string>();
const nameOf = (file: File): string => {
  const known = names.get(file) ?? crypto.randomUUID();
  names.set(file, known);
  return known;
};

/** The work to be stored; `undefined` where there is none. */
export function collectWork(app: App): WorkWithFiles | undefined {
  const files = new Map<string, File>();
  const keep = (file: File): string => {
    files.set(nameOf(file), file);
    return nameOf(file);
  };
  const documents: StoredWork["documents"] = {};
  const used = new Set<string>();
  for (const { id, storage: keeping } of app.createdModes) {
    const document = keeping?.document();
    if (!keeping || !document) continue;
    documents[id] = document;
    keeping.sources(document).forEach((source) => used.add(source));
  }
  const sources = [...used].flatMap((id): StoredSource[] => {
    const source = app.library.sources.get(id);
    if (!source) return [];
    const { name, origin } = source;
    if (origin instanceof URL) return [{ id, name, href: origin.href }];
    if (origin instanceof File) return [{ id, name, file: keep(origin) }];
    return [
      {
        id,
        name,
        file: "missing" in origin ? origin.missing : keep(origin.file),
        ...("animation" in origin && { animation: origin.animation }),
      },
    ];
  });
  const { current } = app.characters;
  const character = current && { file: keep(current.file), edits: current.edits };
  if (Object.keys(documents).length === 0 && !character) return undefined;
  return { record: { version: 1, mode: app.mode.id, documents, sources, ...(character && { character }) }, files };
}

function originOf({ file, href, animation }: StoredSource, files: WorkWithFiles["files"]): Origin | MissingFile {
  if (href !== undefined) return new URL(href, location.href);
  const given = file === undefined ? undefined : files.get(file);
  if (!given) return { missing: file ?? "" };
  return animation === undefined ? given : { file: given, animation };
}

/**
 * Replaces the present work by validated work (see stored-work-schema.ts). Files that are missing or cannot be read are
 * reported beside their clips.
 */
export async function restoreWork(app: App, { record: kept, files }: WorkWithFiles): Promise<void> {
  const modes = new Map(
    await Promise.all(Object.keys(kept.documents).map(async (id) => [id, await app.loadMode(id)] as const)),
  );
  const { character } = kept;
  const body = character && files.get(character.file);
  for (const [name, file] of files) names.set(file, name);
  app.clear();
  for (const source of kept.sources) app.library.restore(source.id, source.name, originOf(source, files));
  for (const [id, document] of Object.entries(kept.documents)) {
    const keeping = modes.get(id)?.storage;
    for (const source of keeping?.sources(document) ?? [])
      if (!app.library.sources.has(source)) app.library.restore(source, "Unknown file", { missing: "" });
    keeping?.restore(document);
  }
  app.changed();
  if (body) await app.characters.replace(body, await modelOf(body), character.edits);
}
