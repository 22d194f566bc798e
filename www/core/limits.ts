/** Limits of documents and files. */
import type { App } from "./app";

/** Maximum number of motions in a document, so that the page stays responsive. */
export const MAX_MOTIONS = 500;

/** Maximum size of the file of a 3D model, bytes, so that the tab does not run out of memory. */
const MAX_MODEL_BYTES = 400 * 2 ** 20;

/**
 * Returns the file of a 3D model (GLB or FBX) unchanged. If it is too large, throws an error whose message is shown to
 * the user.
 */
export function checkModelSize(file: File): File {
  // Rounded up: a file that is one byte too large must not have the size of the limit.
  const megabytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20);
  if (file.size > MAX_MODEL_BYTES)
    throw new Error(`its size is ${megabytes(file.size)} MB; the limit is ${megabytes(MAX_MODEL_BYTES)} MB`);
  return file;
}

/** Returns the motions that fit into a document with `existing` motions. Shows a notice if some do not fit. */
export function limitMotions<T>(app: App, motions: readonly T[], existing: number): readonly T[] {
  const room = Math.max(0, MAX_MOTIONS - existing);
  if (motions.length <= room) return motions;
  app.notify(`${room} of ${motions.length} motions were added: the limit is ${MAX_MOTIONS}.`, "error");
  return motions.slice(0, room);
}
