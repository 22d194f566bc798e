import type { MorphTrack } from "./morphs.js";
import type { ClipInfo } from "./types.js";

/** A motion as bytes in JavaScript memory, in the form that is sent to a worker. */
export interface PackedMotion {
  /** Unique id of the motion; another motion with equal bytes has another id. */
  readonly id: string;
  readonly name: string;
  readonly frames: number;
  readonly fps: number;
  readonly kind: ClipInfo["kind"];
  readonly info: ClipInfo;
  /** Indices of the joints that have a translation in each frame; all others keep their offset. */
  readonly translated: readonly number[];
  /** The motion, in the layout of src/motion/pack.rs. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Tracks of morph targets, if the file has some. */
  readonly morphs?: readonly MorphTrack[];
}

/**
 * Key of the property of a clip that holds its {@link PackedMotion}; functions of all entry points read it. The property
 * is `undefined` after `free`.
 */
export const PACKED = Symbol.for("kinestitch.packed");

/** Key of the method that `using` calls: `Symbol.dispose`, or the symbol that compilers use if the engine has none. */
export const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? (Symbol.for("Symbol.dispose") as typeof Symbol.dispose);
