/** Clips of the document that can be stitched: loaded, and long enough. The others are left out. */
import type { Library } from "../../core/library";
import { MIN_FRAMES, type Item, type Project } from "./project";

/** Returns the number of frames of a clip after trimming, at the frame rate of its file or, if given, at `fps`. */
function usedFrames({ source, trim }: Item, library: Library, fps?: number): number {
  const info = library.sources.get(source)?.info;
  if (!info) return 0;
  const frames = (trim?.to ?? info.frames) - (trim?.from ?? 0);
  return fps ? Math.round((frames * fps) / info.fps) : frames;
}

const isReady = (item: Item, library: Library): boolean => library.sources.get(item.source)?.state === "ready";

/** Returns the loaded clips that are long enough, both at their own frame rate and at the frame rate of the result. */
export function stitchableItems({ items, fps }: Project, library: Library): Item[] {
  const ready = items.filter((item) => isReady(item, library) && usedFrames(item, library) >= MIN_FRAMES);
  const fpsOfResult = fps ?? (ready[0] && library.sources.get(ready[0].source)?.info?.fps);
  return ready.filter((item) => usedFrames(item, library, fpsOfResult) >= MIN_FRAMES);
}

/** Returns the loaded clips that are left out because they are too short. */
export function tooShortItems(project: Project, library: Library): ReadonlySet<Item> {
  const stitchable = new Set(stitchableItems(project, library));
  return new Set(project.items.filter((item) => isReady(item, library) && !stitchable.has(item)));
}

/** Returns the clips to show: all that can be stitched; if there are none, the first loaded clip. */
export function itemsToShow(project: Project, library: Library): Item[] {
  const stitchable = stitchableItems(project, library);
  return stitchable.length > 0 ? stitchable : project.items.filter((item) => isReady(item, library)).slice(0, 1);
}
