/** Rasterizes drawings: antialiased lines with round ends on a white background. Labels are not drawn. */
import { colours, type Drawing, type Line, STROKE } from "./drawing.js";

/** Returns red, green, blue and opacity of each pixel, row by row from the top. */
export function rasterize({ width, height, lines }: Drawing): Uint8Array {
  const image = new Uint8Array(width * height * 4).fill(255);
  for (const line of lines) drawLine(image, width, height, line);
  return image;
}

function drawLine(image: Uint8Array, width: number, height: number, { x1, y1, x2, y2, ink }: Line): void {
  const radius = STROKE / 2;
  const reach = radius + 1;
  const [left, right] = [Math.floor(Math.min(x1, x2) - reach), Math.ceil(Math.max(x1, x2) + reach)];
  const [top, bottom] = [Math.floor(Math.min(y1, y2) - reach), Math.ceil(Math.max(y1, y2) + reach)];
  const [dx, dy] = [x2 - x1, y2 - y1];
  const squaredLength = dx * dx + dy * dy;
  for (let y = Math.max(0, top); y < Math.min(height, bottom); y++) {
    for (let x = Math.max(0, left); x < Math.min(width, right); x++) {
      const [px, py] = [x + 0.5 - x1, y + 0.5 - y1];
      const fraction = squaredLength === 0 ? 0 : Math.max(0, Math.min(1, (px * dx + py * dy) / squaredLength));
      const distance = Math.hypot(px - fraction * dx, py - fraction * dy);
      // Approximate fraction of the pixel that the line covers.
      const coverage = Math.max(0, Math.min(1, radius + 0.5 - distance));
      if (coverage === 0) continue;
      const offset = (y * width + x) * 4;
      for (let channel = 0; channel < 3; channel++) {
        const old = image[offset + channel] ?? 255;
        image[offset + channel] = Math.round(old + ((colours[ink][channel] ?? 0) - old) * coverage);
      }
    }
  }
}
