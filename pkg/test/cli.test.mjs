// Commands and options of the command line. Other tests: cli-*.test.mjs for errors, output and clip tools.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { load } from "kinestitch";
import { writeRefiners } from "./generated-networks.mjs";
import { noWeights, packageFolder, root, walk } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-cli-"));
after(() => rmSync(folder, { recursive: true }));
const networksFolder = join(folder, "made");
writeRefiners(networksFolder);

const writeMotion = (name, text) => {
  writeFileSync(join(folder, name), text);
  return name;
};
const a = writeMotion("a.bvh", walk({ frames: 60 }));
const b = writeMotion("b.bvh", walk({ frames: 50, speed: 1.6 }));

/** Runs `kinestitch` in the folder with the test's files. */
function run(...args) {
  return runWithInput(undefined, ...args);
}

/** Like `run`, with text on standard input. */
function runWithInput(input, ...args) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(packageFolder, "bin", "kinestitch.js"), ...args],
    { cwd: folder, encoding: "latin1", input },
  );
  return { status, stdout, stderr: Buffer.from(stderr, "latin1").toString() };
}

/** Runs a command that must succeed with an empty stderr. */
function output(...args) {
  const { status, stdout, stderr } = run(...args);
  assert.deepEqual([status, stderr], [0, ""]);
  return stdout;
}

