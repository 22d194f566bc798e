// Errors of the command line for unknown commands, and for formats that cannot be written.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { packageFolder, walk } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-names-"));
writeFileSync(join(folder, "a.bvh"), walk({ frames: 12 }));
after(() => rmSync(folder, { recursive: true }));

function run(...args) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(packageFolder, "bin", "kinestitch.js"), ...args],
    { cwd: folder, encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

/** Every command that the overview shows. */
const commandNames = [...run("--help").stdout.matchAll(/^ {2}kinestitch ([a-z|]+) /gm)].flatMap(([, names]) =>
  names.split("|"),
);

describe("an unknown command", () => {
  it("is answered by the names of all commands", () => {
    assert.ok(
      commandNames.includes("stitch") && commandNames.includes("mirror") && commandNames.includes("mcp"),
      commandNames.join(),
    );
    for (const args of [["xyzzy"], []]) {
      const { status, stdout, stderr } = run(...args);
      assert.deepEqual([status, stdout], [2, ""]);
      for (const name of commandNames) assert.match(stderr, new RegExp(`\\b${name}\\b`));
      assert.doesNotMatch(stderr, /did you mean/);
    }
  });

  for (const [word, name] of [
    ["lop", "loop"],
    ["mirrro", "mirror"],
    ["Slice", "slice"],
    ["unstitch", "stitch"],
    ["inbetwen", "inbetween"],
    ["conv", "convert"],
    ["rendering", "render"],
  ])
    it(`${word}: did you mean ${name}?`, () => {
      for (const args of [[word], ["help", word]])
        assert.match(run(...args).stderr, new RegExp(`did you mean "${name}"\\?`));
    });

  it("is not help itself", () => {
    const overview = run("--help");
    assert.equal(overview.status, 0);
    for (const args of [["help"], ["help", "help"]]) assert.deepEqual(run(...args), overview);
  });
});

describe("FBX", () => {
  for (const [output, ...args] of [
    ["x.fbx", "convert", "a.bvh"],
    ["x.FBX", "convert", "a.bvh"],
    ["x.out", "convert", "a.bvh", "--format", "fbx"],
    ["y.fbx", "mirror", "a.bvh"],
  ])
    it(`${args.join(" ")} -o ${output}: writes a binary FBX file`, () => {
      const { status, stderr } = run(...args, "-o", output);
      assert.equal(status, 0, stderr);
      assert.equal(readFileSync(join(folder, output)).subarray(0, 18).toString("latin1"), "Kaydara FBX Binary");
      rmSync(join(folder, output));
    });
});
