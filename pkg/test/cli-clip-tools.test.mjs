// Clip tools on the command line.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { load } from "kinestitch";
import { packageFolder, root } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-clip-tools-"));
after(() => rmSync(folder, { recursive: true }));
for (const name of ["ada-walk", "ada-run", "cleo-walk"])
  copyFileSync(join(root, "tests", "fixtures", `${name}.bvh`), join(folder, `${name}.bvh`));

function run(...args) {
  const bin = join(packageFolder, "bin", "kinestitch.js");
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { cwd: folder, encoding: "utf8" });
  return { status, stdout, stderr };
}

function output(...args) {
  const { status, stdout, stderr } = run(...args);
  assert.deepEqual([status, stderr], [0, ""]);
  return stdout;
}

const json = (...args) => JSON.parse(output(...args, "--json"));
const read = (name) => load(join(folder, name));

/** Returns the joint positions of a frame, mirrored: x has the other sign, and left and right joints are exchanged. */
async function mirroredPositions(clip, seconds) {
  const names = clip.info().joints.map(({ name }) => name);
  const other = (name) => name.replace(/^Left|^Right/, (side) => (side === "Left" ? "Right" : "Left"));
  const { positions } = await clip.at(seconds);
  return names.flatMap((name) => {
    const [x, y, z] = positions.slice(3 * names.indexOf(other(name)));
    return [-x, y, z];
  });
}

