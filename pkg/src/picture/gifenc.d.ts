/** Types of the used part of gifenc, which ships none. */
declare module "gifenc" {
  /** Colours, red, green and blue each. */
  export type Palette = number[][];
  /** The best palette of at most `colours` for an image of RGBA bytes. */
  export function quantize(image: Uint8Array, colours: number): Palette;
  /** An image of RGBA bytes as indices of a palette. */
  export function applyPalette(image: Uint8Array, palette: Palette): Uint8Array;
  /** A GIF file under construction; `delay` in milliseconds, `repeat` 0 for ever. */
  export function GIFEncoder(): {
    writeFrame(
      indices: Uint8Array,
      width: number,
      height: number,
      options: { palette: Palette; delay: number; repeat: number },
    ): void;
    finish(): void;
    bytes(): Uint8Array;
  };
}
