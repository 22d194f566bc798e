/** Limits of documents. */
import type { App } from "./app";

/** Largest number of motions in a document, and read at once, so that the page stays responsive. */
export const MAX_MOTIONS = 500;

/** Largest file of a model, bytes, so that the tab does not run out of memory. */
const MAX_MODEL_BYTES = 400 * 2 ** 20;

/** The file of a model; throws where it is too large. */
export function checkModelSize(file: File): File {
  const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);
  if (file.size > MAX_MODEL_BYTES)
    throw new Error(`it is ${megabytes(file.size)} MB large; up to ${megabytes(MAX_MODEL_BYTES)} MB are opened`);
  return file;
}

/** The motions that fit into a document with `held` motions; shows a notice where some do not. */
export function limitMotions<T>(app: App, motions: readonly T[], existing: number): readonly T[] {
  const room = Math.max(0, MAX_MOTIONS - existing);
  if (motions.length <= room) return motions;
  app.notify(`${room} of ${motions.length} files were added: the limit is ${MAX_MOTIONS} motions.`, "error");
  return motions.slice(0, room);
}
