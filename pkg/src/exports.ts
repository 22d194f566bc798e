/** Exports of the entry points `kinestitch` (browsers and Node), `kinestitch/slim` and `kinestitch-single`. */
export * from "./tasks/index.js";
export {
  animateGlb,
  type AnimateOptions,
  type AnimationInfo,
  animations,
  listAnimations,
  packGlb,
} from "./gltf/tasks.js";
export { KinestitchError } from "./core/error.js";
export type * from "./core/types.js";
