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
  /** Method of side B of a comparison. */
  readonly compare: Method;
  /** Length of each blend, frames of the result; a fraction if its duration is no whole number of frames. */
  readonly blend: number;
  /** Number of frames inserted between two clips instead of a blend, and their method; absent: none. */
  readonly gap?: number;
  readonly gapMethod?: InbetweenMethod;
  /** Join options of single seams, by the ids of the two items (see `pairKey`). */
  readonly joins: Readonly<Record<string, JoinOptions>>;
  /** Rule that chooses the cuts. */
  readonly seam: SeamChoice;
  /** Maximum time that "auto" and the cut rules "best" and "phase" may cut away from each clip at a seam, seconds. */
  readonly maxCut: number;
  readonly footLock: boolean;
  /** Frame rate of the result, frames per second; if absent, the rate of the first clip. */
  readonly fps?: number;
  /** Corrections to the bone mapping, by source. */
  readonly rigs: Readonly<Record<string, RigEdits>>;
}

/** Largest `maxCut` that the page offers, seconds. */
export const MAX_CUT_SECS = 5;

/** A document without clips. */
export const EMPTY: Project = {
  items: [],
  method: "auto",
  compare: "inertialize",
  blend: 20,
  seam: "keep",
  maxCut: 0.5,
  footLock: true,
  joins: {},
  rigs: {},
};

/** Returns colours for `count` new items, each time the least used colour. */
export function freeColors(project: Project, count: number): number[] {
  const useCounts = CLIP_COLORS.map((_, color) => project.items.filter((item) => item.color === color).length);
  return Array.from({ length: count }, () => {
    const color = useCounts.indexOf(Math.min(...useCounts));
    useCounts[color]++;
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
  const index = project.items.findIndex((item) => item.id === id);
  if (index < 0) return project;
  const items = [...project.items];
  items.splice(index + 1, 0, { ...items[index], id: newId("item"), color: freeColors(project, 1)[0] });
  return { ...project, items };
}

/** Inserts copies of an item after it, so that it occurs `times` times. */
export function repeat(project: Project, id: string, times: number): Project {
  let repeated = project;
  for (let i = 1; i < times; i++) repeated = duplicate(repeated, id);
  // Copies of one clip have its colour.
  const color = project.items.find((item) => item.id === id)?.color;
  const existingIds = new Set(project.items.map((item) => item.id));
  return color === undefined
    ? repeated
    : { ...repeated, items: repeated.items.map((item) => (existingIds.has(item.id) ? item : { ...item, color })) };
}

/** Moves an item to an index among the other items. */
export function move(project: Project, id: string, wantedIndex: number): Project {
  const item = project.items.find((other) => other.id === id);
  if (!item) return project;
  const others = project.items.filter((other) => other.id !== id);
  const index = Math.max(0, Math.min(others.length, wantedIndex));
  if (project.items.indexOf(item) === index) return project;
  return { ...project, items: [...others.slice(0, index), item, ...others.slice(index)] };
}

/**
 * Trims an item to frames [from, to) of its clip, which has `frames` frames. Keeps at least `MIN_FRAMES` frames, or the
 * whole clip if it is shorter.
 */
export function trim(project: Project, id: string, frames: number, wanted: Partial<FrameRange>): Project {
  const item = project.items.find((other) => other.id === id);
  if (!item) return project;
  const minFrames = Math.min(MIN_FRAMES, frames);
  const old = item.trim ?? { from: 0, to: frames };
  let { from, to } = { ...old, ...wanted };
  from = Math.round(Math.max(0, Math.min(from, frames - minFrames)));
  to = Math.round(Math.max(minFrames, Math.min(to, frames)));
  if (to - from < minFrames) {
    if (wanted.from !== undefined) from = to - minFrames;
    else to = from + minFrames;
    if (from < 0) [from, to] = [0, minFrames];
  }
  if (from === old.from && to === old.to) return project;
  const isWhole = from === 0 && to === frames;
  const trimmed = { ...item, trim: isWhole ? undefined : { from, to } };
  return { ...project, items: project.items.map((other) => (other.id === id ? trimmed : other)) };
}

/** Sets one role of a source's bone mapping; `undefined` restores the inferred joint. */
export function mapRole(project: Project, source: string, role: Role, joint: string | null | undefined): Project {
  const edits: RigEdits = { ...project.rigs[source] };
  if (joint === undefined) delete edits[role];
  else edits[role] = joint;
  const rigs = { ...project.rigs };
  if (Object.keys(edits).length) rigs[source] = edits;
  else delete rigs[source];
  return { ...project, rigs };
}

/** Removes all corrections of a source's bone mapping. */
export function resetMapping(project: Project, source: string): Project {
  const rigs = { ...project.rigs };
  delete rigs[source];
  return { ...project, rigs };
}
