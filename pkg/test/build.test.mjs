// The site is built again after a change of any file that webpack reads.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { siteInputs } from "../../scripts/build.mjs";
import { root } from "../../scripts/shell.mjs";

it("the site depends on every file outside www that webpack's configuration names", () => {
  const inputs = siteInputs();
  const config = readFileSync(join(root, "webpack.config.js"), "utf8");
  const imported = [...config.matchAll(/from "\.\/(.*?)"/g)].map(([, path]) => path);
  const loaders = [...config.matchAll(/"scripts", "(.*?)"/g)].map(([, name]) => `scripts/${name}`);
  const copied = [...config.matchAll(/from: "\.\.\/(.*?)"/g)].map(([, path]) =>
    path.includes("*") ? dirname(path) : path,
  );
  assert.ok(imported.length > 0 && loaders.length > 1 && copied.length > 4);
  for (const path of [...imported, ...loaders, ...copied, "webpack.config.js"].map((path) => join(root, path))) {
    // This file is written by the build.
    if (!existsSync(path) && path.endsWith("THIRD-PARTY-NOTICES.txt")) continue;
    assert.ok(
      inputs.some((input) => input === path || input.startsWith(`${path}/`)),
      `${path} is missing in siteInputs of scripts/build.mjs`,
    );
  }
});
