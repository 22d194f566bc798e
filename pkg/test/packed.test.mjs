// Contents of the packed package: types, size, files. Its users: consumers.test.mjs.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { packageFolder, root } from "./support.mjs";
import { unpack } from "./tarballs.mjs";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "kinestitch-packed-"));
const tool = (path) => join(root, "node_modules", path);
const installed = join(folder, "node_modules", "kinestitch");
const { networks: shippedNetworks } = JSON.parse(readFileSync(join(packageFolder, "models", "manifest.json"), "utf8"));
const isOptimised =
  JSON.parse(readFileSync(join(packageFolder, "wasm", ".kinestitch.stamp.json"), "utf8")).dev === false;
let tarball;

describe("contents of the packed package", { timeout: 600_000 }, () => {
  before(async () => {
    tarball = await unpack(packageFolder, installed);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
    cpSync(join(packageFolder, "test", "consumers", "node", "types.ts"), join(folder, "types.ts"));
  });
  after(() => rmSync(folder, { recursive: true }));

  it("has types for bundlers and for Node", async () => {
    for (const [module, resolution] of [
      ["esnext", "bundler"],
      ["nodenext", "nodenext"],
    ]) {
      const options = [
        "--noEmit",
        "--strict",
        "--target",
        "es2022",
        "--module",
        module,
        "--moduleResolution",
        resolution,
      ];
      await run(process.execPath, [tool("typescript/bin/tsc"), ...options, "types.ts"], { cwd: folder }).catch(
        (error) => assert.fail(error.stdout),
      );
    }
  });

  it("passes publint and are-the-types-wrong", async () => {
    const { publint } = await import("publint");
    const { formatMessage } = await import("publint/utils");
    for (const pkgDir of [packageFolder, join(root, "single")]) {
      const { messages, pkg } = await publint({ pkgDir, level: "suggestion" });
      assert.deepEqual(
        messages.map((message) => formatMessage(message, pkg)),
        [],
      );
    }
    const attw = run(process.execPath, [tool("@arethetypeswrong/cli/dist/index.js"), tarball], {
      cwd: packageFolder,
    });
    await attw.catch((error) => assert.fail(error.stdout));
  });

  it("has a doc comment for every function, as editors show it", async () => {
    const { default: ts } = await import("typescript");
    for (const entry of ["kinestitch", "kinestitch/worker", "kinestitch/small", "kinestitch/slim"]) {
      const file = join(folder, "hover.mts");
      writeFileSync(file, `export * from ${JSON.stringify(entry)};\n`);
      const program = ts.createProgram([file], {
        module: ts.ModuleKind.ESNext,
        moduleResolution: ts.ModuleResolutionKind.Bundler,
        target: ts.ScriptTarget.ES2022,
      });
      const checker = program.getTypeChecker();
      const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
      const resolved = symbols.map((symbol) =>
        symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
      );
      const functions = resolved.filter((symbol) => checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0);
      assert.ok(functions.length >= 2);
      assert.deepEqual(
        functions.filter((symbol) => symbol.getDocumentationComment(checker).length === 0).map(({ name }) => name),
        [],
        entry,
      );
    }
  });

  it("contains no path of the machine that built it", () => {
    const texts = readdirSync(installed, { recursive: true }).filter((name) => /\.(wasm|js|json|txt|md)$/.test(name));
    const withPath = texts.filter((name) => {
      const text = readFileSync(join(installed, name), "latin1");
      return [homedir(), root.replace(/\/$/, "")].some((path) => path.length > 1 && text.includes(`${path}/`));
    });
    assert.deepEqual(withPath, []);
  });

  it("is at most 1.5 MB without networks and WebGPU", {
    skip: !isOptimised && "development builds of the modules are larger: npm run build",
  }, async () => {
    const withoutNetworks = join(folder, "without-networks");
    cpSync(installed, withoutNetworks, { recursive: true });
    rmSync(join(withoutNetworks, "models"), { recursive: true });
    for (const name of readdirSync(join(withoutNetworks, "wasm")))
      if (name.startsWith("networks")) rmSync(join(withoutNetworks, "wasm", name));
    const { stdout } = await run("npm", ["pack", "--json", "--dry-run", "--ignore-scripts"], { cwd: withoutNetworks });
    const [{ size, filename, unpackedSize }] = JSON.parse(stdout);
    console.log(
      `${filename} without networks: ${(size / 1e6).toFixed(2)} MB, unpacked ${(unpackedSize / 1e6).toFixed(2)} MB`,
    );
    assert.ok(size <= 1.5e6, `${size} bytes`);
  });

  it("has the same version as kinestitch-single", () => {
    const [main, single] = [packageFolder, join(root, "single")].map((path) =>
      JSON.parse(readFileSync(join(path, "package.json"), "utf8")),
    );
    assert.deepEqual([single.version, single.dependencies.kinestitch], [main.version, main.version]);
  });

  it("contains the expected files and no others", () => {
    assert.deepEqual(readdirSync(installed).sort(), [
      "CHANGELOG.md",
      "LICENSE-APACHE",
      "LICENSE-MIT",
      "README.md",
      "THIRD-PARTY-NOTICES.txt",
      "bin",
      "dist",
      "llms.txt",
      "models",
      "package.json",
      "skill",
      "wasm",
    ]);
    // If browser code mentions a name of Node's, Parcel adds a package to the user's package.json.
    for (const decoder of ["draco", "meshopt"])
      assert.doesNotMatch(
        readFileSync(join(installed, "dist", "gltf", "decoders", `${decoder}.js`), "utf8"),
        /\b(typeof Buffer|Buffer\.(from|alloc|concat))\b/,
        decoder,
      );
    const notices = readFileSync(join(installed, "THIRD-PARTY-NOTICES.txt"), "utf8");
    for (const word of ["glam 0", "three 0", "burn 0", "meshoptimizer 0", "Mozilla Public License", "Apache License"])
      assert.ok(notices.includes(word), word);
    assert.deepEqual(
      readdirSync(join(installed, "models")).sort(),
      [
        "index.d.ts",
        "index.js",
        "manifest.json",
        "webgpu.js",
        ...shippedNetworks.map(({ name, character }) => `${[name, character].filter(Boolean).join("-")}.js`),
        ...shippedNetworks.flatMap(({ files }) => files.map(({ name }) => name)),
      ].sort(),
    );
    const wasm = ["kinestitch", "kinestitch_fbx", "kinestitch_small", "networks"].flatMap((name) => [
      `${name}.d.ts`,
      `${name}.js`,
      `${name}_bg.wasm`,
      `${name}_bg.wasm.d.ts`,
    ]);
    assert.deepEqual(readdirSync(join(installed, "wasm")).sort(), wasm);
  });
});
