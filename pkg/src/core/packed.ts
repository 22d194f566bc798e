import type { ClipInfo } from "./types.js";

/** A motion as it lies outside of wasm: what can be sent to a worker. */
export interface Packed {
  /** Tells motions apart: two that are equal have two ids. */
  readonly id: string;
  readonly name: string;
  readonly frames: number;
  readonly fps: number;
  readonly kind: ClipInfo["kind"];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What a clip of another entry is asked for its motion by: `undefined` where it was freed. */
export const PACKED = Symbol.for("kinestitch.packed");

/** Symbol of `using`, where the engine knows none the one that compilers put in its place. */
export const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? (Symbol.for("Symbol.dispose") as typeof Symbol.dispose);
