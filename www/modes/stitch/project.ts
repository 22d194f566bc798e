/** The document: clips, order, trims, and stitching options. Immutable; every edit returns a new one. */
import type { InbetweenMethod, Method, RigEdits, Role, SeamChoice, FrameRange, JoinOptions } from "kinestitch/worker";
import { newId } from "../../core/ids";
import { CLIP_COLORS } from "../../viewer/palette";

/** Clips shorter than this cannot be stitched. */
export const MIN_FRAMES = 10;

/** A clip on the timeline. */
export interface Item {
  id: string;
  /** Id of the file in the library. */
  source: string;
  /** Index of the clip's colour, which it keeps when moved. */
  color: number;
  trim?: FrameRange;
}

/** The document of the mode. */
export interface Project {
  readonly items: readonly Item[];
  readonly method: Method;
  /** Method of the other side of a comparison. */
  readonly compare: Method;
  /** Length of each blend, frames of the result. */
  readonly blend: number;
  /** Number of frames inserted between two clips instead of a blend, and their method; absent: none. */
  readonly gap?: number;
  readonly gapMethod?: InbetweenMethod;
  /** Join options of single seams, by the ids of the two adjacent items. */
  readonly ways: Readonly<Record<string, JoinOptions>>;
  /** Rule that chooses the cuts. */
  readonly seam: SeamChoice;
  /** Largest part of a clip that "auto", "best" and "phase" may cut away at a seam, seconds. */
  readonly maxCut: number;
  readonly footLock: boolean;
  /** Frame rate of the result, frames per second; if absent, the rate of the first clip. */
  readonly fps?: number;
  /** Corrections to the bone mapping, by source. */
  readonly rigs: Readonly<Record<string, RigEdits>>;
}

/** A document without clips. */
export const EMPTY: Project = {
  items: [],
  method: "auto",
  compare: "inertialize",
  blend: 20,
  seam: "keep",
  maxCut: 0.5,
  footLock: true,
  ways: {},
  rigs: {},
};

/** Colours for `count` new items: each time the least used one. */
export function freeColors(project: Project, count: number): number[] {
  const times = CLIP_COLORS.map((_, color) => project.items.filter((item) => item.color === color).length);
  return Array.from({ length: count }, () => {
    const color = times.indexOf(Math.min(...times));
    times[color]++;
    return color;
  });
}

/** Adds items at the end. */
export const append = (project: Project, ...items: Item[]): Project => ({
  ...project,
  items: [...project.items, ...items],
});

/** Removes an item. */
export const remove = (project: Project, id: string): Project => ({
  ...project,
  items: project.items.filter((item) => item.id !== id),
});

/** Inserts a copy of an item after it. */
export function duplicate(project: Project, id: string): Project {
  const at = project.items.findIndex((item) => item.id === id);
  if (at < 0) return project;
  const items = [...project.items];
  items.splice(at + 1, 0, { ...items[at], id: newId("item"), color: freeColors(project, 1)[0] });
  return { ...project, items };
}

/** Repeats an item, to loop a clip. */
export function repeat(project: Project, id: string, times: number): Project {
  let repeated = project;
  for (let i = 1; i < times; i++) repeated = duplicate(repeated, id);
  // Copies of one clip have its colour.
  const color = project.items.find((item) => item.id === id)?.color;
  const known = new Set(project.items.map((item) => item.id));
  return color === undefined
    ? repeated
    : { ...repeated, items: repeated.items.map((item) => (known.has(item.id) ? item : { ...item, color })) };
}

/** Moves an item to an index among the others. */
export function move(project: Project, id: string, to: number): Project {
  const item = project.items.find((other) => other.id === id);
  if (!item) return project;
  const others = project.items.filter((other) => other.id !== id);
  const place = Math.max(0, Math.min(others.length, to));
  if (project.items.indexOf(item) === place) return project;
  return { ...project, items: [...others.slice(0, place), item, ...others.slice(place)] };
}

/** Trims to [from, to), kept inside the clip and at least `MIN_FRAMES` long (or the whole clip, when it is shorter). */
export function trim(project: Project, id: string, frames: number, wanted: Partial<FrameRange>): Project {
  const item = project.items.find((other) => other.id === id);
  if (!item) return project;
  const least = Math.min(MIN_FRAMES, frames);
  const old = item.trim ?? { from: 0, to: frames };
  let { from, to } = { ...old, ...wanted };
  from = Math.round(Math.max(0, Math.min(from, frames - least)));
  to = Math.round(Math.max(least, Math.min(to, frames)));
  if (to - from < least) {
    if (wanted.from !== undefined) from = to - least;
    else to = from + least;
    if (from < 0) [from, to] = [0, least];
  }
  if (from === old.from && to === old.to) return project;
  const whole = from === 0 && to === frames;
  const trimmed = { ...item, trim: whole ? undefined : { from, to } };
  return { ...project, items: project.items.map((other) => (other.id === id ? trimmed : other)) };
}

/** Sets one role of a source's bone mapping; `undefined` goes back to the automatic choice. */
export function mapRole(project: Project, source: string, role: Role, joint: string | null | undefined): Project {
  const edits: RigEdits = { ...project.rigs[source] };
  if (joint === undefined) delete edits[role];
  else edits[role] = joint;
  const rigs = { ...project.rigs };
  if (Object.keys(edits).length) rigs[source] = edits;
  else delete rigs[source];
  return { ...project, rigs };
}

/** Drops every correction of a source's bone mapping. */
export function unmap(project: Project, source: string): Project {
  const rigs = { ...project.rigs };
  delete rigs[source];
  return { ...project, rigs };
}
