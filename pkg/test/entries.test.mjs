// Entries in browsers: the bundles for CDNs, and forms that bundlers are known to misread.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { launch, packageFolder, serve, walk } from "./support.mjs";

const dist = join(packageFolder, "dist");
/**
 * Largest number of scripts that a page and its worker load. Entries share files, because a separate copy for "small"
 * would add 40 KB to the package.
 */
const MAX_SCRIPTS = 20;

describe("entries", () => {
  it("import nothing by name from a module that they export as a whole", () => {
    // Parcel 2.16 takes such a name for an export of the entry itself: "$…$exports is not defined".
    const wrong = [];
    for (const file of readdirSync(dist).filter((name) => name.endsWith(".js"))) {
      const text = readFileSync(join(dist, file), "utf8");
      for (const [, module] of text.matchAll(/^export \* from "([^"]+)";/gm))
        if (new RegExp(`^import \\{[^}]*\\} from "${module}";`, "m").test(text)) wrong.push(`${file}: ${module}`);
    }
    assert.deepEqual(wrong, []);
  });
});

describe("entries for CDNs", { timeout: 300_000 }, () => {
  let browser;
  let cdn;
  const folder = mkdtempSync(join(tmpdir(), "kinestitch-entries-"));
  before(async () => {
    browser = await launch();
    cdn = await serve({ "/": packageFolder }, { "access-control-allow-origin": "*" });
    writeFileSync(join(folder, "a.bvh"), walk({ frames: 60 }));
    writeFileSync(join(folder, "b.bvh"), walk({ frames: 50, speed: 1.6 }));
  });
  after(async () => {
    await browser?.close();
    await cdn?.close();
    rmSync(folder, { recursive: true });
  });

  /** Opens a page of another origin. Returns its report, and the scripts that it and its worker loaded from the CDN. */
  async function openPage(script) {
    const text = `<!doctype html><meta charset="utf-8"><title>CDN</title><script type="module">
      const report = (async () => { ${script} })();
      report.then((value) => (window.report = value), (error) => (window.report = String(error)));</script>`;
    writeFileSync(join(folder, "index.html"), text);
    const server = await serve({ "/": folder });
    const context = await browser.newContext();
    try {
      const scripts = new Set();
      context.on("request", (request) => {
        if (request.url().startsWith(cdn.url) && request.url().endsWith(".js")) scripts.add(request.url());
      });
      const page = await context.newPage();
      await page.goto(`${server.url}/`);
      await page.waitForFunction(() => window.report !== undefined, undefined, { timeout: 60_000 });
      return { report: await page.evaluate(() => window.report), scripts: [...scripts] };
    } finally {
      await context.close();
      await server.close();
    }
  }

  const STEPS = `const clips = await Promise.all(["a.bvh", "b.bvh"].map((file) => load(file)));
    const motion = await stitch(clips);
    const between = await inbetween([{ clip: clips[0], frame: 5 }, { clip: clips[1], frame: 30 }], { frames: 20 });
    return [motion.seams.length, between.frames, (await motion.mirror()).frames === motion.frames];`;

  it("are named in package.json", () => {
    const { unpkg, jsdelivr } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
    assert.deepEqual([unpkg, jsdelivr], ["./dist/cdn/kinestitch.js", "./dist/cdn/kinestitch.js"]);
    assert.doesNotThrow(() => readFileSync(join(packageFolder, unpkg)));
  });

  for (const name of ["kinestitch", "worker"]) {
    it(`"${name}" loads in few requests, and finds its other files`, async () => {
      const entry = `${cdn.url}/dist/cdn/${name}.js`;
      const { report, scripts } = await openPage(
        `const { load, stitch, inbetween } = await import("${entry}"); ${STEPS}`,
      );
      assert.deepEqual(report, [1, 22, true]);
      assert.ok(scripts.length <= MAX_SCRIPTS, scripts.join("\n"));
      assert.ok(
        scripts.every((url) => url.includes("/dist/cdn/")),
        scripts.join("\n"),
      );
    });
  }

  it("share one state: networks can be imported beside the entry", async () => {
    const { report } = await openPage(`const { networkModels } = await import("${cdn.url}/dist/cdn/kinestitch.js");
      await import("${cdn.url}/dist/cdn/networks.js");
      return (await networkModels()).length;`);
    const { networks } = JSON.parse(readFileSync(join(packageFolder, "models", "manifest.json"), "utf8"));
    assert.equal(report, networks.length);
  });

  it("include kinestitch/small, with its own wasm module", async () => {
    const { report, scripts } = await openPage(`const { load } = await import("${cdn.url}/dist/cdn/small.js");
      const clip = await load("a.bvh");
      return [clip.frames, (await clip.toBvh()).startsWith("HIERARCHY")];`);
    assert.deepEqual(report, [60, true]);
    assert.ok(scripts.length <= MAX_SCRIPTS && scripts.every((url) => url.includes("/dist/cdn/")), scripts.join("\n"));
  });

  it("include one entry for each network", async () => {
    const { networks } = JSON.parse(readFileSync(join(packageFolder, "models", "manifest.json"), "utf8"));
    for (const { name, character } of networks) {
      const entry = [name, character].filter(Boolean).join("-");
      const { report } = await openPage(`const { networkModels } = await import("${cdn.url}/dist/cdn/kinestitch.js");
        await import("${cdn.url}/dist/cdn/networks-${entry}.js");
        return (await networkModels()).map(({ name }) => name);`);
      assert.deepEqual(report, [name]);
    }
    const { report } = await openPage(`const { inbetween, load } = await import("${cdn.url}/dist/cdn/worker.js");
      await import("${cdn.url}/dist/cdn/networks-delta.js");
      const clip = await load("a.bvh");
      return (await inbetween([{ clip, frame: 5 }, { clip, frame: 30 }], { frames: 20, method: "delta" })).frames;`);
    assert.equal(report, 22);
  });
});
