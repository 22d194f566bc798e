// The package that scripts/corpus.mjs judges.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../shell.mjs";

/** Imports a package from its folder. Returns its functions, and a generated walk for characters. */
export async function openPackage(folder) {
  const { animateGlb, animations, load, packGlb } = await import(pathToFileURL(join(folder, "dist", "node.js")).href);
  const walk = await load(readFileSync(join(root, "tests", "fixtures", "bo-walk.bvh")), { name: "walk" });
  return { animateGlb, animations, load, packGlb, walk };
}
