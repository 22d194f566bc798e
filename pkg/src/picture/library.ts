/**
 * Encoders of PNG and GIF files. `npm run build` bundles both libraries into dist/picture/library.js, so that users need
 * not install them.
 */
export { encode as encodePng } from "fast-png";
export { applyPalette, GIFEncoder, quantize } from "gifenc";
