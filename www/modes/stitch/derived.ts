/** Replaces a clip of the timeline by a derived clip: mirrored, cleaned, or cut to a loop. Undo restores the original clip. */
import { clean, loop, problemOf, sentence, type Clip } from "../../core/engine";
import type { Item, Project } from "./project";
import type { Stitch } from "./stitch";

/** Returns the used frames of an item as a clip, with the corrections to its bone mapping. */
async function trimmedClip(mode: Stitch, { source, trim }: Item): Promise<Clip> {
  const { clip } = await mode.app.library.clip(source, mode.project.rigs[source]);
  return trim ? clip.slice(trim.from / clip.fps, trim.to / clip.fps) : clip;
}

/** Replaces the file of an item by the clip that `derive` returns. `change`: name of the change. */
async function replaceByDerived(
  mode: Stitch,
  item: Item,
  change: "mirrored" | "loop" | "cleaned",
  derive: (clip: Clip) => Promise<Clip | undefined>,
): Promise<void> {
  const { app } = mode;
  const name = mode.sourceOf(item)?.name ?? "clip";
  try {
    const clip = await derive(await trimmedClip(mode, item));
    if (!clip) return;
    const file = new File([await clip.toBvh()], `${name} ${change}.bvh`);
    const { source, settled } = app.library.add(file);
    await settled;
    if (source.state !== "ready") throw new Error(source.problem?.message ?? "the result cannot be read");
    // The item may have been removed meanwhile.
    if (mode.item(item.id)) mode.edit(`${change} ${name}`, (project) => replaceSource(project, item.id, source.id));
  } catch (error) {
    app.notify(
      `${name} cannot be ${change === "loop" ? "made a loop" : change}: ${sentence(problemOf(error).message)}`,
      "error",
    );
  }
}

/** Replaces the source of an item; the new source has the same bone mapping and is used without a trim. */
function replaceSource(project: Project, id: string, source: string): Project {
  const item = project.items.find((item) => item.id === id);
  if (!item) return project;
  const edits = project.rigs[item.source];
  const items = project.items.map((other) => (other.id === id ? { ...other, source, trim: undefined } : other));
  return { ...project, items, rigs: edits ? { ...project.rigs, [source]: edits } : project.rigs };
}

/** Replaces a clip by its mirror image. */
export const mirrorClip = (mode: Stitch, item: Item): Promise<void> =>
  replaceByDerived(mode, item, "mirrored", (clip) => clip.mirror());

/** Replaces a clip by a loop: cuts it at two similar poses and closes it. */
export const loopClip = (mode: Stitch, item: Item): Promise<void> =>
  replaceByDerived(mode, item, "loop", (clip) => loop(clip));

/** Number of changes that a message lists. */
const LISTED_EDITS = 4;

/** Replaces a clip by a clean one: spikes, jitter, sliding feet and other faults are mended. Lists the changes. */
export const cleanClip = (mode: Stitch, item: Item): Promise<void> =>
  replaceByDerived(mode, item, "cleaned", async (clip) => {
    const cleaned = await clean(clip);
    const { edits } = cleaned;
    const name = mode.sourceOf(item)?.name ?? "clip";
    if (edits.length === 0) {
      mode.app.notify(`${name}: nothing to mend.`);
      return undefined;
    }
    const listed = edits
      .slice(0, LISTED_EDITS)
      .map(({ text, range }) => `${text} (frames ${range.from + 1} to ${range.to})`);
    const more = edits.length > LISTED_EDITS ? `; and ${edits.length - LISTED_EDITS} more` : "";
    mode.app.notify(`${name}: ${listed.join("; ")}${more}. Undo brings the original back.`);
    return cleaned;
  });
