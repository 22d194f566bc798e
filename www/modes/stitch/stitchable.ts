/** Clips of the document that can be stitched: loaded, and long enough. The others are left out. */
import type { Library } from "../../core/library";
import { MIN_FRAMES, type Item, type Project } from "./project";

/** Largest relative difference of frame rates that count as equal, as in src/motion/resample.rs. */
const SAME_RATE = 2e-4;

/**
 * Returns the number of frames of a clip after trimming, at the frame rate of its file or, if given, at `fps`: as many
 * as `stitch` gets by resampling.
 */
function usedFrames({ source, trim }: Item, library: Library, fps?: number): number {
  const info = library.sources.get(source)?.info;
  if (!info) return 0;
  const frames = (trim?.to ?? info.frames) - (trim?.from ?? 0);
  const step = fps ? info.fps / fps : 1;
  return Math.abs(step - 1) <= SAME_RATE ? frames : Math.floor((frames - 1) / step + 1e-6) + 1;
}

const isReady = (item: Item, library: Library): boolean => library.sources.get(item.source)?.state === "ready";

/** Whether a clip is loaded, and long enough at its own frame rate. */
const isLongEnough = (item: Item, library: Library): boolean =>
  isReady(item, library) && usedFrames(item, library) >= MIN_FRAMES;

/** Returns the frame rate of the result: that of the document, else that of the first clip that is long enough. */
export function resultFps({ items, fps }: Project, library: Library): number | undefined {
  const first = fps === undefined ? items.find((item) => isLongEnough(item, library)) : undefined;
  return fps ?? (first && library.sources.get(first.source)?.info?.fps);
}

/** Sets the frame rate of the result (`undefined`: that of the first clip). Blends keep their duration. */
export function withFrameRate(project: Project, fps: number | undefined, library: Library): Project {
  const edited = { ...project, fps };
  const [before, after] = [resultFps(project, library), resultFps(edited, library)];
  return before && after ? { ...edited, blend: (project.blend * after) / before } : edited;
}

/** Returns the loaded clips that are long enough, both at their own frame rate and at the frame rate of the result. */
export function stitchableItems(project: Project, library: Library): Item[] {
  const fps = resultFps(project, library);
  return project.items.filter((item) => isLongEnough(item, library) && usedFrames(item, library, fps) >= MIN_FRAMES);
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
