/** Reading of glTF files in a worker whose script is one file, as some bundlers make it: nothing is fetched on first need. */
import * as read from "../gltf/read.js";

export { animateGlb, animations, packGlb } from "../gltf/tasks.js";
export const reader = async (): Promise<typeof read> => read;
