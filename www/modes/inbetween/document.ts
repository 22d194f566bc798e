/**
 * The document: keys, their ground poses, and the numbers of frames between them. Immutable; every edit returns a
 * new one.
 */
import type { InbetweenOptions } from "kinestitch/worker";
import { newId } from "../../core/ids";
import { CLIP_COLORS } from "../../viewer/palette";
import type { GroundPose } from "../../viewer/handles";
import { FIRST_METHOD, hasOption, type Method } from "./methods";

/** Range of the number of frames of a gap. */
export const [MIN_GAP, MAX_GAP] = [2, 120];

/** A key: frames of a file, and their ground pose. */
export interface Key {
  id: string;
  /** Id of the file in the library. */
  source: string;
  /** Frames of the file, [from, to): one for a pose. */
  from: number;
  to: number;
  /** Ground pose of its first frame; absent: as in its clip, or extrapolated. */
  at?: GroundPose;
  /** Index of its colour, which it keeps when moved. */
  color: number;
}

/** The document of the mode. */
export interface Document {
  readonly keys: readonly Key[];
  /** Number of frames between each key and the next. */
  readonly gaps: readonly number[];
  /** Method that fills gaps. */
  readonly method: Method;
  readonly footLock: boolean;
  /** Seed of the first of the three shown variants (0 is the mean motion), and index of the chosen variant. */
  readonly ways: number;
  readonly way: number;
  /** Path and style of an accepted candidate: points evenly spaced in time, from one key to the other. */
  readonly trail?: { readonly path: readonly (readonly [x: number, z: number])[]; readonly style?: string };
}

/** Number of variants side by side. */
export const VARIANTS = 3;

/** A document without keys. */
export const EMPTY: Document = { keys: [], gaps: [], method: FIRST_METHOD, footLock: true, ways: 1, way: 0 };

/** Number of frames of a new gap. */
const USUAL_GAP = 24;

const within = (value: number, low: number, high: number): number => Math.round(Math.max(low, Math.min(high, value)));

/** The least used colour. */
function freeColor({ keys }: Document): number {
  const times = CLIP_COLORS.map((_, color) => keys.filter((key) => key.color === color).length);
  return times.indexOf(Math.min(...times));
}

/** Adds a key after another, or at the end. */
export function addKey(
  document: Document,
  key: Omit<Key, "id" | "color">,
  after = document.keys.length - 1,
  gap = USUAL_GAP,
): Document {
  const keys = [...document.keys];
  const gaps = [...document.gaps];
  keys.splice(after + 1, 0, { ...key, id: newId("key"), color: freeColor(document) });
  if (keys.length > 1) gaps.splice(Math.min(after + 1, gaps.length), 0, gap);
  return { ...document, keys, gaps };
}

/** Removes a key. */
export function removeKey(document: Document, id: string): Document {
  const at = document.keys.findIndex((key) => key.id === id);
  if (at < 0) return document;
  const gaps = [...document.gaps];
  // The gaps on both sides become one.
  const [before, after] = [gaps[at - 1], gaps[at]];
  if (before !== undefined && after !== undefined) gaps.splice(at - 1, 2, within(before + after, MIN_GAP, MAX_GAP));
  else gaps.splice(Math.max(0, at - 1), 1);
  return { ...document, keys: document.keys.filter((key) => key.id !== id), gaps };
}

/** Changes one key. */
export function changeKey(document: Document, id: string, change: Partial<Omit<Key, "id">>): Document {
  return { ...document, keys: document.keys.map((key) => (key.id === id ? { ...key, ...change } : key)) };
}

/** Places a key, and fixes the others at their present ground poses `spots`. */
export function placeKey(
  document: Document,
  id: string,
  at: GroundPose,
  spots: ReadonlyMap<string, GroundPose | undefined>,
): Document {
  const keys = document.keys.map((key) => {
    const spot = key.id === id ? at : (key.at ?? spots.get(key.id));
    return spot ? { ...key, at: spot } : key;
  });
  return { ...document, keys };
}

/** Uses frames [from, to) of a file of `frames` frames. */
export function useFrames(document: Document, id: string, frames: number, from: number, to: number): Document {
  const first = within(from, 0, frames - 1);
  return changeKey(document, id, { from: first, to: within(to, first + 1, frames) });
}

/** Sets the number of frames of a gap. */
export function setGap(document: Document, index: number, frames: number): Document {
  if (document.gaps[index] === undefined) return document;
  const gaps = document.gaps.map((gap, i) => (i === index ? within(frames, MIN_GAP, MAX_GAP) : gap));
  return { ...document, gaps };
}

/** Moves a key in time: one gap gains the frames that the other loses. */
export function shiftKey(document: Document, id: string, by: number): Document {
  const at = document.keys.findIndex((key) => key.id === id);
  const [before, after] = [document.gaps[at - 1], document.gaps[at]];
  const low = Math.max(
    before === undefined ? -Infinity : MIN_GAP - before,
    after === undefined ? -Infinity : after - MAX_GAP,
  );
  const high = Math.min(
    before === undefined ? Infinity : MAX_GAP - before,
    after === undefined ? Infinity : after - MIN_GAP,
  );
  const moved = within(by, low, high);
  if (before === undefined || moved === 0) return document;
  const gaps = document.gaps.map((gap, i) => (i === at - 1 ? gap + moved : i === at ? gap - moved : gap));
  return { ...document, gaps };
}

/** The document with another of its three variants chosen. */
export const takeVariant = (document: Document, variant: number): Document => ({ ...document, way: variant });

/** A method with its own options from the document. */
export function choiceOf(document: Document, method: Method): Pick<InbetweenOptions, "method" | "timedPath"> {
  const { keys, trail, ways, way } = document;
  const follows = trail !== undefined && keys.length === 2 && hasOption(method, "path");
  if (method === "auto") return { method };
  const seed = ways + way;
  const own = {
    ...(hasOption(method, "seed") && seed > 0 && { seed }),
    ...(follows && { path: trail.path, ...(trail.style !== undefined && { style: trail.style }) }),
  };
  return { method: { name: method, ...own } as InbetweenOptions["method"], ...(follows && { timedPath: true }) };
}

/** The document with three other variants. */
export const otherVariants = (document: Document): Document => ({
  ...document,
  ways: document.ways + VARIANTS,
  way: 0,
});

/** Moves a key to another position in the order. */
export function moveKey(document: Document, id: string, to: number): Document {
  const key = document.keys.find((other) => other.id === id);
  const others = document.keys.filter((other) => other.id !== id);
  const place = within(to, 0, others.length);
  if (!key || document.keys.indexOf(key) === place) return document;
  return { ...document, keys: [...others.slice(0, place), key, ...others.slice(place)] };
}
