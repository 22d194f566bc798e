// Modules of the package have no circular imports: neither of values nor of types, neither static nor dynamic.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { describe, it } from "node:test";
import { packageFolder } from "./support.mjs";

const IMPORT = /^(?:import|export)\b[^;"]*"(\.[^"]+)\.js"|\bimport\("(\.[^"]+)\.js"\)/gm;

/** Returns the paths of the files that a file imports. `text`: its content. */
const importsOf = (path, text) =>
  [...text.matchAll(IMPORT)].map(([, staticPath, dynamicPath]) =>
    join(dirname(path), `${staticPath ?? dynamicPath}.ts`),
  );

/** Returns a path from a node back to itself; `undefined` if there is none. */
function findCircle(graph) {
  const visited = new Set();
  const visit = (node, path) => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (visited.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next, [...path, node]);
      if (circle) return circle;
    }
    visited.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const circle = visit(node, []);
    if (circle) return circle;
  }
  return undefined;
}

describe("imports", () => {
  it("make no circle", () => {
    const folder = `${packageFolder}/src`;
    const files = readdirSync(folder, { recursive: true })
      .map((path) => path.replaceAll("\\", "/"))
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"));
    const graph = new Map(files.map((path) => [path, importsOf(path, readFileSync(`${folder}/${path}`, "utf8"))]));
    assert.ok([...graph.values()].flat().length > 500, "imports are found");
    assert.equal(findCircle(graph)?.join(" → "), undefined);
  });

  it("are found in all forms", () => {
    const text = [
      'import { type A, b } from "../b.js";',
      'import type { C } from "./c.js";',
      'export {\n  a,\n} from "./d.js";',
      'import "./e.js";',
      'const f = await import("./f.js");',
      'type G = typeof import("./g.js");',
    ].join("\n");
    const names = ["b", "core/c", "core/d", "core/e", "core/f", "core/g"];
    assert.deepEqual(
      importsOf("core/a.ts", text),
      names.map((name) => `${name}.ts`),
    );
  });

  it("in a circle are reported as a path", () => {
    const graph = new Map([
      ["core/a.ts", ["b.ts"]],
      ["b.ts", ["core/a.ts"]],
    ]);
    assert.deepEqual(findCircle(graph), ["core/a.ts", "b.ts", "core/a.ts"]);
  });
});
