/** The functions of the package that are defined as tasks (core/task.ts): the worker can run each of them. */
export { clean } from "./clean.js";
export { createController } from "./control.js";
export { inbetween } from "./inbetween.js";
export { init } from "./init.js";
export { liveInbetween } from "./live-inbetween.js";
export { livePhases } from "./live-phases.js";
export { load } from "./load.js";
export { loop } from "./loop.js";
export { replace } from "./replace.js";
export { bestSeam, lscore, lscorePath, seamMap } from "./lscore.js";
export { loadNetworks, networkInfo, networkModels, styles } from "./networks.js";
export { stitch } from "./stitch.js";
