/**
 * Functions for glTF files of the worker script. They are imported statically, because some bundlers write a worker
 * script as a single file.
 */
import * as read from "../gltf/read.js";

export { animateGlb, animations, packGlb } from "../gltf/tasks.js";
/** Returns the reader of glTF files, which is bundled with this script. */
export const reader = async (): Promise<typeof read> => read;
