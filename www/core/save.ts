/** Exports motions as downloads that are created in this tab. */
import type { App } from "./app";
import { problemOf, sentence } from "./engine";
import type { Exportable } from "./mode";
import { fbxOf } from "./to-fbx";
import { vrmaOf } from "./vrma";

/** File format of an export; also its file extension. */
export type Format = "bvh" | "glb" | "vrma" | "fbx";

const MIME_TYPES: Record<Format, string> = {
  bvh: "text/plain",
  glb: "model/gltf-binary",
  vrma: "model/gltf-binary",
  fbx: "application/octet-stream",
};

/** Maximum length of a file name without extension, characters. */
const MAX_NAME = 120;

/** Replaces characters that some file systems do not allow. */
const fileName = (name: string): string =>
  name
    .replace(/\s*\+\s*/g, "+")
    .replace(/[^\p{L}\p{M}\p{N}+._-]+/gu, "_")
    .slice(0, MAX_NAME) || "motion";

/** Returns file names without extension, made different by numbers. Some file systems do not distinguish case. */
export function distinctFileNames(names: readonly string[]): string[] {
  const used = new Set<string>();
  return names.map((name) => {
    const base = fileName(name);
    let distinct = base;
    for (let number = 2; used.has(distinct.toLowerCase()); number++) {
      const suffix = `_${number}`;
      distinct = `${base.slice(0, MAX_NAME - suffix.length)}${suffix}`;
    }
    used.add(distinct.toLowerCase());
    return distinct;
  });
}

/** Starts a download; returns the file name. */
export function download(name: string, extension: string, data: BlobPart, type: string): string {
  const url = URL.createObjectURL(new Blob([data], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${fileName(name)}.${extension}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return link.download;
}

/** Whether exported GLB and FBX files contain the character: there is one, and it can play the result of the current mode. */
export const exportsCharacter = (app: App): boolean => app.characters.canPlay(app.mode.exportable()?.clip);

/**
 * Downloads a motion; in a GLB or FBX, on the character if {@link exportsCharacter}. Returns the file's name and size for a
 * message, such as "walk.bvh (1.2 MB)".
 */
export async function writeMotion(
  app: App,
  { name, clip }: Pick<Exportable, "name" | "clip">,
  format: Format,
): Promise<string> {
  const encode = {
    bvh: () => clip.toBvh(),
    glb: () => (exportsCharacter(app) ? app.characters.exportGlb(clip) : undefined) ?? clip.toGlb(),
    vrma: () => vrmaOf(clip),
    fbx: async () => fbxOf(clip, exportsCharacter(app) ? await app.characters.exportGlb(clip) : undefined),
  }[format];
  const data = await encode();
  const saved = download(name, format, data, MIME_TYPES[format]);
  const size = typeof data === "string" ? data.length : data.byteLength;
  return `${saved} (${(size / 1e6).toFixed(size < 1e5 ? 2 : 1)} MB)`;
}

/** Exports the result of the current mode as a download. */
export async function save(app: App, format: Format): Promise<void> {
  const exported = app.mode.exportable();
  if (!exported) {
    app.notify("There is nothing to export yet.", "error");
    return;
  }
  try {
    const saved = await writeMotion(app, exported, format);
    exported.onSaved();
    app.notify(`Saved ${saved}.`);
  } catch (error) {
    app.notify(`Export failed: ${sentence(problemOf(error).message)}`, "error");
  }
}
