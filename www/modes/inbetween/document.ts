/** The document: which keys, where they stand, how many frames lie between them. Immutable; every edit returns a new one. */
import type { InbetweenMethod, InbetweenOptions } from "kinestitch/worker";
import { newId } from "../../core/ids";
import { CLIP_COLORS } from "../../viewer/palette";
import type { Spot } from "../../viewer/handles";

/** Frames a gap may have. */
export const [MIN_GAP, MAX_GAP] = [2, 120];

export interface Key {
  id: string;
  /** Id of the file in the library. */
  source: string;
  /** Frames of the file, [from, to): one for a pose. */
  from: number;
  to: number;
  /** Where its first frame stands; absent: where its clip has it, or where the motion leads. */
  at?: Spot;
  /** Index of its colour; it keeps it when moved. */
  color: number;
}

export interface Document {
  readonly keys: readonly Key[];
  /** Frames between each key and the next. */
  readonly gaps: readonly number[];
  /** How gaps are filled: a method of the package. */
  readonly method: InbetweenMethod;
  readonly footLock: boolean;
  /** Which of a network's ways are shown, the first of three, and which of the three is taken. */
  readonly ways: number;
  readonly way: number;
  /** What "dcmoe" is told, where a candidate was taken: points evenly spaced in time, and a style. They lead from one key to another. */
  readonly trail?: { readonly path: readonly (readonly [x: number, z: number])[]; readonly style?: string };
}

/** Ways side by side. */
export const WAYS = 3;

export const EMPTY: Document = { keys: [], gaps: [], method: "inertialize", footLock: true, ways: 1, way: 0 };

/** Of a new gap. */
const USUAL_GAP = 24;

const within = (value: number, low: number, high: number): number => Math.round(Math.max(low, Math.min(high, value)));

/** The colour used least. */
function freeColor({ keys }: Document): number {
  const times = CLIP_COLORS.map((_, color) => keys.filter((key) => key.color === color).length);
  return times.indexOf(Math.min(...times));
}

/** Puts a key behind another, or at the end. */
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

export function removeKey(document: Document, id: string): Document {
  const at = document.keys.findIndex((key) => key.id === id);
  if (at < 0) return document;
  const gaps = [...document.gaps];
  // What lay on both sides becomes one gap.
  const [before, after] = [gaps[at - 1], gaps[at]];
  if (before !== undefined && after !== undefined) gaps.splice(at - 1, 2, within(before + after, MIN_GAP, MAX_GAP));
  else gaps.splice(Math.max(0, at - 1), 1);
  return { ...document, keys: document.keys.filter((key) => key.id !== id), gaps };
}

/** Changes one key. */
export function changeKey(document: Document, id: string, change: Partial<Omit<Key, "id">>): Document {
  return { ...document, keys: document.keys.map((key) => (key.id === id ? { ...key, ...change } : key)) };
}

/** Puts a key somewhere, and keeps the others at `spots`, where they stand now. */
export function placeKey(
  document: Document,
  id: string,
  at: Spot,
  spots: ReadonlyMap<string, Spot | undefined>,
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

/** Sets the frames of a gap. */
export function setGap(document: Document, index: number, frames: number): Document {
  if (document.gaps[index] === undefined) return document;
  const gaps = document.gaps.map((gap, i) => (i === index ? within(frames, MIN_GAP, MAX_GAP) : gap));
  return { ...document, gaps };
}

/** Moves a key in time: what one side loses the other gains. */
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

/** The document with another of its three ways taken. */
export const takeWay = (document: Document, way: number): Document => ({ ...document, way });

/** The seed of the way that is taken; `undefined` for methods with one answer. */
export const seedOf = ({ ways, way }: Document, method: InbetweenMethod): number | undefined =>
  method === "manifold" ? ways + way : undefined;

/** What a method is told beside the keys. */
export function toldOf(
  document: Document,
  method: InbetweenMethod,
): Pick<InbetweenOptions, "seed" | "path" | "paced" | "style"> {
  const { keys, trail } = document;
  const seed = seedOf(document, method);
  if (seed !== undefined) return { seed };
  if (method !== "dcmoe" || !trail || keys.length !== 2) return {};
  return { path: trail.path, paced: true, ...(trail.style !== undefined && { style: trail.style }) };
}

/** The document with three other ways. */
export const otherWays = (document: Document): Document => ({ ...document, ways: document.ways + WAYS, way: 0 });

/** Moves a key to another place in the row. */
export function moveKey(document: Document, id: string, to: number): Document {
  const key = document.keys.find((other) => other.id === id);
  const others = document.keys.filter((other) => other.id !== id);
  const place = within(to, 0, others.length);
  if (!key || document.keys.indexOf(key) === place) return document;
  return { ...document, keys: [...others.slice(0, place), key, ...others.slice(place)] };
}
