/** Clips of the document that can be stitched: loaded, and long enough. The others are left out. */
import type { Library } from "../../core/library";
import { MIN_FRAMES, type Item, type Project } from "./project";

/** Used frames of the file, at its own rate or another. */
function length({ source, trim }: Item, library: Library, fps?: number): number {
  const info = library.sources.get(source)?.info;
  if (!info) return 0;
  const used = (trim?.to ?? info.frames) - (trim?.from ?? 0);
  return fps ? Math.round((used * fps) / info.fps) : used;
}

const isReady = (item: Item, library: Library): boolean => library.sources.get(item.source)?.state === "ready";

/** Clips that are long enough at the rate of the result. */
export function usable({ items, fps }: Project, library: Library): Item[] {
  const ready = items.filter((item) => isReady(item, library) && length(item, library) >= MIN_FRAMES);
  const rate = fps ?? (ready[0] && library.sources.get(ready[0].source)?.info?.fps);
  return ready.filter((item) => length(item, library, rate) >= MIN_FRAMES);
}

/** Loaded clips that are left out because they are too short. */
export function tooShort(project: Project, library: Library): ReadonlySet<Item> {
  const used = new Set(usable(project, library));
  return new Set(project.items.filter((item) => isReady(item, library) && !used.has(item)));
}

/** Shown clips: all that can be stitched, or, if there are none, the first clip unchanged. */
export function shown(project: Project, library: Library): Item[] {
  const found = usable(project, library);
  return found.length > 0 ? found : project.items.filter((item) => isReady(item, library)).slice(0, 1);
}
