// Writes the files of public/: copies of the generated motions in tests/fixtures, and a character made of boxes.
import { copyFileSync, writeFileSync } from "node:fs";
import { character, glbOf } from "../../pkg/test/rigs.mjs";

for (const name of ["idle", "walk", "run"])
  copyFileSync(
    new URL(`../../tests/fixtures/ada-${name}.bvh`, import.meta.url),
    new URL(`public/${name}.bvh`, import.meta.url),
  );
const { model } = character("mixamo", { size: 1.1 });
writeFileSync(new URL("public/hero.glb", import.meta.url), await glbOf(model));
