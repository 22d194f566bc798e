/** Clips made from a clip of the timeline: mirrored, or cut to a loop. Undo restores the former clip, whose file is kept. */
import { loop, problemOf, sentence, type WorkerClip } from "../../core/engine";
import type { Item, Project } from "./project";
import type { Stitch } from "./stitch";

/** The frames of a clip that are used, with the corrections to its bone mapping. */
async function used(mode: Stitch, { source, trim }: Item): Promise<WorkerClip> {
  const { clip } = await mode.app.library.clip(source, mode.project.rigs[source]);
  return trim ? clip.slice(trim.from / clip.fps, trim.to / clip.fps) : clip;
}

/** Replaces the file of an item by the result of `make`, which contains the item's trim. */
async function put(
  mode: Stitch,
  item: Item,
  what: string,
  make: (clip: WorkerClip) => Promise<WorkerClip>,
): Promise<void> {
  const { app } = mode;
  const name = mode.sourceOf(item)?.name ?? "clip";
  try {
    const clip = await make(await used(mode, item));
    const file = new File([await clip.toBvh()], `${name} ${what}.bvh`);
    const { source, settled } = app.library.add(file);
    await settled;
    if (source.state !== "ready") throw new Error(source.problem?.message ?? "the result cannot be read");
    // The item may have been removed meanwhile.
    if (mode.item(item.id)) mode.edit(`${what} ${name}`, (project) => replaced(project, item.id, source.id));
  } catch (error) {
    app.notify(
      `${name} cannot be ${what === "loop" ? "made a loop" : what}: ${sentence(problemOf(error).message)}`,
      "error",
    );
  }
}

/** Replaces the source of an item by a whole clip with the same bone mapping. */
function replaced(project: Project, id: string, source: string): Project {
  const old = project.items.find((item) => item.id === id);
  if (!old) return project;
  const edits = project.rigs[old.source];
  const items = project.items.map((item) => (item.id === id ? { ...item, source, trim: undefined } : item));
  return { ...project, items, rigs: edits ? { ...project.rigs, [source]: edits } : project.rigs };
}

/** Exchanges left and right of a clip. */
export const mirrorClip = (mode: Stitch, item: Item): Promise<void> =>
  put(mode, item, "mirrored", (clip) => clip.mirror());

/** Cuts a clip at two similar poses and closes it into a loop. */
export const loopClip = (mode: Stitch, item: Item): Promise<void> => put(mode, item, "loop", (clip) => loop(clip));
