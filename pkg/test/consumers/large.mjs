// Consumers too large to be development dependencies: installs each with the packed package in its own folder, and runs
// it.
//
//     node pkg/test/consumers/large.mjs [parcel] [next] [bun] [deno]
//
// Needs the built package (npm run build), Chromium, and npm's registry.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { character, fbxOf, glbOf } from "../rigs.mjs";
import { launch, packageFolder, reportOf, root, serve, walk } from "../support.mjs";
import { pack } from "../tarballs.mjs";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "kinestitch-large-"));
const motion = { frames: 110, positions: 110 * 66, refined: "rmr", between: 22 };

/** Creates the folder of a consumer: its files by name, with the package and tools installed. */
async function createConsumer(name, manifest, files, tools, tarball) {
  const appFolder = join(folder, name);
  mkdirSync(appFolder);
  writeFileSync(join(appFolder, "package.json"), JSON.stringify({ name, private: true, ...manifest }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(appFolder, path)), { recursive: true });
    writeFileSync(join(appFolder, path), text);
  }
  cpSync(join(packageFolder, "test", "consumers", "story.js"), join(appFolder, "story.js"));
  await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", tarball, ...tools], {
    cwd: appFolder,
    maxBuffer: 2 ** 26,
  });
  return appFolder;
}

/** Returns name and installed version of a tool, for the printed report. */
const versionOf = (appFolder, tool) =>
  `${tool} ${JSON.parse(readFileSync(join(appFolder, "node_modules", tool, "package.json"), "utf8")).version}`;

const writeMotions = (appFolder) => {
  mkdirSync(appFolder, { recursive: true });
  writeFileSync(join(appFolder, "a.bvh"), walk({ frames: 60 }));
  writeFileSync(join(appFolder, "b.bvh"), walk({ frames: 50, speed: 1.6 }));
};

/** Returns a page for Parcel that runs one script. */
const parcelPage = (script) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Parcel</title></head>
<body><script type="module" src="${script}"></script></body></html>`;

const IMPORTS = `import * as main from "kinestitch";
import "kinestitch/networks";
import * as worker from "kinestitch/worker";
`;

const consumers = {
  async parcel(browser, tarball, player) {
    const appFolder = await createConsumer(
      "parcel",
      { "@parcel/resolver-default": { packageExports: true } },
      {
        "index.html": parcelPage("main.js"),
        "main.js": `${IMPORTS}import { inWorker, onThread, report } from "./story.js";
report(onThread(main).then(async (thread) => ({ thread, worker: await inWorker(worker) })));`,
        "light.html": parcelPage("light.js"),
        "light.js": `import { load, stitch } from "kinestitch/worker"; import { report } from "./story.js";
report(Promise.all([load("a.bvh"), load("b.bvh")]).then(stitch).then(({ frames }) => frames));`,
        // Named imports as in the README's first example; a namespace object would hide problems with name resolution.
        "named.html": parcelPage("named.js"),
        "named.js": `import { animations, inbetween, load, loop, stitch } from "kinestitch"; import { report } from "./story.js";
report((async () => {
  const clips = await Promise.all([load("a.bvh"), load("b.bvh")]);
  const motion = await stitch(clips, { method: "inertialize" });
  const between = await inbetween([{ clip: clips[0], frame: 5 }, { clip: clips[1], frame: 30 }], { frames: 20 });
  return [motion.frames, between.frames, typeof loop, (await animations("a.bvh")).length];
})());`,
      },
      [player, "parcel@2"],
      tarball,
    );
    for (const name of ["index.html", "main.js", "player-story.js"]) {
      const text = readFileSync(join(packageFolder, "test", "consumers", "player", name), "utf8");
      writeFileSync(join(appFolder, name.replace(/^(index|main)/, "player")), text.replace("/main.js", "player.js"));
    }
    const results = { version: versionOf(appFolder, "parcel") };
    for (const page of ["index", "light", "named", "player"]) {
      const out = join(appFolder, page);
      await run(
        "npx",
        ["parcel", "build", `${page}.html`, "--dist-dir", out, "--no-source-maps", "--public-url", "./"],
        { cwd: appFolder, maxBuffer: 2 ** 26 },
      );
      writeMotions(out);
      writeFileSync(join(out, "hero.glb"), Buffer.from(await glbOf(character("mixamo").model)));
      writeFileSync(join(out, "hero.fbx"), fbxOf(character("mixamo")));
      const server = await serve({ "/": out });
      try {
        results[page] = await reportOf(browser, `${server.url}/${page}.html`, 60_000);
      } finally {
        await server.close();
      }
      results[`${page}Files`] = readdirSync(out)
        .filter((name) => /\.(wasm|safetensors)$/.test(name))
        .map((name) => name.replace(/\.[0-9a-f]{8}\./, "."))
        .sort();
    }
    assert.deepEqual(
      [results.index, results.light, results.named, results.player],
      [
        { thread: motion, worker: motion },
        110,
        [110, 22, "function", 0],
        { figure: "1.97", paused: false, modules: [0, 1], glb: "1.97", fbx: "1.97" },
      ],
    );
    assert.deepEqual(results.lightFiles, ["kinestitch_bg.wasm"]);
    return results;
  },

  async next(browser, tarball) {
    const appFolder = await createConsumer(
      "next",
      {},
      {
        "next.config.mjs": 'export default { serverExternalPackages: ["kinestitch"] };\n',
        "app/layout.js":
          'export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html>; }\n',
        "app/page.js": `"use client";
