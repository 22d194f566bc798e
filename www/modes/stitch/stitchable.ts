/** Clips of the document that can be stitched: loaded, and long enough. The others are left out. */
import type { Library } from "../../core/library";
import { MIN_FRAMES, type Item, type Project } from "./project";

/** Largest relative difference of frame rates that count as equal, as in src/motion/resample.rs. */
const SAME_RATE = 2e-4;

/** Returns the number of file frames per frame of a motion resampled to `fps`; 1 if both rates are equal. */
export function frameStep(fileFps: number, fps: number): number {
  const step = fileFps / fps;
  return Math.abs(step - 1) <= SAME_RATE ? 1 : step;
}

/** Returns the smallest number of frames of a clip that can be stitched, at the rate of its file and at `fps`. */
export const minFrames = (fileFps: number, fps = fileFps): number =>
  // A clip of n frames has ⌊(n − 1) / step + 1e-6⌋ + 1 frames when `stitch` has resampled it.
  Math.max(MIN_FRAMES, Math.ceil((MIN_FRAMES - 1 - 1e-6) * frameStep(fileFps, fps)) + 1);

const isReady = (item: Item, library: Library): boolean => library.sources.get(item.source)?.state === "ready";

/** Whether a clip is loaded, and long enough after trimming, at its own frame rate and, if given, at `fps`. */
function isLongEnough(item: Item, library: Library, fps?: number): boolean {
  const info = library.sources.get(item.source)?.info;
  if (!info || !isReady(item, library)) return false;
  const { from, to } = item.trim ?? { from: 0, to: info.frames };
  return to - from >= minFrames(info.fps, fps);
}

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
  return project.items.filter((item) => isLongEnough(item, library, fps));
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
