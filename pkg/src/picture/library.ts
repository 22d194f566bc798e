/**
 * Writers of picture files. `npm run build` bundles the libraries into this file, so that the package has no
 * dependencies.
 */
export { encode as encodePng } from "fast-png";
export { applyPalette, GIFEncoder, quantize } from "gifenc";
