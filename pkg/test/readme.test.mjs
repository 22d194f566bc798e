// Every example of the README runs unchanged: code blocks are extracted and run in a folder with two motions.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { launch, packageFolder, root, serve } from "./support.mjs";

const readmes = { "README.md": join(root, "README.md"), "pkg/README.md": join(packageFolder, "README.md") };
const textOf = Object.fromEntries(Object.entries(readmes).map(([name, path]) => [name, readFileSync(path, "utf8")]));

/** Code of the fenced blocks of a language. */
function blocks(text, language) {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, code]) => code);
}

/** Links in a text to files of the repository, without anchors. */
function localLinks(text) {
  return [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, path]) => path);
}

describe("the README's examples", { timeout: 300_000 }, () => {
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "kinestitch-readme-"));
    const modules = join(folder, "node_modules");
    mkdirSync(join(modules, ".bin"), { recursive: true });
    symlinkSync(packageFolder, join(modules, "kinestitch"));
    symlinkSync(join(packageFolder, "bin", "kinestitch.js"), join(modules, ".bin", "kinestitch"));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
    for (const name of ["walk", "run"])
      cpSync(join(root, "tests", "fixtures", `ada-${name}.bvh`), join(folder, `${name}.bvh`));
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const [name, text] of Object.entries(textOf)) {
    it(`${name}: the JavaScript examples run`, () => {
      const examples = blocks(text, "js");
      assert.ok(examples.length > 0);
      for (const [index, code] of examples.entries()) {
        const file = join(folder, `example-${index}.mjs`);
        writeFileSync(file, code);
        execFileSync(process.execPath, [file], { cwd: folder, stdio: "pipe" });
      }
    });

    it(`${name}: the commands of kinestitch run`, () => {
      const commands = blocks(text, "sh").flatMap((block) => block.trim().split("\n"));
      const kinestitchCommands = commands.filter((line) => line.startsWith("npx kinestitch "));
      assert.ok(kinestitchCommands.length > 0);
      for (const command of kinestitchCommands) execFileSync("sh", ["-c", command], { cwd: folder, stdio: "pipe" });
    });

    it(`${name}: linked files exist`, () => {
      for (const path of localLinks(text)) {
        assert.ok(existsSync(join(dirname(readmes[name]), path)), `${name} links ${path}, which is not there`);
      }
    });
  }

  it("README.md: the examples have written their files", () => {
    for (const file of ["both.glb", "pose-to-pose.bvh", "between.bvh", "both.bvh", "walk.glb", "phases.svg"])
      assert.ok(existsSync(join(folder, file)), file);
  });

  it("README.md: all commands of npm are scripts of package.json", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const commands = blocks(textOf["README.md"], "sh").flatMap((block) =>
      [...block.matchAll(/^npm (\w+)/gm)].map(([, word]) => word),
    );
    assert.deepEqual(
      commands.filter((word) => !scripts[word]),
      [],
    );
    assert.ok(commands.length >= 2);
  });

  it("README.md: the HTML example loads its motion", async () => {
    const site = join(folder, "site");
    mkdirSync(site);
    cpSync(join(root, "player", "standalone"), join(site, "kinestitch-player"), { recursive: true });
    cpSync(join(folder, "walk.bvh"), join(site, "walk.bvh"));
    const [page] = blocks(textOf["README.md"], "html");
    writeFileSync(join(site, "index.html"), page);
    const browser = await launch(); // before the server, which would keep the process alive if Chromium is missing
    const server = await serve({ "/": site });
    try {
      const tab = await browser.newPage();
      await tab.goto(server.url);
      await tab.waitForFunction(() => document.querySelector("kinestitch-player")?.duration > 0, undefined, {
        timeout: 60_000,
      });
    } finally {
      await browser.close();
      await server.close();
    }
  });

  it("README.md is at most 150 lines long", () => {
    assert.ok(textOf["README.md"].split("\n").length <= 151);
  });
});