describe("info", () => {
  it("prints JSON", () => {
    const info = JSON.parse(output("info", a, "--json"));
    assert.deepEqual(
      [info.joints, info.frames, Math.round(info.fps), info.unit, info.warnings],
      [22, 60, 30, "cm", []],
    );
    assert.ok(Math.abs(info.seconds - 2) < 1e-6);
    assert.equal(info.rig.LeftForeArm, "LeftForeArm");
  });

  it("prints text without --json", () => {
    const text = output("info", a);
    assert.match(text, /22 joints, 60 frames at 30 fps, 2 s/);
    assert.match(text, /LeftForeArm +LeftForeArm/);
  });

  it("lists the networks", () => {
    const { models, loaded } = JSON.parse(
      output("info", "--networks", "--device", "cpu", "--models", networksFolder, "--json"),
    );
    assert.ok(models.length === 2 && models.every(({ set, licence, scores }) => set && licence && scores));
    assert.deepEqual([loaded.name, loaded.set, loaded.device.asked, loaded.device.used], ["rmr", "open", "cpu", "cpu"]);
    const text = output("info", "--networks", "--models", networksFolder, "--set", models[0].set);
    assert.ok(text.includes(`licence: ${models[0].licence}`) && text.includes(`trained on ${models[0].data[0].name}`));
    assert.match(text, /^rmr \(set .*\) on cpu, requested auto: /m);
    const emptyFolder = join(folder, "none");
    mkdirSync(emptyFolder);
    writeMotion(join("none", "manifest.json"), JSON.stringify({ version: 2, networks: [] }));
    assert.match(output("info", "--networks", "--models", emptyFolder), /there are no networks/);
    const judge = { ...models[0], name: "judge", for: "judge" };
    writeMotion(join("none", "manifest.json"), JSON.stringify({ version: 2, networks: [judge] }));
    assert.match(output("info", "--networks", "--models", emptyFolder), /^judge, for judge, set \w+, layout/);
  });

  it("prints every score of the networks as text", { skip: noWeights }, () => {
    const text = output("info", "--networks", "--models", join(root, "models"));
    assert.doesNotMatch(text, /\[object/);
    assert.match(text, /^ {4}\S+ +\S+ [\d.]+/m);
  });

  it("prints warnings", () => {
    const doubtful = writeMotion("doubtful.bvh", walk({ frames: 12 }).replace("Frames: 12", "Frames: 40"));
    const { frames, warnings } = JSON.parse(output("info", doubtful, "--json"));
    assert.deepEqual([frames, warnings.length], [12, 1]);
    assert.match(output("info", doubtful), /^warning: /m);
  });
});

describe("stitch", () => {
  it("writes BVH and reports the seams", async () => {
    const report = JSON.parse(output("stitch", a, b, a, "-o", "out.bvh", "--method", "inertialize", "--json"));
    assert.deepEqual(Object.keys(report), ["frames", "fps", "seams", "warnings", "milliseconds"]);
    assert.deepEqual([report.frames, Math.round(report.fps), report.seams.length], [170, 30, 2]);
    assert.deepEqual(
      report.seams.map(({ measuredRange }) => measuredRange),
      [
        { from: 30, to: 90 },
        { from: 80, to: 140 },
      ],
    );
    assert.deepEqual(
      report.seams.map(({ frame, method }) => [frame, method]),
      [
        [60, "inertialize"],
        [110, "inertialize"],
      ],
    );
    assert.ok(report.seams.every(({ footSkate, peakJerk }) => Number.isFinite(footSkate) && peakJerk > 0));
    assert.equal((await load(join(folder, "out.bvh"))).frames, 170);
  });

  it("writes GLB over an existing file", () => {
    writeMotion("out.glb", "old");
    assert.match(output("stitch", a, b, "-o", "out.glb", "--method", "inertialize"), /out\.glb: 110 frames at 30 fps/);
    assert.equal(readFileSync(join(folder, "out.glb")).toString("latin1", 0, 4), "glTF");
  });

  it("refines with a network", async () => {
    const options = ["--method", "rmr", "--device", "cpu", "--models", networksFolder, "--set"];
    const report = JSON.parse(output("stitch", a, b, "-o", "refined.bvh", ...options, "open", "--json"));
    const [{ method, driftCm }] = report.seams;
    assert.deepEqual(
      [report.frames, method, report.networks[0].set, report.networks[0].device.used],
      [110, "rmr", "open", "cpu"],
    );
    assert.ok(Number.isFinite(driftCm));
    assert.equal((await load(join(folder, "refined.bvh"))).frames, 110);
    assert.match(
      output("stitch", a, b, "-o", "refined.bvh", ...options, "open"),
      /drift undone [\d.]+ cm\nrmr \(set open: .*\) on cpu, requested cpu/,
    );
  });

  it("accepts every option", () => {
    const options = [
      "--method",
      "crossfade",
      "--blend",
      "0.25",
      "--window",
      "4",
      "--min-inject",
      "1",
      "--trim",
      "0:10:40",
      "--trim=1:0:20",
      "--foot-lock",
      "off",
      "--fps",
      "60",
    ];
    const report = JSON.parse(output("stitch", a, b, "--output", "all.bvh", ...options, "--json"));
    assert.ok(Math.abs(report.fps - 60) < 1e-6);
    assert.equal(report.seams[0].method, "crossfade");
    // 30 and 20 frames at 30 fps are 59 and 39 at 60 fps; the crossfade overlaps 15 of them.
    assert.equal(report.frames, 59 + 39 - 15);
  });
});

describe("convert", () => {
  it("writes the other format, at another rate", async () => {
    output("convert", a, "-o", "a.glb");
    assert.equal(readFileSync(join(folder, "a.glb")).toString("latin1", 0, 4), "glTF");
    output("convert", a, "-o", "fast.bvh", "--fps", "60");
    const fast = await load(join(folder, "fast.bvh"));
    assert.ok(Math.abs(fast.fps - 60) < 1e-6, `${fast.fps}`);
    assert.equal(fast.frames, 119);
  });

  it("keeps frame rate and joints", async () => {
    output("convert", a, "-o", "same.bvh");
    const [original, converted] = await Promise.all([a, "same.bvh"].map((name) => load(join(folder, name))));
    assert.equal(converted.fps, original.fps);
    assert.deepEqual(converted.info().joints, original.info().joints);
  });
});

describe("standard input and output", () => {
  const motion = readFileSync(join(folder, a));

  it("can be used in every command", async () => {
    assert.equal(JSON.parse(runWithInput(motion, "info", "-", "--json").stdout).frames, 60);
    const converted = runWithInput(motion, "convert", "-", "-o", "-", "--fps", "60");
    assert.deepEqual([converted.status, converted.stderr], [0, "-: 119 frames at 60 fps\n"]);
    assert.equal((await load(converted.stdout)).frames, 119);
    assert.equal(runWithInput(motion, "convert", "-", "-o", "-", "--format", "glb").stdout.slice(0, 4), "glTF");
    const stitched = runWithInput(motion, "stitch", "-", b, "-o", "-", "--method", "inertialize", "--json");
    assert.equal((await load(stitched.stdout)).frames, 110);
    assert.equal(JSON.parse(stitched.stderr).frames, 110);
    const between = runWithInput(motion, "inbetween", "-@5", "-@50", "--frames", "20", "-o", "-");
    assert.equal((await load(between.stdout)).frames, 22);
  });

  it("are named in errors", () => {
    assert.match(runWithInput("HIERARCHY\nROOT", "info", "-").stderr, /^kinestitch: standard input: line 2, /);
    assert.match(runWithInput("", "info", "-").stderr, /^kinestitch: standard input: /);
  });
});

describe("stitch with a gap", () => {
  it("loads no network that it does not use", () => {
    const incompleteFolder = join(folder, "incomplete");
    writeRefiners(incompleteFolder);
    rmSync(join(incompleteFolder, "rmr-open.safetensors"));
    const stitch = (...options) => run("stitch", a, b, "-o", "gap.bvh", "--models", incompleteFolder, ...options);
    assert.match(stitch().stderr, /rmr-open\.safetensors/);
    const { status, stderr } = stitch("--gap", "5");
    assert.deepEqual([status, stderr], [0, ""]);
  });
});

describe("method of in-betweening", () => {
  it("is inertialize without weights", () => {
    const report = JSON.parse(
      output(
        "inbetween",
        `${a}@5`,
        `${a}@50`,
        "--frames",
        "9",
        "-o",
        "plain.bvh",
        "--models",
        networksFolder,
        "--json",
      ),
    );
    assert.deepEqual(
      report.gaps.map(({ method }) => method),
      ["inertialize"],
    );
  });

  it("is delta, the default network, if there are weights", { skip: noWeights }, () => {
    const report = JSON.parse(output("inbetween", `${a}@5`, `${a}@50`, "--frames", "9", "-o", "best.bvh", "--json"));
    assert.deepEqual(
      report.gaps.map(({ method }) => method),
      ["delta"],
    );
    assert.deepEqual(
      report.networks.map(({ name }) => name),
      ["delta"],
    );
  });
});

describe("several files", () => {
  mkdirSync(join(folder, "set", "deep"), { recursive: true });
  for (const name of ["set/walk-2.bvh", "set/walk-10.bvh", "set/run [1].bvh", "set/deep/walk-3.bvh"])
    writeMotion(name, walk({ frames: 20 }));
  const names = (pattern) => output("info", pattern).match(/^.*(?=: 22 joints)/gm);

  it("can be named by a pattern", () => {
    assert.deepEqual(names("set/walk-*.bvh"), ["set/walk-2.bvh", "set/walk-10.bvh"]);
    assert.deepEqual(names("set/**/walk-?.bvh"), ["set/deep/walk-3.bvh", "set/walk-2.bvh"]);
    assert.deepEqual(names("s[a-f]t/walk-{2,3}.bvh"), ["set/walk-2.bvh"]);
    assert.deepEqual(names(join(folder, "set", "{run,skip}*")), [join(folder, "set", "run [1].bvh")]);
    assert.deepEqual(names("set/run [1].bvh"), ["set/run [1].bvh"]);
    assert.equal(
      JSON.parse(output("stitch", "set/walk-*.bvh", "-o", "all-of-them.bvh", "--method", "inertialize", "--json"))
        .frames,
      40,
    );
  });

  it("are also found in linked folders, except by **", { skip: process.platform === "win32" }, () => {
    mkdirSync(join(folder, "shots"));
    symlinkSync(join("..", "set"), join(folder, "shots", "a"));
    symlinkSync(join("..", "shots"), join(folder, "shots", "b"));
    assert.deepEqual(names("shots/*/walk-2.bvh"), ["shots/a/walk-2.bvh"]);
    assert.match(run("info", "shots/**/walk-2.bvh").stderr, /no file matches/);
    assert.match(run("info", "shots/*").stderr, /no file matches/);
  });

  it("are reported as a list, and converted into a folder, which is made if it is missing", () => {
    assert.deepEqual(
      JSON.parse(output("info", "set/walk-*.bvh", "--json")).map(({ name }) => name),
      ["walk-2", "walk-10"],
    );
    const convert = () =>
      JSON.parse(output("convert", "set/walk-*.bvh", "-o", "out/glb/", "--format", "glb", "--fps", "60", "--json"));
    const reports = convert();
    assert.deepEqual(convert(), reports, "the folder, which the first command has made, may exist");
    assert.deepEqual(
      reports.map(({ input, output, frames }) => [input, output, frames]),
      [
        ["set/walk-2.bvh", join("out", "glb", "walk-2.glb"), 39],
        ["set/walk-10.bvh", join("out", "glb", "walk-10.glb"), 39],
      ],
    );
    assert.equal(readFileSync(join(folder, "out", "glb", "walk-10.glb")).toString("latin1", 0, 4), "glTF");
    const report = JSON.parse(output("convert", a, "-o", "out/glb", "--format", "bvh", "--json"));
    assert.deepEqual(
      [report.output, report.frames, Math.round(report.fps), report.seconds.toFixed(2)],
      [join("out", "glb", "a.bvh"), 60, 30, "2.00"],
    );
  });
});

describe("help", () => {
  it("exists for the program and its commands info, stitch and convert", () => {
    assert.match(output("--help"), /stitch A B/);
    for (const command of ["info", "stitch", "convert"]) {
      assert.match(output(command, "--help"), new RegExp(`^kinestitch ${command} `));
      assert.equal(output("help", command), output(command, "-h"));
    }
  });

  it("shows the defaults of the Rust crate", () => {
    for (const line of [
      /--method NAME .*\(default: auto\)/,
      /--blend S .*\(default: 0.67\)/,
      /--window W .*\(default: 5\)/,
      /--foot-lock .*\(default: on\)/,
    ]) {
      assert.match(output("help", "stitch"), line);
    }
    assert.match(output("help", "lscore"), /the 5 best cuts/);
  });

  it("--version, -V and -v print the version", () => {
    const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
    for (const flag of ["--version", "-V", "-v"]) assert.equal(output(flag).trim(), version);
  });
});

describe("the link in node_modules/.bin of the repository", () => {
  it("runs the command line", () => {
    const { status, stdout } = spawnSync(join(root, "node_modules", ".bin", "kinestitch"), ["--version"], {
      encoding: "utf8",
    });
    assert.deepEqual([status, stdout.trim()], [0, output("--version").trim()]);
  });
});
