/** Work as it is kept: the documents of all modes, and the files that they are about. */
import type { RigEdits } from "kinestitch/worker";
import type { GenericSchema } from "valibot";
import type { App } from "./app";
import type { Gone, Origin } from "./library";
import { modelOf } from "./models";

/** How a mode's document is kept. */
export interface Keeping<D extends object = object> {
  /** Plain values; `undefined` where there is nothing worth keeping, such as a demo. */
  document(): D | undefined;
  /** Ids of the files that a document is about. */
  sources(document: D): string[];
  /** What a document that was kept must be like. Fetched when there is one to read. */
  schema(): Promise<GenericSchema<unknown, D>>;
  /** Takes a document that fits the schema; its files are in the library. */
  restore(document: D): void;
  /** Back to nothing. */
  clear(): void;
  /** Returns a function that brings back the document as it is now, with its undo steps. */
  capture(): () => void;
}

export interface KeptSource {
  id: string;
  name: string;
  /** The file's name among those kept, or an address. */
  file?: string | undefined;
  href?: string | undefined;
  /** Which animation of the file. */
  animation?: string | undefined;
}

/** All of it but the files themselves. */
export interface Kept {
  version: 1;
  mode: string;
  documents: Record<string, object>;
  sources: KeptSource[];
  character?: { file: string; edits: RigEdits } | undefined;
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
    if (!keeping || !document) continue;
    documents[id] = document;
    keeping.sources(document).forEach((source) => used.add(source));
  }
  const sources = [...used].flatMap((id): KeptSource[] => {
    const source = app.library.sources.get(id);
    if (!source) return [];
    const { name, origin } = source;
    if (origin instanceof URL) return [{ id, name, href: origin.href }];
    if (origin instanceof File) return [{ id, name, file: keep(origin) }];
    return [
      {
        id,
        name,
        file: "gone" in origin ? origin.gone : keep(origin.file),
        ...("animation" in origin && { animation: origin.animation }),
      },
    ];
  });
  const { current } = app.characters;
  const character = current && { file: keep(current.file), edits: current.edits };
  if (Object.keys(documents).length === 0 && !character) return undefined;
  return { kept: { version: 1, mode: app.mode.id, documents, sources, ...(character && { character }) }, files };
}

function originOf({ file, href, animation }: KeptSource, files: Work["files"]): Origin | Gone {
  if (href !== undefined) return new URL(href, location.href);
  const given = file === undefined ? undefined : files.get(file);
  if (!given) return { gone: file ?? "" };
  return animation === undefined ? given : { file: given, animation };
}

/** Puts work that was checked (see kept-check.ts) in the place of what there is. Files that are gone, or do not read any more, are
 *  told beside their clips. */
export async function restore(app: App, { kept, files }: Work): Promise<void> {
  const modes = new Map(
    await Promise.all(Object.keys(kept.documents).map(async (id) => [id, await app.modeOf(id)] as const)),
  );
  const { character } = kept;
  const body = character && files.get(character.file);
  for (const [name, file] of files) names.set(file, name);
  app.clear();
  for (const source of kept.sources) app.library.restore(source.id, source.name, originOf(source, files));
  for (const [id, document] of Object.entries(kept.documents)) {
    const keeping = modes.get(id)?.keeping;
    for (const source of keeping?.sources(document) ?? [])
      if (!app.library.sources.has(source)) app.library.restore(source, "Unknown file", { gone: "" });
    keeping?.restore(document);
  }
  app.changed();
  if (body) await app.characters.take(body, await modelOf(body), character.edits);
}
