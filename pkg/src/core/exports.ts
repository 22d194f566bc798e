/** Error, constants and types that every complete entry exports. */
export { KinestitchError } from "./error.js";
export {
  cycleChoices,
  devices,
  inbetweenMethods,
  inbetweenSpeeds,
  methodDefaults,
  methods,
  methodTexts,
  networkMethods,
  networkTasks,
  usualNetwork,
} from "./types.js";
export type * from "./types.js";
