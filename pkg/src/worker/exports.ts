/** Exports of the entry `kinestitch/worker`, in browsers and Node. */
export {
  bestSeam,
  createController,
  inbetween,
  init,
  load,
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
export { animateGlb, animations, packGlb } from "./gltf.js";
export type { AnimateOptions } from "../gltf/tasks.js";
export * from "../core/exports.js";
