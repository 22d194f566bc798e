/**
 * The worker script's functions for glTF files, imported statically: some bundlers write a worker script as a single
 * file. `gltf-lazy.ts` replaces this module in builds that can load further scripts.
 */
import * as read from "../gltf/read.js";

export { animateGlb, animations, listAnimations, packGlb } from "../gltf/tasks.js";
/** Returns the reader of glTF files, which is bundled with this script. */
export const reader = async (): Promise<typeof read> => read;
