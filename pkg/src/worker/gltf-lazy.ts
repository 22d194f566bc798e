/**
 * As `gltf-static.ts`, loaded on first need: for builds whose workers may load further scripts, such as the site's.
 */
import type * as gltf from "../gltf/tasks.js";
import type * as read from "../gltf/read.js";

const tasks = (): Promise<typeof gltf> => import("../gltf/tasks.js");

export const reader = (): Promise<typeof read> => import("../gltf/read.js");
export const animations: typeof gltf.animations = async (...args) => (await tasks()).animations(...args);
export const animateGlb: typeof gltf.animateGlb = async (...args) => (await tasks()).animateGlb(...args);
export const packGlb: typeof gltf.packGlb = async (...args) => (await tasks()).packGlb(...args);
