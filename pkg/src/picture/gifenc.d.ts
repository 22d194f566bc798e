/** Types of the functions of gifenc that are used; the package has no types. */
declare module "gifenc" {
  /** List of colours: red, green and blue. */
  export type Palette = number[][];
  /** Returns the best palette of at most `colours` colours for an image of RGBA bytes. */
  export function quantize(image: Uint8Array, colours: number): Palette;
  /** Converts an image of RGBA bytes to indices of a palette. */
  export function applyPalette(image: Uint8Array, palette: Palette): Uint8Array;
  /** Creates a writer of a GIF file. `delay`: milliseconds; `repeat`: 0 repeats without end. */
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
