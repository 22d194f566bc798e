// The packed package in its users' environments: plain HTML, a CDN, Vite, webpack, Rollup, esbuild, Node. (Parcel and
// Next, which are large: consumers/large.mjs; the element: player.test.mjs; contents of the package:
// packed.test.mjs.) Tools come from this repository's node_modules, the package from its tarball.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { launch, noWeights, packageFolder, reportOf, root, serve, walk } from "./support.mjs";
import { pack } from "./tarballs.mjs";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "kinestitch-consumers-"));
const tool = (path) => join(root, "node_modules", path);
const { networks: shippedNetworks } = JSON.parse(readFileSync(join(packageFolder, "models", "manifest.json"), "utf8"));
/** Expected report of the steps in consumers/story.js, on one thread and of a page. */
const motion = { frames: 110, positions: 110 * 66, refined: "rmr", between: 22 };
const expected = { thread: motion, worker: motion, slim: 60 };
let browser;

/** Creates the folder of a consumer, with the packages (installed once, then copied) and two motions. */
async function createConsumer(name, motions = ".") {
  const appFolder = join(folder, name);
  cpSync(join(packageFolder, "test", "consumers", name), appFolder, { recursive: true });
  cpSync(join(packageFolder, "test", "consumers", "story.js"), join(appFolder, "story.js"));
  if (!existsSync(join(appFolder, "node_modules")))
    cpSync(join(folder, "installed"), appFolder, { recursive: true, verbatimSymlinks: true });
  cpSync(join(folder, "motions"), join(appFolder, motions), { recursive: true });
  return appFolder;
}

/** Opens a folder's index.html in Chromium. Returns its report. */
async function open(appFolder) {
  const server = await serve({ "/": appFolder });
  try {
    return await reportOf(browser, `${server.url}/`);
  } finally {
    await server.close();
  }
}

