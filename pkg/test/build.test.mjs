// The build of the site: it depends on all files that webpack reads, its minifier accepts module scripts, and its
// headers apply at its path.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import webpack from "webpack";
import { siteInputs } from "../../scripts/build.mjs";
import { headersFile, headersOf } from "../../scripts/headers.mjs";
import { root } from "../../scripts/shell.mjs";
import configure from "../../webpack.config.js";

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

it("the site's minifier keeps the exports of scripts that are files of the site, such as the WebGPU module's", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kinestitch-minified-"));
  try {
    writeFileSync(join(folder, "module.js"), "export class Network {\n  run() {\n    return 1;\n  }\n}\n");
    writeFileSync(join(folder, "main.js"), 'console.log(new URL("./module.js", import.meta.url).href);\n');
    const { optimization } = configure({}, { mode: "production" });
    const output = { path: join(folder, "dist"), assetModuleFilename: "[name][ext]" };
    const stats = await promisify(webpack)({
      mode: "production",
      context: folder,
      entry: "./main.js",
      output,
      optimization,
    });
    assert.ok(!stats.hasErrors(), stats.toString("errors-only"));
    const { Network } = await import(pathToFileURL(join(folder, "dist", "module.js")));
    assert.equal(new Network().run(), 1);
    assert.ok(!readFileSync(join(folder, "dist", "module.js"), "utf8").includes("\n  "), "it is minified");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("the headers file has the paths of a site below the root of its host", () => {
  const paths = (text) => text.match(/^\/.*$/gm);
  assert.deepEqual(paths(headersFile()), ["/*", "/open.html", "/open", "/docs/*"]);
  const text = headersFile("/kinestitch/");
  assert.deepEqual(
    paths(text),
    ["*", "open.html", "open", "docs/*"].map((path) => `/kinestitch/${path}`),
  );
  const [, docsBlock] = text.split("/kinestitch/docs/*\n");
  const policy = headersOf("/docs/")["Content-Security-Policy"];
  assert.equal(docsBlock, `  ! Content-Security-Policy\n  Content-Security-Policy: ${policy}\n`);
});
