// The packed package kinestitch-player as its users have it: plain HTML, a CDN, Vite, webpack, Node. (Parcel:
// consumers/large.mjs.) Tools and three.js come from this repository's node_modules, both packages from tarballs.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { character, fbxOf, glbOf } from "./rigs.mjs";
import { launch, packageFolder, reportOf, root, serve, walk } from "./support.mjs";
import { unpack } from "./tarballs.mjs";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "kinestitch-player-"));
const tool = (path) => join(root, "node_modules", path);
const sources = join(packageFolder, "test", "consumers", "player");
const modules = join(folder, "node_modules");
const packed = join(modules, "kinestitch-player");
/**
 * Expected report of a page. `modules` counts the wasm modules that the page has fetched: the small one runs in the
 * worker, and characters load the light one on the page.
 */
const expectedReport = { figure: "1.97", paused: false, modules: [0, 1], glb: "1.97", fbx: "1.97" };
const page = (script) => `<!doctype html>
<meta charset="utf-8"><title>A motion on a page</title><link rel="stylesheet" href="page.css">
${script}
<kinestitch-player src="a.bvh" autoplay loop controls></kinestitch-player>
<script type="module" src="page.js"></script>`;
let browser;
let tarball;

/** Creates a folder with the motion and the characters. */
function createMotionFolder(name, files = {}) {
  const path = join(folder, name);
  cpSync(join(folder, "motions"), path, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  return path;
}

/** Style sheet of the page, a file so that the page's policy need not permit inline styles. */
const STYLE = "kinestitch-player { width: 400px; height: 300px; }";

/** Creates a folder with a page that needs no bundler and publishes its report. */
const createPlainPage = (name, script) =>
  createMotionFolder(name, {
    "index.html": page(script),
    "page.css": STYLE,
    "page.js": `import { playOnBodies, report } from "./player-story.js"; report(playOnBodies());`,
    "player-story.js": readFileSync(join(sources, "player-story.js")),
  });

/** Creates an app for bundlers beside the installed packages. */
function createApp(name) {
  cpSync(sources, join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
  return createMotionFolder(join(name, "public")) && join(folder, name);
}

async function open(appFolder) {
  const server = await serve({ "/": appFolder });
  try {
    return await reportOf(browser, `${server.url}/`, 60_000);
  } finally {
    await server.close();
  }
}

/** Returns the names of the scripts in a folder that contain a text. */
const scriptsWith = (appFolder, text) =>
  readdirSync(appFolder).filter(
    (name) => name.endsWith(".js") && readFileSync(join(appFolder, name), "utf8").includes(text),
  );

describe("the packed player", { timeout: 900_000 }, () => {
  before(async () => {
    await unpack(packageFolder, join(modules, "kinestitch"));
    tarball = await unpack(join(root, "player"), packed);
    symlinkSync(tool("three"), join(modules, "three"), "dir");
    mkdirSync(join(folder, "motions"));
    writeFileSync(join(folder, "motions", "a.bvh"), walk({ frames: 60 }));
    writeFileSync(join(folder, "motions", "hero.glb"), Buffer.from(await glbOf(character("mixamo").model)));
    writeFileSync(join(folder, "motions", "hero.fbx"), fbxOf(character("mixamo")));
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  const vite = (appFolder, ...args) =>
    run(process.execPath, [tool("vite/bin/vite.js"), ...args, "--logLevel", "error"], { cwd: appFolder });

  it("works in a page without a bundler, from the folder standalone under any name", async () => {
    const appFolder = createPlainPage(
      "plain",
      '<script type="module" src="motion-player/kinestitch-player.js"></script>',
    );
    cpSync(join(packed, "standalone"), join(appFolder, "motion-player"), { recursive: true });
    assert.deepEqual(await open(appFolder), expectedReport);
  });

  it("works from another origin under a content security policy that allows it", async () => {
    const cdn = await serve({ "/": modules }, { "access-control-allow-origin": "*" });
    const policy =
      `default-src 'self'; script-src 'self' ${cdn.url} 'wasm-unsafe-eval'; ` +
      `connect-src 'self' ${cdn.url}; worker-src blob: ${cdn.url}; img-src blob: data:`;
    const { unpkg, jsdelivr } = JSON.parse(readFileSync(join(packed, "package.json"), "utf8"));
    assert.deepEqual([unpkg, jsdelivr], ["./standalone/kinestitch-player.js", "./standalone/kinestitch-player.js"]);
    try {
      const script = `<meta http-equiv="Content-Security-Policy" content="${policy}">
        <script type="module" src="${cdn.url}/kinestitch-player/${unpkg}"></script>`;
      assert.deepEqual(await open(createPlainPage("from-cdn", script)), expectedReport);
    } finally {
      await cdn.close();
    }
  });

  /** Asserts that a built app contains three.js once besides the worker for FBX files, and kinestitch once. */
  function assertBundledOnce(appFolder) {
    assert.equal(scriptsWith(appFolder, "THREE.WebGLRenderer: A WebGL context could not be created").length, 1);
    // The page's code, and the scripts of the two workers.
    assert.equal(scriptsWith(appFolder, "no entry of kinestitch is loaded").length, 3);
    const names = readdirSync(appFolder).filter((name) => name.endsWith(".wasm"));
    assert.equal(names.length, 2, names.join());
  }

  it("works built by Vite, with three.js and kinestitch once", async () => {
    const appFolder = createApp("vite");
    await vite(appFolder, "build");
    assert.deepEqual(await open(join(appFolder, "dist")), expectedReport);
    assertBundledOnce(join(appFolder, "dist", "assets"));
  });

  it("works in Vite's development server, without settings", async () => {
    const appFolder = createApp("vite-dev");
    // As after npm install: Vite finds files of packages only in the app's own node_modules.
    cpSync(modules, join(appFolder, "node_modules"), { recursive: true, verbatimSymlinks: true });
    const args = [tool("vite/bin/vite.js"), "--port", "0", "--host", "127.0.0.1"];
    const child = spawn(process.execPath, args, { cwd: appFolder });
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
      assert.deepEqual(await reportOf(browser, url, 60_000), expectedReport);
    } finally {
      child.kill();
    }
  });

  it("works built by webpack, with three.js and kinestitch once", async () => {
    const appFolder = createApp("webpack");
    const { default: webpack } = await import("webpack");
    const output = { path: join(appFolder, "public") };
    // Webpack's hint about sizes over 244 KiB is expected.
    const performance = { hints: false };
    const optimization = { minimize: false }; // minifying takes longer than everything else
    const stats = await promisify(webpack)({
      mode: "production",
      context: appFolder,
      entry: "./main.js",
      output,
      optimization,
      performance,
    });
    assert.ok(!stats.hasErrors() && !stats.hasWarnings(), stats.toString("errors-warnings"));
    writeFileSync(join(appFolder, "public", "index.html"), page("").replace("page.js", "main.js"));
    writeFileSync(join(appFolder, "public", "page.css"), STYLE);
    assert.deepEqual(await open(join(appFolder, "public")), expectedReport);
    assertBundledOnce(join(appFolder, "public"));
  });

  it("defines nothing in Node, so that pages can be rendered on a server", async () => {
    const script = `const modules = [await import("kinestitch-player"), await import("kinestitch-player/react")];
      console.log(JSON.stringify([modules.map((module) => Object.keys(module)), typeof customElements, typeof document]));`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
    assert.deepEqual(JSON.parse(stdout), [[[], []], "undefined", "undefined"]);
    // Frameworks also bundle a page's modules for the server.
    const appFolder = createApp("server");
    writeFileSync(
      join(appFolder, "server.js"),
      'import "kinestitch-player";\nexport const html = "<kinestitch-player>";\n',
    );
    await vite(appFolder, "build", "--ssr", "server.js");
    const importServer = `console.log((await import("./dist/server.js")).html)`;
    const result = await run(process.execPath, ["--input-type=module", "-e", importServer], { cwd: appFolder });
    assert.equal(result.stdout.trim(), "<kinestitch-player>");
  });

  it("passes publint and are-the-types-wrong", async () => {
    const { publint } = await import("publint");
    const { formatMessage } = await import("publint/utils");
    const { messages, pkg } = await publint({ pkgDir: packed, level: "suggestion" });
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg)),
      [],
    );
    const args = [tool("@arethetypeswrong/cli/dist/index.js"), tarball];
    await run(process.execPath, args, { cwd: packageFolder }).catch((error) => assert.fail(error.stdout));
  });

  it("has the version of kinestitch, and holds the expected files and no others", () => {
    const [main, player] = [packageFolder, packed].map((path) =>
      JSON.parse(readFileSync(join(path, "package.json"), "utf8")),
    );
    assert.deepEqual([player.version, player.dependencies.kinestitch], [main.version, main.version]);
    const licences = ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "THIRD-PARTY-NOTICES.txt"];
    assert.deepEqual(readdirSync(packed).sort(), [...licences, "dist", "package.json", "standalone"]);
    const wasm = ["kinestitch_bg.wasm", "kinestitch_small_bg.wasm"];
    assert.deepEqual(readdirSync(join(packed, "standalone", "wasm")).sort(), wasm);
    const texts = readdirSync(packed, { recursive: true }).filter((name) => /\.(wasm|js|ts|json|txt|md)$/.test(name));
    const paths = [homedir(), root.replace(/\/$/, "")].filter((path) => path.length > 1).map((path) => `${path}/`);
    const namesPath = (name) => paths.some((path) => readFileSync(join(packed, name), "latin1").includes(path));
    assert.deepEqual(texts.filter(namesPath), []);
    assert.deepEqual(
      readdirSync(join(packed, "dist")).filter((name) => name.startsWith("fbx-start")),
      [],
    );
  });
});
