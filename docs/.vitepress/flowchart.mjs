// Draws the diagrams of docs/ with Graphviz while the site is built. It reads a subset of Mermaid's language
// (`flowchart LR`, nodes with labels, arrows with labels), because repository hosts draw the same text with Mermaid.
import { instance } from "@viz-js/viz";

const viz = await instance();
/** A node: `name`, `name[label]` or `name["label"]`. */
const NODE = /^([\w-]+)(?:\[(?:"([^"]*)"|([^\]]*))\])?$/;
const quoted = (text) => `"${text.replaceAll('"', '\\"')}"`;

/**
 * Draws a flowchart in the colour of the surrounding text. Returns HTML with two SVG drawings: one from left to right,
 * and one from top to bottom for narrow screens; theme/style.css shows one of them. Throws an error if the text is not
 * in the subset.
 */
export function flowchart(text) {
  const [header, ...lines] = text.trim().split("\n");
  if (!/^flowchart LR$/.test(header)) throw new Error(`a diagram must begin with "flowchart LR", not "${header}"`);
  const labels = new Map();
  const addNode = (source) => {
    const [, name, quotedLabel, plainLabel] = NODE.exec(source.trim()) ?? [];
    if (!name) throw new Error(`"${source}" is not a node of a flowchart`);
    labels.set(name, quotedLabel ?? plainLabel ?? labels.get(name) ?? name);
    return name;
  };
  const edges = lines.flatMap((line) => {
    const parts = line.trim().split(/\s+(-->|-- .*? -->)\s+/);
    return parts.flatMap((part, index) =>
      index % 2 === 0
        ? (addNode(part), [])
        : [[addNode(parts[index - 1]), addNode(parts[index + 1]), /^-- (.*) -->$/.exec(part)?.[1]]],
    );
  });
  return `<div class="chart">${["LR", "TB"].map((direction) => draw(direction, labels, edges)).join("")}</div>`;
}

/** Draws the flowchart in a direction of Graphviz (`LR` or `TB`). Returns an SVG element. */
function draw(direction, labels, edges) {
  const dot = [
    `digraph { rankdir=${direction}; bgcolor=transparent; ranksep=0.3; nodesep=0.2;`,
    'node [shape=box style=rounded fontname="sans-serif" fontsize=12 height=0.35 margin="0.12,0.05"];',
    'edge [fontname="sans-serif" fontsize=11 arrowsize=0.6];',
    ...[...labels].map(([name, label]) => `${quoted(name)} [label=${quoted(label)}];`),
    ...edges.map(([from, to, label]) => `${quoted(from)} -> ${quoted(to)}${label ? ` [label=${quoted(label)}]` : ""};`),
    "}",
  ].join("\n");
  const svg = viz.renderString(dot, { format: "svg" }).replace(/^[\s\S]*?<svg/, "<svg");
  const alt = edges.map(([from, to]) => `${labels.get(from)} to ${labels.get(to)}`).join(", ");
  return svg
    .replace("<svg", `<svg class="${direction}" role="img" aria-label="Diagram: ${alt.replaceAll('"', "")}"`)
    .replaceAll('stroke="black"', 'stroke="currentColor"')
    .replaceAll('fill="black"', 'fill="currentColor"')
    .replaceAll("<text ", '<text fill="currentColor" ')
    .replace(/<title>[\s\S]*?<\/title>/g, "")
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .replaceAll(/\n\s*/g, " ");
}
