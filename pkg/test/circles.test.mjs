// Modules of the package have no circular imports of values.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { describe, it } from "node:test";
import { packageFolder } from "./support.mjs";

const IMPORT = /^(?:import|export)\b([^;"]*?)(?:from )?"(\.[^"]+)\.js"/gm;

/** Whether the names between `import` and `from` are types only, which leave no JavaScript. */
const isTypes = (names) =>
  /^\s+type\s/.test(names) ||
  (/\{/.test(names) &&
    names
      .slice(names.indexOf("{") + 1, names.lastIndexOf("}"))
      .split(",")
      .filter((name) => name.trim() !== "")
      .every((name) => /^\s*type\s/.test(name)));

/** Files from which a file imports values, by path. */
const importsOf = (path, text) =>
  [...text.matchAll(IMPORT)]
    .filter(([, names]) => !isTypes(names))
    .map(([, , place]) => join(dirname(path), `${place}.ts`));

/** A path from a node back to itself; `undefined` if there is none. */
function circle(graph) {
  const done = new Set();
  const visit = (node, way) => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const found = visit(next, [...way, node]);
      if (found) return found;
    }
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const found = visit(node, []);
    if (found) return found;
  }
  return undefined;
}

describe("imports of values", () => {
  it("make no circle", () => {
    const folder = `${packageFolder}/src`;
    const files = readdirSync(folder, { recursive: true })
      .map((path) => path.replaceAll("\\", "/"))
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"));
    const graph = new Map(files.map((path) => [path, importsOf(path, readFileSync(`${folder}/${path}`, "utf8"))]));
    assert.ok([...graph.values()].flat().length > 300, "imports are found");
    assert.equal(circle(graph)?.join(" → "), undefined);
  });

  it("would be found out", () => {
    const graph = new Map([
      ["core/a.ts", importsOf("core/a.ts", 'import { type A, b } from "../b.js";\nimport type { C } from "./c.js";')],
      ["b.ts", importsOf("b.ts", 'export {\n  a,\n} from "./core/a.js";')],
    ]);
    assert.deepEqual(circle(graph), ["core/a.ts", "b.ts", "core/a.ts"]);
    assert.deepEqual(importsOf("b.ts", 'import { type A, type B } from "./core/a.js";'), []);
    assert.deepEqual(importsOf("b.ts", 'import "./core/a.js";'), ["core/a.ts"]);
  });
});
