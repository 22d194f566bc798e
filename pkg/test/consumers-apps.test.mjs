// The packed package in its users' apps: React, VRM avatars, and the bundles for CDNs under a content security policy.
// Tools come from this repository's node_modules, the package from its tarball.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { avatarFile } from "./avatars.mjs";
import { launch, packageFolder, reportOf, root, serve, walk } from "./support.mjs";
import { unpack } from "./tarballs.mjs";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "kinestitch-apps-"));
const installedPath = (name) => join(root, "node_modules", name);
const versionOf = (name) => JSON.parse(readFileSync(join(installedPath(name), "package.json"), "utf8")).version;
let browser;

/** Creates the folder of an app: its sources, the packed package, and tools of this repository. */
function createApp(name, tools) {
  const appFolder = join(folder, name);
  cpSync(join(packageFolder, "test", "consumers", name), appFolder, { recursive: true });
  cpSync(join(packageFolder, "test", "consumers", "story.js"), join(appFolder, "story.js"));
  writeFileSync(join(appFolder, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
  for (const packageName of ["kinestitch", "kinestitch-player"])
    cpSync(join(folder, packageName), join(appFolder, "node_modules", packageName), { recursive: true });
  for (const tool of tools) {
    mkdirSync(dirname(join(appFolder, "node_modules", tool)), { recursive: true });
    symlinkSync(installedPath(tool), join(appFolder, "node_modules", tool), "dir");
  }
  writeMotions(join(appFolder, "public"));
  return appFolder;
}

function writeMotions(appFolder) {
  mkdirSync(appFolder, { recursive: true });
  writeFileSync(join(appFolder, "a.bvh"), walk({ frames: 60 }));
  writeFileSync(join(appFolder, "b.bvh"), walk({ frames: 50, speed: 1.6 }));
}

/** Builds an app by Vite and opens it in Chromium. Returns its report. */
async function buildAndOpen(appFolder) {
  const args = [join(installedPath("vite"), "bin", "vite.js"), "build", "--logLevel", "error"];
  await run(process.execPath, args, { cwd: appFolder });
  const server = await serve({ "/": join(appFolder, "dist") });
  try {
    return await reportOf(browser, `${server.url}/`);
  } finally {
    await server.close();
  }
}

describe("apps with the packed package", { timeout: 600_000 }, () => {
  before(async () => {
    await unpack(packageFolder, join(folder, "kinestitch"));
    await unpack(join(root, "player"), join(folder, "kinestitch-player"));
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  it("works in React's StrictMode, built by Vite, with the element as a component", async () => {
    const appFolder = createApp("react", ["react", "react-dom", "three"]);
    writeFileSync(join(appFolder, "vite.config.js"), 'export default { esbuild: { jsx: "automatic" } };\n');
    const result = await buildAndOpen(appFolder);
    assert.equal(typeof result, "object", result);
    const { version, ...report } = result;
    console.log(`React ${version}, Vite ${versionOf("vite")}`);
    // Only builds for development run effects twice.
    assert.deepEqual(report, { effects: 1, aborted: 0, frames: 110, seconds: "3.63" });
  });

  it("writes VRM Animations that three-vrm plays on an avatar, built by Vite", async () => {
    const appFolder = createApp("vrm", ["three", "@pixiv/three-vrm", "@pixiv/three-vrm-animation"]);
    writeFileSync(join(appFolder, "public", "avatar.vrm"), await avatarFile(1));
    console.log(
      ["three", "@pixiv/three-vrm", "@pixiv/three-vrm-animation"]
        .map((name) => `${name} ${versionOf(name)}`)
        .join(", "),
    );
    const result = await buildAndOpen(appFolder);
    assert.equal(typeof result, "object", result);
    const { bones, ...report } = result;
    assert.deepEqual(report, { frames: 110, walked: true });
    assert.ok(bones > 15, `${bones} bones`);
  });

  for (const entry of ["worker", "small"])
    it(`loads the bundle "${entry}" from a CDN under the content security policy of the guide`, async () => {
      const cdn = await serve({ "/": join(folder, "kinestitch") }, { "access-control-allow-origin": "*" });
      const pageFolder = join(folder, `policy-${entry}`);
      writeMotions(pageFolder);
      writeFileSync(
        join(pageFolder, "main.js"),
        `import { load } from "${cdn.url}/dist/cdn/${entry}.js";
        import { report } from "./story.js";
        report(load("a.bvh").then(({ frames }) => frames));`,
      );
      cpSync(join(packageFolder, "test", "consumers", "story.js"), join(pageFolder, "story.js"));
      const policy =
        `default-src 'self'; script-src 'self' ${cdn.url} 'wasm-unsafe-eval'; ` +
        `connect-src 'self' ${cdn.url}; worker-src blob: ${cdn.url}`;
      writeFileSync(
        join(pageFolder, "index.html"),
        `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
        <title>CDN</title><script type="module" src="main.js"></script>`,
      );
      const server = await serve({ "/": pageFolder });
      try {
        assert.equal(await reportOf(browser, `${server.url}/`), 60);
      } finally {
        await server.close();
        await cdn.close();
      }
    });
});
