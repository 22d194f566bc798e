/** Options and results of edits of one motion. */
import type { Clip } from "./clip-types.js";
import type { InbetweenChoice, InbetweenKey } from "./inbetween-types.js";
import type { Method } from "./stitch-types.js";
import type { TaskOptions } from "./task-types.js";

/** Kinds of changes. */
export const editKinds = ["spike", "dropout", "jitter", "floor", "way", "feet", "replace"] as const;

/** One of {@link editKinds}. */
export type EditKind = (typeof editKinds)[number];

/** Joints that an edit may change: a list of names, or a joint with all its descendants. */
export type EditMask = readonly string[] | { from: string };

/** Options of `clean`. */
export interface CleanOptions extends TaskOptions {
  /** Fills frames in which a joint leaves its path and returns; default true. */
  spikes?: boolean;
  /** Fills frames in which the body stands still and then jumps; default true. */
  dropouts?: boolean;
  /** Strength of the smoothing, 0 to 3: a factor of the measured noise; default 1. */
  jitter?: number;
  /** Strength of the correction of a floor that is too high, too low or tilted, 0 to 1; default 1. */
  floor?: number;
  /** Strength of the correction of a way over the ground that does not fit the steps, 0 to 1; default 1. */
  way?: number;
  /** Strength with which feet on the ground are held, 0 to 1; default 1. */
  feet?: number;
  /** First frame to change; default 0. Floor and way change only in whole motions. */
  from?: number;
  /** Frame after the last one to change; default: the number of frames. */
  to?: number;
  /** Joints to change; default: all. Floor and way change only in whole motions. */
  mask?: EditMask;
  /** Method that fills dropouts, as in `inbetween`; default: the network that `loadNetworks` has loaded, if any. */
  method?: InbetweenChoice;
}

/** Frames `from` (included) to `to` (excluded). */
export interface EditRange {
  /** First frame. */
  from: number;
  /** Frame after the last one. */
  to: number;
}

/**
 * Motion that replaces a span: a clip, or frames `from` to `to` of it, or keys, between which and the rest the frames
 * are made.
 */
export type Replacement = { clip: Clip; from?: number; to?: number } | readonly InbetweenKey[];

/** Options of `replace`. */
export interface ReplaceOptions extends TaskOptions {
  /**
   * Number of frames of each gap, without a clip: default as many as are replaced, in equal parts between the keys.
   */
  frames?: number | readonly number[];
  /**
   * With a clip: whether the motion after the span stays where it is, and the span is bent; by default, it moves rigidly
   * with the end of the span.
   */
  pin?: boolean;
  /** With a clip: how it is joined at both ends, as in `stitch`; default "auto". */
  join?: Method;
  /** Without a clip: method that makes the frames, as in `inbetween`. */
  method?: InbetweenChoice;
  /** Whether feet that touch the ground are held; default true. */
  footLock?: boolean;
}

/** One change of a motion. */
export interface Edit {
  /** Kind of the change. */
  readonly kind: EditKind;
  /** Changed frames; `to` is excluded. */
  readonly range: { from: number; to: number };
  /** Names of the changed joints; empty if the whole body was moved. */
  readonly joints: string[];
  /** The change in words. */
  readonly text: string;
  /** The figure that was wrong, before the change, in `unit`. */
  readonly before: number;
  /** The same figure after the change. */
  readonly after: number;
  /** Unit of `before` and `after`. */
  readonly unit: string;
}

/** Report of an edit. */
export interface EditReport {
  /** The changes; empty if nothing was changed. */
  readonly edits: Edit[];
  /** Warnings, one sentence each. */
  readonly warnings: string[];
}

/** Result of an edit: the motion, and its changes. */
export interface EditedClip extends Clip, EditReport {}
