/** Encodes drawings as PNG and GIF files. */
import type { Drawing } from "./drawing.js";
import { applyPalette, encodePng, GIFEncoder, quantize } from "./library.js";
import { rasterize } from "./raster.js";

/** Number of colours in a GIF: the inks, and their blends with white. */
const COLOURS = 64;

/** Encodes one picture as a PNG file. */
export function encodePngFile(drawing: Drawing): Uint8Array {
  const { width, height } = drawing;
  return encodePng({ width, height, data: rasterize(drawing), channels: 4, depth: 8 });
}

/** Encodes pictures of equal size as a GIF file that loops forever. */
export function encodeGifFile(pictures: readonly Drawing[], seconds: number): Uint8Array {
  const file = GIFEncoder();
  // GIF delays are hundredths of a second, and browsers slow down delays below two.
  const delay = Math.max(20, Math.round((seconds * 100) / pictures.length) * 10);
  // All pictures have the same inks.
  const palette = quantize(pictures[0] ? rasterize(pictures[0]) : new Uint8Array(4), COLOURS);
  // One image at a time: all of them may need gigabytes.
  for (const picture of pictures) {
    const { width, height } = picture;
    file.writeFrame(applyPalette(rasterize(picture), palette), width, height, { palette, delay, repeat: 0 });
  }
  file.finish();
  return file.bytes();
}
