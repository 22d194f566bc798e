/** Writes drawings as static or animated SVG. Needs neither wasm nor a page. */
import { colours, type Drawing, type Ink, type Line, STROKE } from "./drawing.js";

/** All inks in the order in which they are drawn: the figures cover the ground. */
const INKS: readonly Ink[] = ["ground", "left", "right", "middle"];

/** Writes one picture. */
export function toSvg({ width, height, lines, labels }: Drawing): string {
  const paths = INKS.map((ink) => pathElement(ink, pathData(lines, ink)));
  const labelElements = labels.map(
    ({ x, y, text }) =>
      `<text x="${x.toFixed(1)}" y="${y}" font-family="sans-serif" font-size="11" text-anchor="middle" ` +
      `fill="#606060">${text}</text>`,
  );
  return svgDocument(width, height, [...paths, ...labelElements]);
}

/** Writes the pictures of a motion as a loop of `seconds` (SMIL, which also works in an img element). */
export function toAnimatedSvg(pictures: readonly Drawing[], seconds: number): string {
  const [{ width, height, lines }] = pictures as readonly [Drawing, ...Drawing[]];
  const parts = INKS.map((ink) => {
    const values = pictures.map((picture) => pathData(picture.lines, ink));
    if (new Set(values).size === 1) return pathElement(ink, pathData(lines, ink));
    const motion =
      `<animate attributeName="d" dur="${seconds.toFixed(3)}s" repeatCount="indefinite" calcMode="discrete" ` +
      `values="${values.join(";")}"/>`;
    return pathElement(ink, values[0] ?? "", motion);
  });
  return svgDocument(width, height, parts);
}

function svgDocument(width: number, height: number, parts: readonly string[]): string {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const paper = `<rect width="${width}" height="${height}" fill="#fff"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${paper}${parts.join("")}</svg>\n`;
}

function pathElement(ink: Ink, d: string, content = ""): string {
  if (d === "") return "";
  const end = content === "" ? "/>" : `>${content}</path>`;
  return `<path fill="none" stroke="rgb(${colours[ink].join(",")})" stroke-width="${STROKE}" stroke-linecap="round" d="${d}"${end}`;
}

function pathData(lines: readonly Line[], ink: Ink): string {
  const inkLines = lines.filter((line) => line.ink === ink);
  return inkLines
    .map(({ x1, y1, x2, y2 }) => `M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}`)
    .join("");
}
