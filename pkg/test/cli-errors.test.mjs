// Errors of the command line: exit status and message, for files and for arguments.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { writeRefiners } from "./generated-networks.mjs";
import { packageFolder, walk } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-cli-errors-"));
after(() => rmSync(folder, { recursive: true }));
writeRefiners(join(folder, "made"));

const file = (name, content) => {
  writeFileSync(join(folder, name), content);
  return name;
};
const a = file("a.bvh", walk({ frames: 60 }));
const b = file("b.bvh", walk({ frames: 50, speed: 1.6 }));
const broken = file("broken.bvh", walk({ frames: 5 }).replace("CHANNELS", "CHANELS"));

/** Runs `kinestitch` in the folder with the test's files. */
function run(...args) {
  const bin = join(packageFolder, "bin", "kinestitch.js");
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { cwd: folder, encoding: "utf8" });
  return { status, stdout, stderr };
}

describe("an error in a file or a value ends with status 1 and one line that names it", () => {
  const short = file("short.bvh", walk({ frames: 4 }));
  file("empty.bvh", "");
  file("page.bvh", "<!doctype html>\n<title>404</title>\n");
  file("takes.fbx", "; FBX 7.3.0 project file\n");
  file("many.gltf", JSON.stringify({ asset: { version: "2.0" }, nodes: new Array(2 ** 17 + 1).fill({}) }));
  file(
    "binary.bvh",
    Uint8Array.from({ length: 2000 }, (_, i) => (i * 193) % 256),
  );
  for (const [args, message] of [
    [["info", broken], /broken\.bvh: line \d+, column \d+: /],
    [["convert", broken, "-o", "x.glb"], /broken\.bvh: line \d+, column \d+: /],
    [["stitch", a, broken, "-o", "x.bvh"], /broken\.bvh: line \d+, column \d+: /],
    [["info", "empty.bvh"], /empty\.bvh: line 1, column 1: /],
    [["info", "binary.bvh"], /binary\.bvh: line \d+, column \d+: /],
    [["info", "missing.bvh"], /cannot read missing\.bvh: no such file/],
    [["info", "$&.bvh"], /cannot read \$&\.bvh: no such file/],
    [["info", "."], /cannot read \.: it is a directory/],
    [["convert", a, "-o", "x.glb", "--character", "missing.glb"], /^kinestitch: cannot read missing\.glb: no such/],
    [["convert", a, "-o", "x.glb", "--character", "many.gltf"], /^kinestitch: many\.gltf: the file has 131,073 nodes;/],
    [["stitch", a, short, "-o", "x.bvh"], /"short\.bvh" has 4 frames/],
    [["stitch", a, b, "-o", "x.bvh", "--trim", "1:20:70"], /"b\.bvh"/],
    [["stitch", a, b, "-o", "nowhere/x.bvh"], /cannot write nowhere\/x\.bvh: the folder .* does not exist/],
    [["stitch", a, b, "-o", `./${a}`], /it is an input/],
    [["convert", a, "-o", a], /it is an input/],
    [["lscore", a, b, "--map", a], /it is an input/],
    [["phases", a, "--joint", "Tail"], /^kinestitch: --joint: clip "a" has no joint "Tail"/],
    [["judge", a, "--models", "."], /manifest\.json: no such file; copy models\/ .* --models FOLDER$/m],
    [["judge", a, "--animation", "Run"], /^kinestitch: a\.bvh: animation is for GLB and glTF files/],
    [["info", "page.bvh"], /^kinestitch: page\.bvh: this is a web page \(HTML\), not a motion file/],
    [["info", ""], /the name of an input file is empty/],
    [["info", "takes.fbx"], /^kinestitch: takes\.fbx: /],
    [["info", "*.txt"], /no file matches "\*\.txt"/],
    [["info", `${a}/*.bvh`], /no file matches "a\.bvh\/\*\.bvh"/],
    [["info", "[z-a]*"], /is not a valid pattern of file names/],
    [["convert", a, "-o", "nowhere/x.glb"], /cannot write nowhere\/x\.glb: the folder .* does not exist/],
    [["convert", "?.bvh", "-o", `${a}/`, "--format", "glb"], /cannot write into a\.bvh\/: it is not a folder/],
    [["convert", broken, "-o", "x.glb/", "--format", "glb"], /broken\.bvh: line \d+, column \d+: /],
    [["lscore", a, b, "--map", "nowhere/x.csv"], /cannot write nowhere\/x\.csv: the folder .* does not exist/],
    [["stitch", a, b, "-o", "x.bvh", "--method", "rmr", "--models", "made", "--device", "webgpu"], /no WebGPU/],
    [
      ["stitch", a, b, "-o", "x.bvh", "--method", "rmr", "--models", "."],
      /cannot read .*manifest\.json: no such file; copy models\//,
    ],
    [
      ["stitch", a, b, "-o", "x.bvh", "--method", "rmr", "--models", "made", "--set", "secret"],
      /there is no set "secret"/,
    ],
  ]) {
    it(args.join(" "), () => {
      const { status, stdout, stderr } = run(...args);
      assert.deepEqual([status, stdout], [1, ""]);
      assert.match(stderr, message);
      assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
      assert.ok(!existsSync(join(folder, "x.bvh")) && !existsSync(join(folder, "x.glb")));
    });
  }
});

