/**
 * The document: keys, their ground poses, and the numbers of frames between them. Immutable; every edit returns a
 * new one.
 */
import type { InbetweenOptions } from "kinestitch/worker";
import { newId } from "../../core/ids";
import { CLIP_COLORS } from "../../viewer/palette";
import type { GroundPose } from "../../viewer/handles";
import { DEFAULT_METHOD, hasOption, type Method } from "./methods";

/** Range of the number of frames of a gap that the user can set. */
export const [MIN_GAP, MAX_GAP] = [2, 120];
/** Range of the number of frames of the gap of an accepted candidate: the range of the package. */
export const [MIN_CANDIDATE_GAP, MAX_CANDIDATE_GAP] = [1, 480];

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
  /** Seed of the first of the three shown variants (0: the mean motion). */
  readonly firstSeed: number;
  /** Index of the chosen variant. */
  readonly variant: number;
  /** Path and style of an accepted candidate. The points are evenly spaced in time, from one key to the other. */
  readonly accepted?: { readonly path: readonly (readonly [x: number, z: number])[]; readonly style?: string };
}

/** Returns a text that is equal for documents with equal keys, gaps and foot lock, whatever their method. */
export const taskOf = ({ keys, gaps, footLock }: Document): string => JSON.stringify([keys, gaps, footLock]);

/** Number of variants that are shown side by side. */
export const VARIANTS = 3;

/** A document without keys. */
export const EMPTY: Document = { keys: [], gaps: [], method: DEFAULT_METHOD, footLock: true, firstSeed: 1, variant: 0 };

/** Number of frames of a new gap. */
const DEFAULT_GAP = 24;

const roundAndClamp = (value: number, low: number, high: number): number =>
  Math.round(Math.max(low, Math.min(high, value)));

/** Returns the least used colour. */
function freeColor({ keys }: Document): number {
  const useCounts = CLIP_COLORS.map((_, color) => keys.filter((key) => key.color === color).length);
  return useCounts.indexOf(Math.min(...useCounts));
}

/** Adds a key after the key at index `after`, by default at the end. */
export function addKey(
  document: Document,
  key: Omit<Key, "id" | "color">,
  after = document.keys.length - 1,
  gap = DEFAULT_GAP,
): Document {
  const keys = [...document.keys];
  const gaps = [...document.gaps];
  keys.splice(after + 1, 0, { ...key, id: newId("key"), color: freeColor(document) });
  if (keys.length > 1) gaps.splice(Math.min(after + 1, gaps.length), 0, gap);
  return { ...document, keys, gaps };
}

/** Removes a key. */
export function removeKey(document: Document, id: string): Document {
  const index = document.keys.findIndex((key) => key.id === id);
  if (index < 0) return document;
  const gaps = [...document.gaps];
  // The gaps on both sides become one.
  const [gapBefore, gapAfter] = [gaps[index - 1], gaps[index]];
  if (gapBefore !== undefined && gapAfter !== undefined)
    gaps.splice(index - 1, 2, roundAndClamp(gapBefore + gapAfter, MIN_GAP, MAX_GAP));
  else gaps.splice(Math.max(0, index - 1), 1);
  return { ...document, keys: document.keys.filter((key) => key.id !== id), gaps };
}

/** Changes one key. */
export function changeKey(document: Document, id: string, change: Partial<Omit<Key, "id">>): Document {
  return { ...document, keys: document.keys.map((key) => (key.id === id ? { ...key, ...change } : key)) };
}

/** Sets the ground pose of a key. Keys without a ground pose get those in `currentPoses`, so that they do not move. */
export function placeKey(
  document: Document,
  id: string,
  groundPose: GroundPose,
  currentPoses: ReadonlyMap<string, GroundPose | undefined>,
): Document {
  const keys = document.keys.map((key) => {
    const at = key.id === id ? groundPose : (key.at ?? currentPoses.get(key.id));
    return at ? { ...key, at } : key;
  });
  return { ...document, keys };
}

/** Sets the frames [from, to) of a key. `frames`: number of frames of the file. */
export function useFrames(document: Document, id: string, frames: number, from: number, to: number): Document {
  const first = roundAndClamp(from, 0, frames - 1);
  const end = roundAndClamp(to, first + 1, frames);
  const key = document.keys.find((other) => other.id === id);
  return key?.from === first && key.to === end ? document : changeKey(document, id, { from: first, to: end });
}

/** Sets the number of frames of a gap. A gap that is longer than {@link MAX_GAP} can only be shortened. */
export function setGap(document: Document, index: number, frames: number): Document {
  const oldGap = document.gaps[index];
  if (oldGap === undefined) return document;
  const newGap = roundAndClamp(frames, MIN_GAP, Math.max(MAX_GAP, oldGap));
  if (oldGap === newGap) return document;
  const gaps = document.gaps.map((gap, i) => (i === index ? newGap : gap));
  return { ...document, gaps };
}

/**
 * Moves a key in time by `frames`: the gap before it gains the frames that the gap after it loses. The first key stays,
 * because the motion begins with it.
 */
export function shiftKey(document: Document, id: string, frames: number): Document {
  const index = document.keys.findIndex((key) => key.id === id);
  const [gapBefore, gapAfter] = [document.gaps[index - 1], document.gaps[index]];
  const minShift = Math.max(
    gapBefore === undefined ? -Infinity : Math.min(0, MIN_GAP - gapBefore),
    gapAfter === undefined ? -Infinity : Math.min(0, gapAfter - MAX_GAP),
  );
  const maxShift = Math.min(
    gapBefore === undefined ? Infinity : Math.max(0, MAX_GAP - gapBefore),
    gapAfter === undefined ? Infinity : Math.max(0, gapAfter - MIN_GAP),
  );
  const shift = roundAndClamp(frames, minShift, maxShift);
  if (gapBefore === undefined || shift === 0) return document;
  const gaps = document.gaps.map((gap, i) => (i === index - 1 ? gap + shift : i === index ? gap - shift : gap));
  return { ...document, gaps };
}

/** Chooses one of the three variants. */
export const chooseVariant = (document: Document, variant: number): Document => ({ ...document, variant });

/** Returns a method with the options of that method in the document. */
export function choiceOf(document: Document, method: Method): Pick<InbetweenOptions, "method" | "timedPath"> {
  const { keys, accepted, firstSeed, variant } = document;
  const usesPath = accepted !== undefined && keys.length === 2 && hasOption(method, "path");
  if (method === "auto") return { method };
  const seed = firstSeed + variant;
  const options = {
    ...(hasOption(method, "seed") && seed > 0 && { seed }),
    ...(usesPath && { path: accepted.path, ...(accepted.style !== undefined && { style: accepted.style }) }),
  };
  return { method: { name: method, ...options } as InbetweenOptions["method"], ...(usesPath && { timedPath: true }) };
}

/** Replaces the three variants by three new ones. */
export const newVariants = (document: Document): Document => ({
  ...document,
  firstSeed: document.firstSeed + VARIANTS,
  variant: 0,
});

/** Moves a key to an index among the other keys. */
export function moveKey(document: Document, id: string, wantedIndex: number): Document {
  const key = document.keys.find((other) => other.id === id);
  const others = document.keys.filter((other) => other.id !== id);
  const index = roundAndClamp(wantedIndex, 0, others.length);
  if (!key || document.keys.indexOf(key) === index) return document;
  return { ...document, keys: [...others.slice(0, index), key, ...others.slice(index)] };
}
