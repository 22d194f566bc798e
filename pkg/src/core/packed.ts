import type { ClipInfo } from "./types.js";

/** A motion in ordinary memory, in the form that is sent to a worker. */
export interface Packed {
  /** Identifies a motion: two equal motions have different ids. */
  readonly id: string;
  readonly name: string;
  readonly frames: number;
  readonly fps: number;
  readonly kind: ClipInfo["kind"];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Property of clips by which another entry gets their motion: `undefined` after `free`. */
export const PACKED = Symbol.for("kinestitch.packed");

/** Symbol of `using`, or the replacement that compilers use where the engine has none. */
export const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? (Symbol.for("Symbol.dispose") as typeof Symbol.dispose);
