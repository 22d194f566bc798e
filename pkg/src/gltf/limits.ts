/** Budgets of glTF files: what is larger is refused before anything is computed from it. A skeleton's are those of BVH (src/motion/bvh.rs). */
import { KinestitchError } from "../core/error.js";

/** Bytes of a file, or of all that it names together. */
export const MAX_BYTES = 2 ** 30;
/** Bytes of the JSON of a GLB; that of a glTF file may hold numbers as text, and has `MAX_TEXT_BYTES`. */
export const MAX_JSON_BYTES = 2 ** 25;
export const MAX_TEXT_BYTES = 2 ** 28;
/** Entries of one list of the document, such as its nodes. */
export const MAX_ENTRIES = 2 ** 17;
/** References from one kind of entry to others in the whole document: children of nodes, joints of skins, channels. */
export const MAX_REFERENCES = 2 ** 20;
/** Bones of a skeleton, with all that carries them. */
export const MAX_BONES = 4096;
/** Nodes above each other. */
export const MAX_DEPTH = 512;
/** Bytes that accessors may have beyond those of the file: sparse ones, and those without a view, hold more than is written. */
export const FREE_BYTES = 2 ** 24;
/** Bones times frames that any file may ask for, and for each byte of its buffers four more. */
export const FREE_ROTATIONS = 2 ** 18;
export const MAX_ROTATIONS = 2 ** 25;
/** Files beside a document. */
export const MAX_FILES = 256;

/** The error of a file that is over a budget. */
export function over(what: string, limit: number | string): KinestitchError {
  return new KinestitchError(
    "limit",
    `the file has ${what}; at most ${typeof limit === "number" ? limit.toLocaleString("en") : limit} can be read`,
  );
}
