// Every list of methods in TypeScript reads the registry. Names of gap fillers appear only in
// generated files, in the methods' own files and pages, and in data.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { inbetweenMethods } from "kinestitch/ui";
import { root } from "./support.mjs";

/** Also names of joins, which need no network and serve as fallbacks. */
const JOINS = ["linear", "inertialize"];
const fillers = inbetweenMethods.filter((name) => !JOINS.includes(name));

/** The page about two of the networks, and its parts. */
const PAGES = ["www/pages/inbetween.ts", "www/pages/story/"];

/** TypeScript files under a folder, by path relative to the repository. */
const sources = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts") && !/\/(dist|node_modules|generated)\//.test(path));

/** Names of fillers in a text: as a quoted word, or as a property with a value. */
function fillersIn(text) {
  return fillers.filter((name) =>
    new RegExp(`(["'\`])${name}\\1|[{,]\\s*${name}\\s*:\\s*(["'\`{[(]|\\w+[({])`).test(text),
  );
}

describe("shared TypeScript files", () => {
  it("do not name gap fillers", () => {
    const files = [...sources("pkg/src"), ...sources("www")];
    assert.ok(files.length > 200 && fillers.length >= 4, `${files.length} files, ${fillers}`);
    const wrong = files
      .filter((path) => !PAGES.some((start) => path.startsWith(start)))
      .flatMap((path) => fillersIn(readFileSync(join(root, path), "utf8")).map((name) => `${path}: ${name}`));
    assert.deepEqual(wrong, []);
  });

  it("are reported if they name one", () => {
    for (const text of ['method: "delta"', "`dcmoe`", "{ manifold: network() }"])
      assert.equal(fillersIn(text).length, 1, text);
    assert.deepEqual(fillersIn("on a manifold of motions; const delta = 1; f(a, delta: number)"), []);
  });
});
