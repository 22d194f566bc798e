// The packed package as strangers use it: plain HTML, Vite, webpack, Node. Tools come from this repository's own
// node_modules, the package from its tarball.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { launch, noWeights, packageFolder, reportOf, root, serve, walk } from "./support.mjs";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "kinestitch-consumers-"));
const tool = (path) => join(root, "node_modules", path);
const { networks: shipped } = JSON.parse(readFileSync(join(packageFolder, "models", "manifest.json"), "utf8"));
const expected = { refined: ["rmr", "rmr"], frames: 110, positions: 110 * 66, worker: 110 * 66, slim: 60 };
let tarball;
let browser;

/** A consumer's folder with the package installed and two motions in `public`. */
async function consumer(name, motions = ".") {
  const place = join(folder, name);
  cpSync(join(packageFolder, "test", "consumers", name), place, { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ name: `${name}-consumer`, private: true, type: "module" }));
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", tarball], { cwd: place });
  cpSync(join(folder, "motions"), join(place, motions), { recursive: true });
  return place;
}

/** What a folder's index.html reports in Chromium. */
async function open(place) {
  const server = await serve({ "/": place });
  try {
    return await reportOf(browser, `${server.url}/`);
  } finally {
    await server.close();
  }
}

describe("the packed package", { timeout: 300_000 }, () => {
  before(async () => {
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: packageFolder });
    tarball = join(folder, JSON.parse(stdout)[0].filename);
    mkdirSync(join(folder, "motions"));
    writeFileSync(join(folder, "motions", "a.bvh"), walk({ frames: 60 }));
    writeFileSync(join(folder, "motions", "b.bvh"), walk({ frames: 50, speed: 1.6 }));
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  it("works in a page without a bundler", { skip: noWeights }, async () => {
    assert.deepEqual(await open(await consumer("plain")), expected);
  });

  it("works built by Vite", { skip: noWeights }, async () => {
    const place = await consumer("vite", "public");
    await run(process.execPath, [tool("vite/bin/vite.js"), "build", "--logLevel", "error"], { cwd: place });
    assert.deepEqual(await open(join(place, "dist")), expected);
    // One file of each module for the page and the worker, and one of each network's weights.
    const names = readdirSync(join(place, "dist", "assets"));
    assert.equal(names.filter((name) => name.endsWith(".wasm")).length, 2);
    assert.equal(names.filter((name) => name.endsWith(".safetensors")).length, shipped.length);
  });

  it("works in Vite's development server", { skip: noWeights }, async () => {
    const place = await consumer("vite", "public");
    const child = spawn(process.execPath, [tool("vite/bin/vite.js"), "--port", "0", "--host", "127.0.0.1"], { cwd: place });
    try {
      const url = await new Promise((resolve, reject) => {
        let text = "";
        child.stdout.on("data", (bytes) => {
          text += String(bytes).replace(/\x1b\[[0-9;]*m/g, "");
          const [found] = /http:\/\/127\.0\.0\.1:\d+\//.exec(text) ?? [];
          if (found) resolve(found);
        });
        child.on("exit", () => reject(new Error(`vite ended: ${text}`)));
      });
      assert.deepEqual(await reportOf(browser, url), expected);
    } finally {
      child.kill();
    }
  });

  it("works built by webpack", { skip: noWeights }, async () => {
    const place = await consumer("webpack", "dist");
    const { default: webpack } = await import("webpack");
    const output = { path: join(place, "dist") };
    // Webpack's own hint at sizes over 244 KiB is no finding here.
    const stats = await promisify(webpack)({ mode: "production", context: place, entry: "./main.js", output, performance: { hints: false } });
    assert.ok(!stats.hasErrors() && !stats.hasWarnings(), stats.toString("errors-warnings"));
    cpSync(join(place, "index.html"), join(place, "dist", "index.html"));
    assert.deepEqual(await open(join(place, "dist")), expected);
    assert.equal(readdirSync(join(place, "dist")).filter((name) => name.endsWith(".wasm")).length, 2);
  });

  it("works in Node, on its command line, and under server-side rendering", { skip: noWeights }, async () => {
    const place = await consumer("node");
    const { stdout } = await run(process.execPath, ["main.mjs"], { cwd: place });
    assert.deepEqual(JSON.parse(stdout), expected);
    const info = await run(join(place, "node_modules", ".bin", "kinestitch"), ["info", "a.bvh", "--json"], { cwd: place });
    assert.equal(JSON.parse(info.stdout).frames, 60);
    const page = "<p>function function function crossfade</p>";
    assert.equal((await import(pathToFileURL(join(place, "ssr.mjs")))).render(), page);
    // Frameworks bundle a page's modules for the server too.
    await run(process.execPath, [tool("vite/bin/vite.js"), "build", "--ssr", "ssr.mjs", "--outDir", "server", "--logLevel", "error"], { cwd: place });
    assert.equal((await import(pathToFileURL(join(place, "server", "ssr.js")))).render(), page);
  });

  it("has types for bundlers and for Node", async () => {
    const place = await consumer("node");
    for (const [module, resolution] of [["esnext", "bundler"], ["nodenext", "nodenext"]]) {
      const options = ["--noEmit", "--strict", "--target", "es2022", "--module", module, "--moduleResolution", resolution];
      await run(process.execPath, [tool("typescript/bin/tsc"), ...options, "types.ts"], { cwd: place }).catch((error) => assert.fail(error.stdout));
    }
  });

  it("passes publint and are-the-types-wrong", async () => {
    const { publint } = await import("publint");
    const { formatMessage } = await import("publint/utils");
    const { messages, pkg } = await publint({ pkgDir: packageFolder, level: "suggestion" });
    assert.deepEqual(messages.map((message) => formatMessage(message, pkg)), []);
    const attw = run(process.execPath, [tool("@arethetypeswrong/cli/dist/index.js"), tarball], { cwd: packageFolder });
    await attw.catch((error) => assert.fail(error.stdout));
  });

  it("holds what it should and no more", async () => {
    const place = join(await consumer("node"), "node_modules", "kinestitch");
    assert.deepEqual(readdirSync(place).sort(), ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "THIRD-PARTY-NOTICES.txt", "bin", "dist", "models", "package.json", "wasm"]);
    assert.deepEqual(readdirSync(join(place, "models")).sort(), ["index.d.ts", "index.js", "manifest.json", ...shipped.flatMap(({ files }) => files.map(({ name }) => name))].sort());
    const wasm = ["kinestitch", "kinestitch_small", "live", "networks"].flatMap((name) => [`${name}.d.ts`, `${name}.js`, `${name}_bg.wasm`, `${name}_bg.wasm.d.ts`]);
    assert.deepEqual(readdirSync(join(place, "wasm")).sort(), wasm);
  });
});
