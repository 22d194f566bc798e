/** File access of a package entry point: on the caller's thread, even if a worker computes. */
import { KinestitchError } from "./error.js";
import type { ReadBeside } from "../gltf/outside.js";
import type { MotionData } from "./motion-types.js";
import type { Clip, TaskOptions } from "./types.js";

/** Reads a URL (and, in Node, a path). */
export type ReadLocation = (location: string | URL, options: TaskOptions) => Promise<Uint8Array>;

/** Reader and writer of glTF files, loaded on first need. */
export type GltfReader = Pick<
  typeof import("../gltf/read.js"),
  "readAllGltf" | "readGltf" | "readCharacter" | "computeTracks" | "addAnimation" | "addMorphs"
>;

/** File access of an entry. */
export interface Files {
  /** Reads a URL (and, in Node, a path). */
  read: ReadLocation;
  /** Reads files in the folder of a document; absent on platforms without folders. */
  readBeside?: ReadBeside;
  /** Loads the reader and writer of glTF files. */
  gltf(): Promise<GltfReader>;
  /** Converts an FBX file to a GLB; absent on platforms that cannot. */
  readFbx?(file: Uint8Array, options: TaskOptions): Promise<Uint8Array>;
  /** The entry's `load`. */
  load(data: MotionData): Promise<Clip>;
}

let provided: Files | undefined;
let isFallbackProvided = false;

/**
 * Registers the file access of an entry. If several entries are imported, the access of the first one is used; that of a
 * fallback (the entry has no files, such as `kinestitch/slim`) only until another entry is imported.
 */
export function provideFiles(files: Files, isFallback = false): void {
  if (provided && (isFallback || !isFallbackProvided)) return;
  provided = files;
  isFallbackProvided = isFallback;
}

/** Returns the reader of files in the folder of a document, if the entry has one. */
export const besideReader = (): ReadBeside | undefined => provided?.readBeside;

/**
 * Returns the registered file access.
 *
 * @throws {KinestitchError} `wasm` if no entry was imported.
 */
export function files(): Files {
  if (!provided)
    throw new KinestitchError("wasm", 'no entry of kinestitch is loaded; import "kinestitch" or "kinestitch/worker"');
  return provided;
}
