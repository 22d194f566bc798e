/** Types of the package, collected from one file per topic. */
export type * from "./clip-types.js";
export * from "./control-types.js";
export type * from "./cut-types.js";
export type * from "./ground-types.js";
export type * from "./heading-types.js";
export * from "./inbetween-types.js";
export * from "./edit-types.js";
export * from "./loop-types.js";
export type * from "./motion-types.js";
export * from "./network-types.js";
export * from "./phase-types.js";
export type * from "./rig-types.js";
export * from "./stitch-types.js";
export type * from "./task-types.js";
import type { LengthUnit } from "./clip-types.js";
import type { MotionData } from "./motion-types.js";
import type { NetworkOptions } from "./network-types.js";
import type { RigEdits } from "./rig-types.js";
import type { Method } from "./stitch-types.js";
import type { TaskOptions } from "./task-types.js";

/**
 * Inputs of `load`: a BVH, GLB, glTF or (in Node) FBX file as text, bytes, File or Blob, or its URL (in Node also a path); or a motion
 * as plain values.
 */
export type Input = string | URL | Blob | ArrayBuffer | Uint8Array | MotionData;

/**
 * Reads a file that a glTF document refers to, by its address in the document: "walk.bin", "../textures/skin.png",
 * "https://…". If the document is not trusted, check the address before fetching it. Return `undefined` to refuse the
 * file.
 */
export type ResolveFile = (address: string) => FileBytes | undefined | Promise<FileBytes | undefined>;

/** Contents of a file. */
export type FileBytes = Uint8Array | ArrayBuffer | Blob;

/** Options of all functions that read glTF files. */
export interface FileOptions extends TaskOptions {
  /**
   * Reads the files that a glTF document refers to. Default: `data:` addresses, and in Node files in the document's
   * folder and below; never the network.
   */
  resolve?: ResolveFile;
}

/** Value of the option `animation` of `load` that gives a clip of each animation. */
export const ALL_ANIMATIONS = "all";

/** Options for BVH files: corrections to what `info().guesses` reports, and the treatment of damage. */
export interface BvhOptions {
  /** Unit of length: a name, or the number of metres. Default: decided from the size of the body. */
  unit?: LengthUnit | number;
  /** Axis that points up. Default: decided from the rest pose, the floor of the motion, and the joint names. */
  up?: "Y" | "Z";
  /** Whether the position channels of the root replace its OFFSET or are added to it. Default: decided from the motion. */
  rootOffset?: "replace" | "add";
  /** Name of the body to read, one of `info().bodies`. Default: the first body, with everything that is no body. */
  root?: string;
  /** Refuses a damaged file; by default it is read as far as it is sound, with warnings. */
  strict?: boolean;
}

/** Options of `load`. */
export interface LoadOptions extends FileOptions, BvhOptions {
  /** Display name; default: the file name without its extension. */
  name?: string;
  /** Corrections to the automatic bone mapping; `null` unmaps a role. */
  rig?: RigEdits;
  /**
   * For GLB, glTF and FBX: name of the animation; default: the first animation. "all" gives a list with a clip of each.
   * See `listAnimations`.
   */
  animation?: string;
}

/**
 * Stable identifiers of errors.
 *
 * - `bvh`: a BVH file violates the format.
 * - `limit`: an input is too large, or there is no memory for the computation.
 * - `skeleton`: the joints of a motion do not form trees with parents before children.
 * - `clip`: the values of a motion do not fit its skeleton or are not finite, or the clip was freed.
 * - `too-short`: a clip has too few frames.
 * - `rig`: a role that the function needs is not mapped to a joint, or the mapping is wrong.
 * - `option`: an argument or an option is invalid.
 * - `glb`: a GLB or glTF file is damaged or not supported.
 * - `fbx`: an FBX file is damaged, takes too long to read, or cannot be read here.
 * - `weights`: the manifest or a file of a network is missing or damaged.
 * - `device`: the requested device for networks is missing, or was lost.
 * - `aborted`: the caller aborted the computation.
 * - `fetch`: a URL or a path cannot be read.
 * - `wasm`: a wasm module cannot be loaded, lacks a function, or crashed because of a bug of this package.
 */
export type ErrorCode =
  | "bvh"
  | "limit"
  | "skeleton"
  | "clip"
  | "too-short"
  | "rig"
  | "option"
  | "glb"
  | "fbx"
  | "weights"
  | "device"
  | "aborted"
  | "fetch"
  | "wasm";

/** A wasm file: its URL, or its contents. */
export type WasmSource = URL | string | Response | ArrayBuffer | WebAssembly.Module;

/** Options of `init`: locations of files, settings of networks, and the default method. */
export interface InitOptions {
  /** The wasm module; default: the file of this package. */
  wasm?: WasmSource;
  /** Settings of the networks; no network is loaded. */
  networks?: NetworkOptions;
  /** Default method of `stitch`; default "auto". */
  method?: Method;
  /**
   * URL of the worker script, `worker-host.js` of this package, for bundlers that do not copy it. Only
   * `kinestitch/worker` uses it.
   */
  worker?: URL | string;
}