describe("the packed package", { timeout: 900_000 }, () => {
  before(async () => {
    const tarballs = [await pack(packageFolder, folder), await pack(join(root, "single"), folder)];
    const installed = join(folder, "installed");
    mkdirSync(installed);
    writeFileSync(join(installed, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", ...tarballs], {
      cwd: installed,
    });
    mkdirSync(join(folder, "motions"));
    writeFileSync(join(folder, "motions", "a.bvh"), walk({ frames: 60 }));
    writeFileSync(join(folder, "motions", "b.bvh"), walk({ frames: 50, speed: 1.6 }));
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  const vite = (appFolder, ...args) =>
    run(process.execPath, [tool("vite/bin/vite.js"), ...args, "--logLevel", "error"], { cwd: appFolder });

  it("works in a page without a bundler", { skip: noWeights }, async () => {
    assert.deepEqual(await open(await createConsumer("plain")), expected);
  });

  it("works from another origin, such as a CDN: page, worker, networks, and the single-file package", {
    skip: noWeights,
  }, async () => {
    const appFolder = await createConsumer("plain");
    const cdn = await serve({ "/": join(appFolder, "node_modules") }, { "access-control-allow-origin": "*" });
    try {
      const pageFolder = join(folder, "from-cdn");
      cpSync(join(folder, "motions"), pageFolder, { recursive: true });
      cpSync(join(appFolder, "story.js"), join(pageFolder, "story.js"));
      const page = (script) =>
        `<!doctype html><meta charset="utf-8"><title>from a CDN</title><body><script type="module">${script}</script>`;
      const imports = (...names) =>
        names.map((name) => `import * as ${name} from "${cdn.url}/kinestitch/dist/${name}.js";`).join("");
      const shared = 'import { inWorker, onThread, report } from "./story.js";';
      const { unpkg, jsdelivr } = JSON.parse(
        readFileSync(join(appFolder, "node_modules", "kinestitch", "package.json"), "utf8"),
      );
      assert.deepEqual([unpkg, jsdelivr], ["./dist/cdn/kinestitch.js", "./dist/cdn/kinestitch.js"]);

      writeFileSync(
        join(pageFolder, "index.html"),
        page(`${imports("browser", "networks", "worker")}${shared}
        report(onThread(browser).then(async (thread) => ({ thread, worker: await inWorker(worker) })));`),
      );
      assert.deepEqual(await open(pageFolder), { thread: motion, worker: motion });

      writeFileSync(
        join(pageFolder, "index.html"),
        page(`import * as single from "${cdn.url}/kinestitch-single/kinestitch.js";${shared}
        report(single.load("a.bvh").then(({ frames }) => frames));`),
      );
      assert.equal(await open(pageFolder), 60);
    } finally {
      await cdn.close();
    }
  });

  it("starts its worker from another origin if the content security policy allows it, else names missing sources", async () => {
    const appFolder = await createConsumer("plain");
    const cdn = await serve({ "/": join(appFolder, "node_modules") }, { "access-control-allow-origin": "*" });
    const pageFolder = join(folder, "under-policy");
    cpSync(join(folder, "motions"), pageFolder, { recursive: true });
    writeFileSync(
      join(pageFolder, "main.js"),
      `import { load } from "${cdn.url}/kinestitch/dist/worker.js";
      load("a.bvh").then(({ frames }) => frames, ({ code, message }) => [code, message]).then((report) => (window.report = report));`,
    );
    const loadUnderPolicy = async (workers) => {
      const policy =
        `default-src 'self'; script-src 'self' ${cdn.url} 'wasm-unsafe-eval'; ` +
        `connect-src 'self' ${cdn.url}; worker-src ${workers}`;
      writeFileSync(
        join(pageFolder, "index.html"),
        `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
        <title>CDN</title><script type="module" src="main.js"></script>`,
      );
      const server = await serve({ "/": pageFolder });
      const page = await browser.newPage();
      try {
        await page.goto(`${server.url}/`);
        await page.waitForFunction(() => window.report !== undefined, undefined, { timeout: 20_000 });
        return await page.evaluate(() => window.report);
      } finally {
        await page.close();
        await server.close();
      }
    };
    try {
      assert.equal(await loadUnderPolicy(`blob: ${cdn.url}`), 60);
      for (const workerSources of ["'self'", "blob:"]) {
        const [code, message] = await loadUnderPolicy(workerSources);
        assert.equal(code, "wasm");
        assert.ok(
          message.includes(
            `it must allow worker-src blob: ${cdn.url}, script-src ${cdn.url} 'wasm-unsafe-eval' and connect-src ${cdn.url}`,
          ),
          message,
        );
      }
    } finally {
      await cdn.close();
    }
  });

  it("works built by Vite", { skip: noWeights }, async () => {
    const appFolder = await createConsumer("vite", "public");
    await vite(appFolder, "build");
    assert.deepEqual(await open(join(appFolder, "dist")), expected);
    // One file per module, shared by page and worker, and one file of weights per network.
    const names = readdirSync(join(appFolder, "dist", "assets"));
    assert.equal(names.filter((name) => name.endsWith(".wasm")).length, 2);
    assert.equal(names.filter((name) => name.endsWith(".safetensors")).length, shippedNetworks.length);
  });

  it("works in Vite's development server, without settings", { skip: noWeights }, async () => {
    const appFolder = await createConsumer("vite", "public");
    const child = spawn(process.execPath, [tool("vite/bin/vite.js"), "--port", "0", "--host", "127.0.0.1"], {
      cwd: appFolder,
    });
    try {
      const url = await new Promise((resolve, reject) => {
        let text = "";
        child.stdout.on("data", (bytes) => {
          text += String(bytes).replace(/\x1b\[[0-9;]*m/g, "");
          const [url] = /http:\/\/127\.0\.0\.1:\d+\//.exec(text) ?? [];
          if (url) resolve(url);
        });
        child.on("exit", () => reject(new Error(`vite ended: ${text}`)));
      });
      assert.deepEqual(await reportOf(browser, url), expected);
    } finally {
      child.kill();
    }
  });

  /**
   * Builds with webpack into `dist`. Returns the names of the output files. `optimization`: by default without minifying,
   * which takes longer than everything else.
   */
  async function buildByWebpack(appFolder, optimization = { minimize: false }) {
    const { default: webpack } = await import("webpack");
    const output = { path: join(appFolder, "dist") };
    // Webpack's hint about sizes over 244 KiB is expected.
    const stats = await promisify(webpack)({
      mode: "production",
      context: appFolder,
      entry: "./main.js",
      output,
      optimization,
      performance: { hints: false },
    });
    assert.ok(!stats.hasErrors() && !stats.hasWarnings(), stats.toString("errors-warnings"));
    return readdirSync(join(appFolder, "dist"));
  }

  it("works built by webpack", { skip: noWeights }, async () => {
    const appFolder = await createConsumer("webpack", "dist");
    const names = await buildByWebpack(appFolder, {}); // minified, as by default
    cpSync(join(appFolder, "index.html"), join(appFolder, "dist", "index.html"));
    assert.deepEqual(await open(join(appFolder, "dist")), expected);
    assert.equal(names.filter((name) => name.endsWith(".wasm")).length, 2);
  });

  const expectedOfCopies = { light: 110, thread: motion, worker: motion };
  /** Copies the package's folders beside the page, as users of bundlers without asset support must. */
  const copyPackage = (appFolder) => {
    for (const name of ["dist", "wasm", "models"])
      cpSync(join(appFolder, "node_modules", "kinestitch", name), join(appFolder, "public", "kinestitch", name), {
        recursive: true,
      });
    cpSync(join(appFolder, "index.html"), join(appFolder, "public", "index.html"));
  };

  it("works built by Rollup", { skip: noWeights }, async () => {
    const appFolder = await createConsumer("rollup", "public");
    const [{ rollup }, { nodeResolve }] = await Promise.all([import("rollup"), import("@rollup/plugin-node-resolve")]);
    const built = await rollup({
      input: join(appFolder, "main.js"),
      plugins: [nodeResolve({ browser: true })],
      onwarn: ({ message }) => assert.fail(message),
    });
    await built.write({ dir: join(appFolder, "public"), format: "es" });
    copyPackage(appFolder);
    assert.deepEqual(await open(join(appFolder, "public")), expectedOfCopies);
  });

  it("works built by esbuild", { skip: noWeights }, async () => {
    const appFolder = await createConsumer("rollup", "public");
    const { build } = await import("esbuild");
    const { warnings } = await build({
      entryPoints: [join(appFolder, "main.js")],
      bundle: true,
      format: "esm",
      outdir: join(appFolder, "public"),
      logLevel: "silent",
    });
    assert.deepEqual(
      warnings.map(({ text }) => text),
      [],
    );
    copyPackage(appFolder);
    assert.deepEqual(await open(join(appFolder, "public")), expectedOfCopies);
  });

  it("adds no network file to an app without networks, and no wasm to an app that names its location", async () => {
    const appFolder = await createConsumer("light", "public");
    await vite(appFolder, "build");
    const assets = readdirSync(join(appFolder, "dist", "assets"));
    const modules = [/^kinestitch_bg/];
    const check = (names) => {
      assert.deepEqual(
        names.filter((name) => /safetensors|networks|manifest/.test(name)),
        [],
      );
      assert.equal(names.filter((name) => name.endsWith(".wasm")).length, modules.length);
    };
    check(assets);
    assert.ok(modules.every((module) => assets.some((name) => module.test(name))));
    assert.deepEqual(await open(join(appFolder, "dist")), [110, 110, ["weights", true]]);
    check((await buildByWebpack(appFolder)).filter((name) => !/assets|html|bvh/.test(name)));

    await vite(appFolder, "build", "--outDir", "slim", "--config", writeConfig(appFolder, "slim.html"));
    assert.deepEqual(
      readdirSync(join(appFolder, "slim", "assets")).filter((name) => !name.endsWith(".js")),
      [],
    );
    cpSync(
      join(appFolder, "node_modules", "kinestitch", "wasm", "kinestitch_bg.wasm"),
      join(appFolder, "slim", "elsewhere.wasm"),
    );
    cpSync(join(appFolder, "slim", "slim.html"), join(appFolder, "slim", "index.html"));
    assert.equal(await open(join(appFolder, "slim")), 60);
  });

  it("adds only imported networks to an app, and runs the examples of control and phases", {
    skip: noWeights,
  }, async () => {
    const appFolder = await createConsumer("networks", "public");
    const weights = ["controller-biped-open", "periodic-open"];
    const check = async (folder, names) => {
      assert.deepEqual(names.filter((name) => name.endsWith(".wasm")).length, 1);
      const { dog, other, gpu, ...report } = await open(folder);
      assert.deepEqual(report, { moved: [true, true], waves: true });
      assert.deepEqual([dog[0], other[0], gpu[0]], ["weights", "weights", "device"]);
      assert.match(dog[1], /lists no network for "control" of the character "dog".*models: "\/models\/"/);
      assert.match(other[1], /lists no network "rmr" for "stitch"; import "kinestitch\/networks\/<name>"/);
    };
    await vite(appFolder, "build");
    const names = readdirSync(join(appFolder, "dist", "assets"));
    assert.deepEqual(
      names
        .filter((name) => /safetensors|\.bin$/.test(name))
        .map((name) => name.split(/-[\w-]{8}\./)[0])
        .sort(),
      weights,
    );
    await check(join(appFolder, "dist"), names);
    rmSync(join(appFolder, "dist"), { recursive: true });
    cpSync(join(folder, "motions"), join(appFolder, "dist"), { recursive: true });
    const packed = await buildByWebpack(appFolder);
    assert.equal(packed.filter((name) => /safetensors|\.bin$/.test(name)).length, weights.length);
    writeFileSync(
      join(appFolder, "dist", "index.html"),
      '<!doctype html><meta charset="utf-8"><title>webpack</title><script type="module" src="main.js"></script>',
    );
    await check(join(appFolder, "dist"), packed);
  });

  /** Writes a Vite configuration that builds another page. Returns its path. */
  function writeConfig(appFolder, page) {
    const path = join(appFolder, "page.config.mjs");
    writeFileSync(
      path,
      `export default { build: { rollupOptions: { input: ${JSON.stringify(join(appFolder, page))} } } };\n`,
    );
    return path;
  }

  it("works in Node, as modules and CommonJS, on its command line, and under server-side rendering", {
    skip: noWeights,
  }, async () => {
    const appFolder = await createConsumer("node");
    const { stdout } = await run(process.execPath, ["main.mjs"], { cwd: appFolder });
    assert.deepEqual(JSON.parse(stdout), { ...expected, single: 60 });
    const common = await run(process.execPath, ["main.cjs"], { cwd: appFolder });
    assert.deepEqual(JSON.parse(common.stdout), process.features.require_module ? [60, 50] : [60]);
    const info = await run(join(appFolder, "node_modules", ".bin", "kinestitch"), ["info", "a.bvh", "--json"], {
      cwd: appFolder,
    });
    assert.equal(JSON.parse(info.stdout).frames, 60);
    const page = "<p>function function function auto</p>";
    assert.equal((await import(pathToFileURL(join(appFolder, "ssr.mjs")))).render(), page);
    // Frameworks also bundle a page's modules for the server.
    await run(
      process.execPath,
      [tool("vite/bin/vite.js"), "build", "--ssr", "ssr.mjs", "--outDir", "server", "--logLevel", "error"],
      { cwd: appFolder },
    );
    assert.equal((await import(pathToFileURL(join(appFolder, "server", "ssr.js")))).render(), page);
  });
});
