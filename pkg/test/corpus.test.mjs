// `npm run corpus` on the fixtures: everything that is read and written is where independent readers see it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { load } from "kinestitch";
import { root } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-corpus-"));
after(() => rmSync(folder, { recursive: true }));
const corpus = (...args) =>
  spawnSync(process.execPath, [join(root, "scripts", "corpus.mjs"), ...args], { encoding: "utf8" });

describe("npm run corpus", () => {
  it("finds nothing off in the fixtures", () => {
    const json = join(folder, "report.json");
    const { status, stdout, stderr } = corpus(join(root, "tests", "fixtures"), "--json", json);
    assert.equal(
      status,
      0,
      `${stdout
        .split("\n")
        .filter((line) => !/^(ok|nothing)/.test(line))
        .join("\n")}${stderr}`,
    );
    const { sums } = JSON.parse(readFileSync(json, "utf8"));
    assert.equal(sums.files, sums.ok + sums.nothing);
    assert.ok(sums.motions > 25 && sums.characters > 15 && sums.checks > 300, JSON.stringify(sums));
  });

  it("has exit code 1 and a reason for a file that is off", async () => {
    // A GLB that the judge reads otherwise: its BVH copy has a joint elsewhere.
    const walk = readFileSync(join(root, "tests", "fixtures", "ada-walk.bvh"), "utf8");
    writeFileSync(
      join(folder, "walk.bvh"),
      walk.replace(/^Frames: (\d+)$/m, (_, frames) => `Frames: ${frames - 1}`),
    );
    writeFileSync(join(folder, "walk.glb"), await (await load(walk)).toGlb());
    const { status, stdout } = corpus(folder);
    assert.equal(status, 1);
    assert.match(stdout, /^(off|refused) .*walk\.bvh/m);
    assert.match(stdout, /^ok .*walk\.glb/m);
    assert.match(stdout, /^files 2, ok 1, /m);
  });
});
