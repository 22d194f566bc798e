/** Elements of SVG images. */
const SVG = "http://www.w3.org/2000/svg";

/** Appends a new SVG element with attributes to an element, and returns it. */
export function appendSvg(parent: Element, name: string, attributes: Record<string, string | number> = {}): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  parent.append(element);
  return element;
}
