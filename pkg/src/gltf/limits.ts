/**
 * Limits of glTF files; larger files are rejected before they are processed. `MAX_BONES`, `MAX_DEPTH` and
 * `MAX_ROTATIONS` equal the limits of BVH files in src/motion/bvh.rs.
 */
import { KinestitchError } from "../core/error.js";

/** Maximum size of a file, or total size of the files that it refers to, bytes. */
export const MAX_BYTES = 2 ** 30;
/** Maximum size of an FBX file, bytes. */
export const MAX_FBX_BYTES = 2 ** 28;
/** Maximum size of the JSON chunk of a GLB, bytes; for .gltf files, see {@link MAX_TEXT_BYTES}. */
export const MAX_JSON_BYTES = 2 ** 25;
/** Maximum size of a .gltf file, with its embedded buffers, bytes. */
export const MAX_TEXT_BYTES = 2 ** 28;
/** Maximum number of elements of a list of the document, such as its nodes. */
export const MAX_ENTRIES = 2 ** 17;
/**
 * Maximum number of references of one kind: children of all nodes, or channels and samplers of all animations, or
 * attributes of all meshes.
 */
export const MAX_REFERENCES = 2 ** 20;
/** Maximum number of bones of a skeleton, including their ancestors. */
export const MAX_BONES = 4096;
/** Maximum depth of the node hierarchy. */
export const MAX_DEPTH = 512;
/**
 * Number of bytes by which the values of all accessors may exceed the stored data. Sparse accessors, accessors without
 * a buffer view and overlapping accessors have more values than stored data.
 */
export const EXPANSION_BYTES = 2 ** 24;
/**
 * Maximum number of rotations (bones × frames) of a file without buffers. The limit grows by four per byte of the
 * buffers, so that a small file cannot become an arbitrarily large motion.
 */
export const BASE_ROTATIONS = 2 ** 18;
/** Maximum number of rotations of a motion: bones × frames. */
export const MAX_ROTATIONS = 2 ** 25;
/** Maximum number of files that a document refers to. */
export const MAX_FILES = 256;

/** Creates the error for a file that exceeds a limit. `content`: the excessive content, such as "5,000 bones". */
export function limitError(content: string, limit: number | string): KinestitchError {
  return new KinestitchError(
    "limit",
    `the file has ${content}; at most ${typeof limit === "number" ? limit.toLocaleString("en") : limit} can be read`,
  );
}
