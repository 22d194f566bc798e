// kinestitch/react in react-three-fiber, built by Vite, in Chromium.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { transform } from "esbuild";
import { build } from "vite";
import { launch, packageFolder, root, serve } from "./support.mjs";

const buildFolder = mkdtempSync(join(tmpdir(), "kinestitch-react-"));
after(() => rmSync(buildFolder, { recursive: true }));

test("the minified hook is smaller than 2 KB", async () => {
  const { code } = await transform(readFileSync(join(packageFolder, "dist", "react.js"), "utf8"), { minify: true });
  assert.ok(code.length < 2000, `${code.length} bytes`);
});

test("a character in react-three-fiber walks, runs, and is removed", { timeout: 300_000 }, async () => {
  await build({
    root: join(packageFolder, "test", "react"),
    configFile: false,
    logLevel: "error",
    esbuild: { jsx: "automatic" },
    // The page uses top-level await.
    build: { outDir: buildFolder, emptyOutDir: true, target: "es2022" },
  });
  for (const name of ["walk", "run"])
    copyFileSync(join(root, "tests", "fixtures", `ada-${name}.bvh`), join(buildFolder, `${name}.bvh`));
  const [server, browser] = [await serve({ "/": buildFolder }), await launch()];
  try {
    const page = await browser.newPage();
    const pageErrors = [];
    page.on("pageerror", ({ message }) => pageErrors.push(message));
    await page.goto(server.url);
    const waitForPosition = (metres) =>
      page.waitForFunction((minimum) => window.model?.position.z > minimum, metres, { timeout: 60_000 });
    await waitForPosition(0.5);
    await page.evaluate(() => {
      window.transitions.addEventListener("started", ({ transition }) => (window.join = transition.join));
      window.setGait("run");
    });
    await page.waitForFunction(() => window.transitions.current.getClip().name === "run", undefined, {
      timeout: 60_000,
    });
    await waitForPosition(await page.evaluate(() => window.model.position.z + 1));
    const { names, travelled, join } = await page.evaluate(() => ({
      names: window.names,
      travelled: window.travelled,
      join: window.join,
    }));
    assert.deepEqual(names, ["walk", "run"]);
    assert.ok(travelled > 1.5, `${travelled} m of root motion`);
    assert.notEqual(join, "inertialize", "the join was computed ahead");
    // The removed component disposes its transitions.
    await page.evaluate(() => window.setGait(undefined));
    await page.waitForFunction(() => window.transitions.current === undefined, undefined, { timeout: 60_000 });
    assert.deepEqual(pageErrors, []);
  } finally {
    await browser.close();
    await server.close();
  }
});
