/** Limits of documents. */
import type { App } from "./app";

/** Largest number of motions in a document, and read at once, so that the page stays responsive. */
export const MOST_MOTIONS = 500;

/** Largest file of a model, bytes, so that the tab does not run out of memory. */
const LARGEST_MODEL = 400 * 2 ** 20;

/** The file of a model; throws where it is too large. */
export function checkedSize(file: File): File {
  const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);
  if (file.size > LARGEST_MODEL)
    throw new Error(`it is ${megabytes(file.size)} MB large; up to ${megabytes(LARGEST_MODEL)} MB are opened`);
  return file;
}

/** The motions that fit into a document with `held` motions; shows a notice where some do not. */
export function withinLimit<T>(app: App, motions: readonly T[], held: number): readonly T[] {
  const room = Math.max(0, MOST_MOTIONS - held);
  if (motions.length <= room) return motions;
  app.notify(`${room} of ${motions.length} files were added: the limit is ${MOST_MOTIONS} motions.`, "error");
  return motions.slice(0, room);
}