import { useEffect } from "react";
${IMPORTS}import { inWorker, onThread, report } from "../story.js";
export default function Page() {
  useEffect(() => report(onThread(main).then(async (thread) => ({ thread, worker: await inWorker(worker) }))), []);
  return <p>kinestitch in Next</p>;
}
`,
        "app/frames/route.js": `import { join } from "node:path";
import { load, stitch } from "kinestitch";
export const dynamic = "force-dynamic";
export async function GET() {
  const clips = await Promise.all(["a.bvh", "b.bvh"].map((name) => load(join(process.cwd(), "public", name))));
  return Response.json((await stitch(clips, { method: "rmr" })).seams[0].method);
}
`,
      },
      ["next@latest", "react@latest", "react-dom@latest"],
      tarball,
    );
    writeMotions(join(appFolder, "public"));
    const results = { version: [versionOf(appFolder, "next"), versionOf(appFolder, "react")] };
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
    for (const bundler of [[], ["--webpack"]]) {
      await run("npx", ["next", "build", ...bundler], { cwd: appFolder, env, maxBuffer: 2 ** 26 });
      const child = spawn(
        process.execPath,
        [
          join(appFolder, "node_modules", "next", "dist", "bin", "next"),
          "start",
          "--port",
          "0",
          "--hostname",
          "127.0.0.1",
        ],
        { cwd: appFolder, env },
      );
      try {
        const url = await new Promise((resolve, reject) => {
          let text = "";
          for (const stream of [child.stdout, child.stderr]) {
            stream.on("data", (bytes) => {
              text += String(bytes).replace(/\x1b\[[0-9;]*m/g, "");
              const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
              if (url) resolve(url);
            });
          }
          child.on("exit", () => reject(new Error(`next ended: ${text}`)));
        });
        const name = bundler[0] ?? "--turbopack";
        results[name] = [await (await fetch(`${url}/frames`)).json(), await reportOf(browser, `${url}/`)];
        assert.deepEqual(results[name], ["rmr", { thread: motion, worker: motion }]);
      } finally {
        child.kill();
      }
    }
    return results;
  },
};

for (const [name, command] of [
  ["bun", ["bun", "run"]],
  ["deno", ["deno", "run", "--allow-all", "--node-modules-dir=manual"]],
]) {
  consumers[name] = async (_browser, tarball) => {
    const appFolder = await createConsumer(
      name,
      { type: "module" },
      {
        "main.js": `${IMPORTS}import { inWorker, onThread } from "./story.js";
console.log(JSON.stringify([await onThread(main), await inWorker(worker)]));
process.exit();
`,
      },
      [`${name}@latest`],
      tarball,
    );
    writeMotions(appFolder);
    // npm asks before it runs a package's install script.
    if (name === "deno")
      await run(process.execPath, [join(appFolder, "node_modules", "deno", "install.cjs")], { cwd: appFolder });
    const { stdout } = await run("npx", [...command, "main.js"], {
      cwd: appFolder,
      env: { ...process.env, DENO_DIR: join(appFolder, "cache") },
    });
    assert.deepEqual(JSON.parse(stdout), [motion, motion]);
    return (await run("npx", [command[0], "--version"], { cwd: appFolder })).stdout.split("\n")[0];
  };
}

const requested = process.argv.slice(2);
const unknown = requested.find((name) => !Object.hasOwn(consumers, name));
assert.ok(unknown === undefined, `${unknown} is not one of ${Object.keys(consumers).join(", ")}`);
const browser = await launch();
let hasFailure = false;
try {
  const tarballs = [await pack(packageFolder, folder), await pack(join(root, "player"), folder)];
  for (const [name, consume] of Object.entries(consumers)) {
    if (requested.length > 0 && !requested.includes(name)) continue;
    try {
      console.log(`${name}: works`, JSON.stringify(await consume(browser, ...tarballs)));
    } catch (error) {
      hasFailure = true;
      console.log(`${name}: FAILS: ${error.stdout ?? ""}${error.stderr ?? ""}${error.stack}`);
    }
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = hasFailure ? 1 : 0;
