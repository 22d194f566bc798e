/** Reader of glTF files for a worker script in one file, as some bundlers make it: nothing is loaded later. */
import * as read from "../gltf/read.js";

export { animateGlb, animations, packGlb } from "../gltf/tasks.js";
/** The reader of glTF files, bundled with this script. */
export const reader = async (): Promise<typeof read> => read;
