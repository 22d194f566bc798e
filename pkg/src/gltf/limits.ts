/**
 * Limits of glTF files; larger files are rejected before they are processed. `MAX_BONES`, `MAX_DEPTH` and
 * `MAX_ROTATIONS` equal the limits of BVH files in src/motion/bvh.rs.
 */
import { KinestitchError } from "../core/error.js";

/** Bytes of a file, or total bytes of the files that it refers to. */
export const MAX_BYTES = 2 ** 30;
/** Bytes of the JSON chunk of a GLB. A .gltf file may embed its buffers as text; `MAX_TEXT_BYTES` limits it. */
export const MAX_JSON_BYTES = 2 ** 25;
/** Bytes of a glTF document as text, with its embedded data. */
export const MAX_TEXT_BYTES = 2 ** 28;
/** Elements of one array of the document, such as its nodes. */
export const MAX_ENTRIES = 2 ** 17;
/**
 * References between elements: children of all nodes, or channels and samplers of all animations, or attributes of all
 * meshes; each of these totals is limited.
 */
export const MAX_REFERENCES = 2 ** 20;
/** Bones of a skeleton, including their ancestors. */
export const MAX_BONES = 4096;
/** Depth of the node hierarchy. */
export const MAX_DEPTH = 512;
/**
 * Bytes by which accessors may exceed the stored data. Sparse accessors, accessors without a buffer view and
 * overlapping accessors are larger than their data.
 */
export const EXPANSION_BYTES = 2 ** 24;
/**
 * Rotations (bones × frames) that any file may have. The limit grows by four per byte of its buffers, so that a
 * small file cannot expand without bound.
 */
export const BASE_ROTATIONS = 2 ** 18;
/** Rotations of a motion: bones × frames. */
export const MAX_ROTATIONS = 2 ** 25;
/** Number of files that a document refers to. */
export const MAX_FILES = 256;

/** Creates the error for a file that exceeds a limit. `content`: the excessive content, such as "5,000 bones". */
export function limitError(content: string, limit: number | string): KinestitchError {
  return new KinestitchError(
    "limit",
    `the file has ${content}; at most ${typeof limit === "number" ? limit.toLocaleString("en") : limit} can be read`,
  );
}
