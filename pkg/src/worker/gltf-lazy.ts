/**
 * Exports of `gltf-static.ts`, but their code is loaded on first use: for builds whose workers may load further
 * scripts, such as the build of the site.
 */
import type * as gltf from "../gltf/tasks.js";
import type * as read from "../gltf/read.js";

const tasks = (): Promise<typeof gltf> => import("../gltf/tasks.js");

/** Loads the reader of glTF files when it is first needed. */
export const reader = (): Promise<typeof read> => import("../gltf/read.js");
/** `animations` of the package; its code is loaded on first need. */
export const animations: typeof gltf.animations = async (...args) => (await tasks()).animations(...args);
/** `animateGlb` of the package; its code is loaded on first need. */
export const animateGlb: typeof gltf.animateGlb = async (...args) => (await tasks()).animateGlb(...args);
/** `listAnimations` of the package; its code is loaded on first need. */
export const listAnimations: typeof gltf.listAnimations = async (...args) => (await tasks()).listAnimations(...args);
/** `packGlb` of the package; its code is loaded on first need. */
export const packGlb: typeof gltf.packGlb = async (...args) => (await tasks()).packGlb(...args);