describe("info of several files, of which some are damaged", () => {
  it("reports the others, and the error of each damaged file", () => {
    const { status, stdout, stderr } = run("info", a, broken, b);
    assert.equal(status, 1);
    assert.deepEqual(stdout.match(/^.*(?=: 22 joints)/gm), [a, b]);
    assert.match(stderr, /^kinestitch: broken\.bvh: line .*\nkinestitch: 1 of 3 files cannot be read\n$/);
    const json = run("info", a, broken, b, "--json");
    assert.equal(json.status, 1);
    const [first, second, third] = JSON.parse(json.stdout);
    assert.deepEqual([first.name, second.file, third.name], ["a", broken, "b"]);
    assert.match(second.error, /^line \d+, column \d+: /);
  });
});

describe("--animation of commands with several files", () => {
  it("applies to the GLB and glTF files", () => {
    assert.equal(run("convert", b, "-o", "run.glb").status, 0);
    for (const args of [
      ["stitch", a, "run.glb", "-o", "both.bvh", "--method", "inertialize"],
      ["inbetween", `${a}@3`, "run.glb@3", "--frames", "5", "--method", "linear", "-o", "both.bvh"],
      ["lscore", a, "run.glb"],
    ]) {
      assert.equal(run(...args, "--animation", "b").status, 0, args.join(" "));
      const { status, stderr } = run(...args, "--animation", "jump");
      assert.equal(status, 1);
      assert.match(stderr, /^kinestitch: run\.glb: the file has no animation "jump"/);
    }
  });
});

describe("wrong usage ends with status 2", () => {
  const stitch = (...args) => ["stitch", a, b, "-o", "y.bvh", ...args];
  for (const args of [
    [],
    ["unstitch", a],
    ["help", "unstitch"],
    ["info"],
    ["info", a, "--jsno"],
    ["stitch", a, "-o", "y.bvh"],
    ["stitch", a, b],
    ["stitch", a, b, "-o"],
    stitch("--method", "magic"),
    stitch("--device", "tpu"),
    ["info", a, "--networks"],
    stitch("--blend", "many"),
    stitch("--blend", "-3"),
    stitch("--foot-lock", "maybe"),
    stitch("--fps", "0"),
    stitch("--fps", "fast"),
    stitch("--trim", "10:40"),
    stitch("--trim", "2:0:20"),
    stitch("--trim", "0:20:10"),
    stitch("--trim", "0:0:20", "--trim", "0:10:30"),
    ["convert", a],
    ["convert", a, b, "-o", "y.glb"],
    ["convert", a, b, "-o", "."],
    ["convert", a, join("set", "..", a), "-o", ".", "--format", "glb"],
    ["convert", a, "-o", "y.glb", "--jsno"],
  ]) {
    it(args.join(" ") || "no arguments", () => {
      const { status, stdout, stderr } = run(...args);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.match(stderr, /^kinestitch: .*; see kinestitch --help\n$/);
    });
  }

  it("names the values of the command line", () => {
    assert.match(run(...stitch("--foot-lock", "maybe")).stderr, /--foot-lock must be on or off, not "maybe"/);
    for (const [args, message] of [
      [["convert", a, "-o", "y.glb", "--fps", "1e9"], /^kinestitch: --fps must be from 1 to 1000 frames per second/],
      [["speed", a, "-o", "y.bvh", "--factor", "1e9"], /^kinestitch: --factor must be a factor from 0\.01 to 100/],
      [["lscore", a, b, "--window", "500"], /^kinestitch: --window: from 3 to 30 frames, not 500/],
      [stitch("--method", "inertialize", "--blend=100"), /^kinestitch: --blend: from 0 to 60 seconds, not 100/],
      [["loop", a, "-o", "y.bvh", "--min-seconds", "5", "--max-seconds", "1"], /--min-seconds: .* --max-seconds is/],
    ]) {
      const { status, stderr } = run(...args);
      assert.equal(status, 2, stderr);
      assert.match(stderr, message);
    }
    assert.match(run(...stitch("--blend", "-3")).stderr, /--blend must be a number of seconds from 0, not "-3"/);
    const inbetween = ["inbetween", `${a}@3`, `${b}@3`, "-o", "y.bvh"];
    assert.match(run(...inbetween, "--frames", "5,6").stderr, /--frames must be a whole number of frames, not "5,6"/);
    assert.match(run(...inbetween, "--frames", "5", "--at", "-1,2").stderr, /--at is X,Z,DEGREES, .*, not "-1,2"/);
  });

  it("mcp without a folder", () => {
    const { status, stderr } = run("mcp");
    assert.deepEqual([status, stderr.includes("mcp takes one folder, but got 0")], [2, true], stderr);
  });
});
