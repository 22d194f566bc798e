/** Exports of the entry point `kinestitch/worker`, in browsers and Node. */
export {
  bestSeam,
  createController,
  inbetween,
  init,
  loadNetworks,
  loop,
  lscore,
  lscorePath,
  networkInfo,
  networkModels,
  seamMap,
  stitch,
  styles,
} from "./tasks.js";
export { load } from "./load.js";
export { animateGlb, animations, listAnimations, packGlb } from "./gltf.js";
export type { AnimateOptions, AnimationInfo } from "../gltf/tasks.js";
export { clean, replace } from "./edit.js";
export { KinestitchError } from "../core/error.js";
export type * from "../core/types.js";
