/** How much a document may hold. */
import type { App } from "./app";

/** Motions that one document may hold, and that are read at once: more would hold up the page. */
export const MOST_MOTIONS = 500;

/** Those of the motions that a document with so many has room for; says so where that is not all. */
export function withinLimit<T>(app: App, motions: readonly T[], held: number): readonly T[] {
  const room = Math.max(0, MOST_MOTIONS - held);
  if (motions.length <= room) return motions;
  app.notify(`${room} of ${motions.length} files were added: there may be ${MOST_MOTIONS} motions at most.`, "error");
  return motions.slice(0, room);
}
