// Hostile files in Chromium, and in Firefox and WebKit if installed: typed errors, prompt aborts, and a restart of a
// trapped wasm module; in Chromium also: no requests for files that a hostile file names.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { engines, until } from "../../scripts/engines.mjs";
import { containers, document, documents, textOf } from "./hostile-documents.mjs";
import { launch, packageFolder, serve, walk } from "./support.mjs";

/** Time limits against hangs. They do not measure speed. */
const [CEILING_MS, ABORT_CEILING_MS] = [20_000, 5000];
/** Size from which files are tested in Node only, bytes. */
const MAX_BYTES = 32 << 20;
const folder = mkdtempSync(join(tmpdir(), "kinestitch-hostile-"));
let server;

before(async () => {
  for (const name of ["node_modules", "hostile"]) mkdirSync(join(folder, name));
  symlinkSync(packageFolder, join(folder, "node_modules", "kinestitch"));
  cpSync(join(packageFolder, "test", "engines"), join(folder, "engines"), { recursive: true });
  writeFileSync(join(folder, "a.bvh"), walk({ frames: 60 }));
  writeFileSync(join(folder, "b.bvh"), walk({ frames: 50, speed: 1.6 }));
  const withForeignBuffer = document((json) => void (json.buffers[0].uri = "/secret.bin"));
  const hostileFiles = [
    ...Object.entries(documents).map(([name, [expected, create]]) => [name, expected, textOf(create())]),
    ...Object.entries(containers).map(([name, [expected, create]]) => [name, expected, create()]),
    ["names a file of the site", "glb", textOf(withForeignBuffer)],
  ].filter(([, , file]) => file.length < MAX_BYTES);
  hostileFiles.forEach(([, , file], i) => writeFileSync(join(folder, "hostile", String(i)), file));
  const list = hostileFiles.map(([name, expected], i) => [String(i), name, expected]);
  writeFileSync(join(folder, "hostile", "list.json"), JSON.stringify(list));
  server = await serve({ "/": folder });
});
after(async () => {
  await server?.close();
  rmSync(folder, { recursive: true });
});

async function startChromium() {
  const browser = await launch();
  return {
    async open(url) {
      const page = await browser.newPage();
      const [pageErrors, requests] = [[], []];
      page.on("pageerror", (error) => pageErrors.push(error.message));
      page.on("request", (request) => requests.push(request.url()));
      await page.goto(url);
      return { pageErrors, requests, evaluate: (text) => page.evaluate(text), close: () => page.close() };
    },
    close: () => browser.close(),
  };
}

for (const [name, { missing, start }] of Object.entries({ chromium: { start: startChromium }, ...engines })) {
  if (missing) console.log(`skipped: ${name}: ${missing}`);
  describe(`hostile files in ${name}`, { skip: missing, timeout: 400_000 }, () => {
    let browser;
    before(async () => (browser = await start()));
    after(() => browser?.close());

    it("are read, or refused with the expected error, and the page and its worker stay usable", async (test) => {
      const page = await browser.open(`${server.url}/engines/hostile.html`);
      const { rows, aborts, codeOfTrap, framesAfterAborts, framesAfterTrap } = JSON.parse(
        await until(page, "window.report && JSON.stringify(window.report)", 300_000),
      );
      for (const { name, reader, expected, result, ms } of rows) {
        test.diagnostic(`${name}, ${reader}: ${result}, ${ms.toFixed(0)} ms`);
        assert.equal(result, expected, `${name}, ${reader}`);
        assert.ok(ms < CEILING_MS, `${name}, ${reader}: ${ms} ms`);
      }
      // The refusal of the file may be faster than the abort.
      for (const { result, ms } of aborts) {
        test.diagnostic(`aborted: ${result}, ${ms.toFixed(1)} ms`);
        assert.ok(["aborted", "limit"].includes(result), result);
        assert.ok(ms < ABORT_CEILING_MS, `rejected after ${ms} ms`);
      }
      assert.match(codeOfTrap, /^(limit|wasm)$/);
      // Clip a has 60 frames; a and b joined have 60 + 50.
      assert.deepEqual([framesAfterAborts, framesAfterTrap], [60, 110]);
      // Only the page of Chromium records its requests.
      assert.deepEqual(
        (page.requests ?? []).filter((url) => url.includes("secret")),
        [],
      );
      await page.close();
    });
  });
}