describe("clip tools on the command line", () => {
  it("slice, reverse, mirror, and change speed and frame rate", async () => {
    const clip = await read("ada-walk.bvh");
    const original = { seconds: clip.info().seconds, fps: clip.fps };
    const sliced = json("slice", "ada-walk.bvh", "--from", "0.5", "--to", "1.5", "-o", "slice.bvh");
    assert.deepEqual([sliced.input, sliced.output, sliced.frames], ["ada-walk.bvh", "slice.bvh", Math.round(clip.fps)]);
    assert.equal((await read("slice.bvh")).frames, sliced.frames);
    assert.equal(
      json("slice", "ada-walk.bvh", "--from", "1", "-o", "rest.bvh").frames,
      clip.frames - Math.round(clip.fps),
    );
    assert.equal(json("reverse", "ada-walk.bvh", "-o", "back.bvh").frames, clip.frames);
    const [first, last] = [await clip.at(0), await (await read("back.bvh")).at(original.seconds)];
    first.positions.forEach((value, i) => assert.ok(Math.abs(value - last.positions[i]) < 1e-3));
    assert.equal(json("mirror", "ada-walk.bvh", "-o", "image.glb").frames, clip.frames);
    assert.equal(readFileSync(join(folder, "image.glb")).subarray(0, 4).toString(), "glTF");
    const { positions } = await (await read("image.glb")).at(1);
    (await mirroredPositions(clip, 1)).forEach((value, i) => assert.ok(Math.abs(value - positions[i]) < 1e-3));
    const fast = json("speed", "ada-walk.bvh", "--factor", "2", "-o", "fast.bvh");
    assert.ok(Math.abs(fast.seconds - original.seconds / 2) < 1 / clip.fps);
    assert.equal(Math.round(json("resample", "ada-walk.bvh", "--fps", "60", "-o", "sixty.bvh").fps), 60);
    assert.match(output("reverse", "ada-walk.bvh", "-o", "back.bvh"), /^back\.bvh: \d+ frames at 30 fps, [\d.]+ s\n$/);
  });

  it("remove root motion, and recover it from the feet", async () => {
    const extracted = json("root", "ada-walk.bvh", "--extract", "-o", "still.bvh");
    assert.equal(extracted.path, "still.root.csv");
    const lines = readFileSync(join(folder, extracted.path), "utf8").trimEnd().split("\n");
    assert.deepEqual(
      [lines[0], lines[1], lines.length],
      ["seconds,x,z", "0.000000,0.000000,0.000000", extracted.frames + 1],
    );
    json("root", "ada-walk.bvh", "--remove", "-o", "removed.bvh");
    assert.deepEqual(readFileSync(join(folder, "removed.bvh")), readFileSync(join(folder, "still.bvh")));
    assert.ok(!existsSync(join(folder, "removed.root.csv")));
    const recovered = json("root", "still.bvh", "--from-feet", "-o", "found.bvh");
    assert.ok(Math.abs(recovered.metres / extracted.metres - 1) < 0.1, `${recovered.metres} of ${extracted.metres} m`);
    const { status, stderr } = run("root", "cleo-walk.bvh", "--from-feet", "-o", "no.bvh");
    assert.equal(status, 1);
    assert.match(stderr, /cleo-walk\.bvh: .*two legs/);
    assert.ok(!existsSync(join(folder, "no.bvh")));
  });

  it("make loops", async () => {
    const report = json("loop", "ada-run.bvh", "--in-place", "-o", "loop.bvh");
    assert.deepEqual(report.travel, { x: 0, z: 0, heading: 0 });
    assert.ok(report.cycle.to - report.cycle.from >= 10 && report.apartCm >= 0);
    assert.equal((await read("loop.bvh")).frames, report.frames);
    const travelling = json("loop", "ada-run.bvh", "--method", "inertialize", "--cycle", "longest", "-o", "long.bvh");
    assert.ok(travelling.frames >= report.frames && Math.hypot(travelling.travel.x, travelling.travel.z) > 0.5);
    assert.match(
      output("loop", "ada-run.bvh", "--method", "inertialize", "-o", "loop.bvh"),
      /whose ends were|already a loop/,
    );
  });

  it("refuse wrong arguments, and write nothing", () => {
    const wrong = [
      [["slice", "-o", "x.bvh"], /slice takes one file/],
      [["slice", "ada-walk.bvh"], /name an output file/],
      [["slice", "ada-walk.bvh", "--from", "soon", "-o", "x.bvh"], /--from must be a number of seconds/],
      [["speed", "ada-walk.bvh", "-o", "x.bvh"], /--factor N/],
      [["root", "ada-walk.bvh", "-o", "x.bvh"], /one of --extract, --remove and --from-feet/],
      [["root", "ada-walk.bvh", "--extract", "--remove", "-o", "x.bvh"], /one of --extract/],
      [["root", "ada-walk.bvh", "--remove", "--path", "p.csv", "-o", "x.bvh"], /--path goes with --extract/],
      [["root", "ada-walk.bvh", "--extract", "--path", "-", "-o", "-"], /only one of --output and --path/],
      [["loop", "ada-walk.bvh", "--cycle", "both", "-o", "x.bvh"], /--cycle must be/],
      [["mirror", "ada-walk.bvh", "--fast", "-o", "x.bvh"], /unknown option/],
    ];
    for (const [args, message] of wrong) {
      const { status, stderr } = run(...args);
      assert.equal(status, 2, args.join(" "));
      assert.match(stderr, message);
    }
    const outside = run("slice", "ada-walk.bvh", "--from", "50", "--to", "60", "-o", "x.bvh");
    assert.equal(outside.status, 1);
    assert.match(outside.stderr, /ada-walk\.bvh: --from and --to: .*seconds long/);
    const original = readFileSync(join(folder, "ada-walk.bvh"));
    assert.equal(run("reverse", "ada-walk.bvh", "-o", "ada-walk.bvh").status, 1);
    assert.deepEqual(readFileSync(join(folder, "ada-walk.bvh")), original);
    const twice = run("root", "ada-walk.bvh", "--extract", "--path", "x.bvh", "-o", "x.bvh");
    assert.equal(twice.status, 1);
    assert.match(twice.stderr, /x\.bvh: it is the same file as x\.bvh/);
    assert.ok(!existsSync(join(folder, "x.bvh")));
  });

  it("have a help text each", () => {
    for (const command of ["slice", "reverse", "mirror", "speed", "resample", "root", "loop", "clean"]) {
      const text = output("help", command);
      assert.match(text, new RegExp(`^kinestitch ${command} IN`));
      assert.equal(output(command, "--help"), text);
      for (const line of text.split("\n")) assert.ok(line.length <= 140, line);
    }
  });
});
