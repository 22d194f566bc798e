// Every example runs: programs in Node, pages in Chromium, with this repository's package and tools.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { launch, root, serve } from "./support.mjs";

const examples = join(root, "examples");
/** Final status line of each page, and its start button if any. */
const PAGES = {
  html: { status: /^\d+ frames, joined by \w+$/ },
  three: { status: /^\d+\.\d seconds, \d+ tracks$/ },
  react: { status: /^\d+ frames, joined by \w+$/ },
  worker: { status: /^Done: \d+ frames, 3 seams$/, button: "Stitch four clips" },
  vrm: { status: /^A body of boxes: \d+\.\d seconds$/ },
};
const folders = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(examples, entry.name, "package.json")))
  .map(({ name }) => name);

/** Opens a page and waits for its final status line. */
async function openUntilDone(browser, url, { status: expected, button }) {
  const page = await browser.newPage();
  const pageErrors = [];
  page.on("pageerror", (error) => pageErrors.push(error.message));
  try {
    await page.goto(url);
    if (button) await page.getByRole("button", { name: button }).click();
    const status = page.locator("body > p[role=status], #root > p[role=status]");
    await page
      .waitForFunction(
        ([source]) => new RegExp(source).test(document.querySelector("p[role=status]")?.textContent ?? ""),
        [expected.source],
        { timeout: 120_000 },
      )
      .catch(async () => assert.fail(`${url} says "${await status.textContent()}"; ${pageErrors.join("; ")}`));
    assert.deepEqual(pageErrors, []);
    return page;
  } catch (error) {
    await page.close();
    throw error;
  }
}

describe("examples", { timeout: 900_000 }, () => {
  const out = mkdtempSync(join(tmpdir(), "kinestitch-examples-"));
  let browser;
  before(async () => (browser = await launch()));
  after(async () => {
    await browser?.close();
    rmSync(out, { recursive: true });
  });

  it("each folder has a test", () => {
    // examples/game: game.test.mjs.
    assert.deepEqual(folders.toSorted(), [...Object.keys(PAGES), "game", "node"].sort());
  });

  it("each folder has a command, a description and this package's version", () => {
    const { version } = JSON.parse(readFileSync(join(root, "pkg", "package.json"), "utf8"));
    for (const name of folders) {
      const { scripts, description, dependencies, stackblitz } = JSON.parse(
        readFileSync(join(examples, name, "package.json"), "utf8"),
      );
      assert.ok(scripts.start && description, name);
      assert.equal(stackblitz.startCommand, "npm start", name);
      assert.equal(dependencies.kinestitch, `^${version}`, name);
      assert.ok([`^${version}`, undefined].includes(dependencies["kinestitch-player"]), name);
    }
  });

  for (const name of folders.filter((folder) => folder in PAGES && folder !== "html")) {
    it(`${name}: built by Vite, in Chromium`, async () => {
      const buildFolder = join(out, name);
      const vite = join(root, "node_modules", "vite", "bin", "vite.js");
      execFileSync(process.execPath, [vite, "build", "--outDir", buildFolder, "--logLevel", "error"], {
        cwd: join(examples, name),
        stdio: "pipe",
      });
      const server = await serve({ "/": buildFolder });
      try {
        const page = await openUntilDone(browser, `${server.url}/`, PAGES[name]);
        await page.close();
      } finally {
        await server.close();
      }
    });
  }

  it("worker: Cancel ends the work", async () => {
    // The test above has built this page.
    const server = await serve({ "/": join(out, "worker") });
    const page = await browser.newPage();
    try {
      // The module never arrives, so only the button can end the work.
      await page.route("**/*.wasm", () => {});
      await page.goto(`${server.url}/`);
      await page.getByRole("button", { name: "Stitch four clips" }).click();
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByText("Cancelled.").waitFor();
    } finally {
      await page.close();
      await server.close();
    }
  });

  it("html: served by its own program, in Chromium", async () => {
    const child = spawn(process.execPath, ["serve.js"], {
      cwd: join(examples, "html"),
      env: { ...process.env, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const url = await new Promise((resolve, reject) => {
        child.stdout.once("data", (data) => resolve(String(data).trim()));
        child.once("exit", (code) => reject(new Error(`serve.js ended with status ${code}`)));
      });
      const page = await openUntilDone(browser, url, PAGES.html);
      await page.waitForFunction(() => document.querySelector("kinestitch-player").duration > 0, undefined, {
        timeout: 60_000,
      });
      await page.close();
    } finally {
      child.kill();
    }
  });

  it("node: joins the motions of a folder", () => {
    const batchFolder = join(out, "batch");
    const text = execFileSync(process.execPath, ["batch.js", "motions", batchFolder], {
      cwd: join(examples, "node"),
      encoding: "utf8",
    });
    assert.deepEqual(readdirSync(batchFolder).sort(), ["idle-run.bvh", "run-walk.bvh"]);
    assert.match(text, /idle-run\.bvh: \d+ frames, \w+, feet slide/);
  });
});
