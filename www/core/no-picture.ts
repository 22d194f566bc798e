/**
 * Data URL of a PNG of one opaque white pixel, which leaves colours unchanged: for pictures of a model that are missing
 * or must not be loaded.
 */
export const NO_PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAA" +
  "AADUlEQVR42mP4////fwAJ+wP99djxmgAAAABJRU5ErkJggg==";
