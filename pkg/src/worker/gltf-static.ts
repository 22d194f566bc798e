/**
 * Functions for glTF files of the worker script. Everything is imported at once, because some bundlers make one file.
 */
import * as read from "../gltf/read.js";

export { animateGlb, animations, packGlb } from "../gltf/tasks.js";
/** Returns the reader of glTF files, which is bundled with this script. */
export const reader = async (): Promise<typeof read> => read;
