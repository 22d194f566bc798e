/** Exports of the entries `kinestitch` (browsers and Node), `kinestitch/slim` and `kinestitch-single`. */
export * from "./tasks/index.js";
export { animateGlb, type AnimateOptions, animations, packGlb } from "./gltf/tasks.js";
export * from "./core/exports.js";
