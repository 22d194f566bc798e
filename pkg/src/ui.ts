/**
 * Entry point `kinestitch/ui`: names, labels and defaults for menus and forms. It loads no wasm module.
 * @module kinestitch/ui
 */
export {
  characters,
  cycleChoices,
  defaultBlend,
  defaultNetwork,
  devices,
  editKinds,
  inbetweenMethods,
  inbetweenSpeeds,
  methodDefaults,
  methods,
  methodTexts,
  networkMethods,
  networkTasks,
  seamChoices,
} from "./core/types.js";
