/**
 * Limits of glTF files: larger ones are refused before anything is computed. Limits of skeletons are those of BVH
 * (src/motion/bvh.rs).
 */
import { KinestitchError } from "../core/error.js";

/** Bytes of a file, or of all files it refers to together. */
export const MAX_BYTES = 2 ** 30;
/** Bytes of the JSON chunk of a GLB. A .gltf file may embed its buffers as text; `MAX_TEXT_BYTES` limits it. */
export const MAX_JSON_BYTES = 2 ** 25;
/** Bytes of a glTF document as text, with its embedded data. */
export const MAX_TEXT_BYTES = 2 ** 28;
/** Entries of one list of the document, such as its nodes. */
export const MAX_ENTRIES = 2 ** 17;
/**
 * References from entries to others: children of all nodes together, and channels of all animations together.
 */
export const MAX_REFERENCES = 2 ** 20;
/** Bones of a skeleton, including their ancestors. */
export const MAX_BONES = 4096;
/** Depth of the node hierarchy. */
export const MAX_DEPTH = 512;
/**
 * Bytes of accessors that any file may have beyond its own size: sparse accessors, and accessors without a view, are
 * larger than their data.
 */
export const FREE_BYTES = 2 ** 24;
/**
 * Rotations (bones × frames) that any file may have. The limit grows by four for each byte of its buffers, so that a
 * small file cannot expand without bound.
 */
export const FREE_ROTATIONS = 2 ** 18;
/** Rotations of a motion: joints × frames. */
export const MAX_ROTATIONS = 2 ** 25;
/** Number of files beside a document. */
export const MAX_FILES = 256;

/** The error of a file beyond a limit. */
export function over(what: string, limit: number | string): KinestitchError {
  return new KinestitchError(
    "limit",
    `the file has ${what}; at most ${typeof limit === "number" ? limit.toLocaleString("en") : limit} can be read`,
  );
}
