// Diagrams: the part of Mermaid's language that docs/ uses (`flowchart LR`, nodes with labels, arrows with labels), drawn by Graphviz
// while the site is built. Hosts of repositories draw the same text by Mermaid.
import { instance } from "@viz-js/viz";

const viz = await instance();
const NODE = /^([\w-]+)(?:\[(?:"([^"]*)"|([^\]]*))\])?$/;
const quoted = (text) => `"${text.replaceAll('"', '\\"')}"`;

/** A flowchart as SVG in the colours of the text around it. */
export function flowchart(text) {
  const [head, ...lines] = text.trim().split("\n");
  if (!/^flowchart LR$/.test(head)) throw new Error(`only "flowchart LR" is drawn, not "${head}"`);
  const labels = new Map();
  const node = (word) => {
    const [, name, inQuotes, plain] = NODE.exec(word.trim()) ?? [];
    if (!name) throw new Error(`"${word}" is no node of a flowchart`);
    labels.set(name, inQuotes ?? plain ?? labels.get(name) ?? name);
    return name;
  };
  const edges = lines.flatMap((line) => {
    const parts = line.trim().split(/\s+(-->|-- .*? -->)\s+/);
    return parts.flatMap((part, index) =>
      index % 2 === 0
        ? (node(part), [])
        : [[node(parts[index - 1]), node(parts[index + 1]), /^-- (.*) -->$/.exec(part)?.[1]]],
    );
  });
  // Wide charts would be small on a phone: they run downwards there, by a second drawing.
  return `<div class="chart">${["LR", "TB"].map((direction) => drawing(direction, labels, edges)).join("")}</div>`;
}

function drawing(direction, labels, edges) {
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
