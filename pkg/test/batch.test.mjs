// `kinestitch batch`: jobs of a recipe, finished jobs that are skipped, and wrong recipes.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, describe, it } from "node:test";
import { Progress } from "../dist/cli/batch-progress.js";
import { readRecipe } from "../dist/cli/recipe.js";
import { packageFolder, walk } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-batch-"));
after(() => rmSync(folder, { recursive: true }));
const program = join(packageFolder, "bin", "kinestitch.js");
const NAMES = ["a", "b", "c", "d"];

beforeEach(() => {
  rmSync(folder, { recursive: true });
  mkdirSync(join(folder, "clips"), { recursive: true });
  mkdirSync(join(folder, "out"));
  NAMES.forEach((name, index) => writeFileSync(join(folder, "clips", `${name}.bvh`), walk({ frames: 40 + index })));
});

const writeRecipe = (content) => writeFileSync(join(folder, "recipe.json"), JSON.stringify(content));
const convertEach = { each: [{ files: "clips/*.bvh", run: ["convert", "{file}", "-o", "out/{name}.glb"] }] };

/** Runs recipe.json from another folder; paths in a recipe are relative to the recipe file. */
function run(...args) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, "batch", join(folder, "recipe.json"), "--json", ...args],
    {
      cwd: tmpdir(),
      encoding: "utf8",
    },
  );
  return { status, stderr, ...(stdout.startsWith("{") && { report: JSON.parse(stdout) }) };
}

describe("kinestitch batch", () => {
  it("creates the missing folders of outputs", () => {
    writeRecipe({ jobs: [["convert", "clips/a.bvh", "-o", "new/deep/a.glb"]] });
    const { status, stderr } = run();
    assert.equal(status, 0, stderr);
    assert.deepEqual(readdirSync(join(folder, "new", "deep")), ["a.glb"]);
  });

  it("names a folder that cannot be created", () => {
    writeRecipe({ jobs: [["convert", "clips/a.bvh", "-o", "clips/b.bvh/new/a.glb"]] });
    const { status, stderr } = run();
    assert.equal(status, 1);
    assert.match(stderr, /^kinestitch: cannot create the folder [^\n]*new: [^\n]*\n$/);
  });

  it("runs a command for each file and each pair, and reports the number of jobs", () => {
    const pair = {
      files: "clips/*.bvh",
      run: ["stitch", "{a}", "{b}", "-o", "out/{a.name}-{b.name}.bvh", "--method", "crossfade"],
    };
    writeRecipe({ ...convertEach, pairs: [pair], jobs: [["info", "clips/a.bvh"]] });
    const { status, report, stderr } = run("--workers", "2");
    assert.equal(status, 0, stderr);
    assert.deepEqual([report.done, report.failed, report.skipped], [8, 0, 0]);
    assert.deepEqual(readdirSync(join(folder, "out")).sort(), [
      "a-b.bvh",
      "a.glb",
      "b-c.bvh",
      "b.glb",
      "c-d.bvh",
      "c.glb",
      "d.glb",
    ]);
    assert.ok(report.jobsPerSecond > 0 && report.megabytes > 10);
  });

  it("runs the clip tools", () => {
    const tools = [["loop"], ["mirror"], ["slice", "--to", "0.5"], ["reverse"], ["speed", "--factor", "2"]];
    writeRecipe({
      jobs: [...tools, ["resample", "--fps", "15"], ["root", "--remove"]].map(([tool, ...flags]) => [
        tool,
        "clips/a.bvh",
        "-o",
        `out/${tool}.bvh`,
        ...flags,
      ]),
    });
    const { status, report, stderr } = run();
    assert.equal(status, 0, stderr);
    assert.deepEqual([report.done, readdirSync(join(folder, "out")).length], [7, 7]);
  });

  it("skips finished jobs, except those with changed inputs or missing outputs", () => {
    writeRecipe(convertEach);
    assert.equal(run().report.done, 4);
    assert.deepEqual([run().report.done, run().report.skipped], [0, 4]);
    const later = new Date(Date.now() + 10_000);
    utimesSync(join(folder, "clips", "b.bvh"), later, later);
    rmSync(join(folder, "out", "c.glb"));
    const { report } = run();
    assert.deepEqual(report.jobs.map(({ run }) => run[1]).sort(), ["clips/b.bvh", "clips/c.bvh"]);
    assert.equal(run("--again").report.done, 4);
  });

  it("treats second outputs as outputs, not as inputs", () => {
    const second = (name) => join("out", name);
    const jobs = [
      ["root", "clips/a.bvh", "--extract", "-o", "out/a.bvh", "--path", second("a.csv")],
      ["root", "clips/b.bvh", "--extract", "-o", "out/b.bvh"],
      ["phases", "clips/a.bvh", `--svg=${second("a.svg")}`],
      ["lscore", "clips/a.bvh", "clips/b.bvh", "--map", second("a-b.csv")],
    ];
    writeRecipe({ jobs });
    assert.equal(run().report.done, 4);
    assert.equal(run().report.skipped, 4);
    const removed = ["a.svg", "b.root.csv"].map((name) => join(folder, second(name)));
    removed.forEach((path) => rmSync(path));
    assert.deepEqual([run().report.skipped, ...removed.map((path) => existsSync(path))], [2, true, true]);
  });

  it("knows the files that are written into a folder, and those that match a pattern", () => {
    const convert = (input) => ["convert", input, "-o", "out/", "--format", "glb"];
    writeRecipe({ each: [{ files: "clips/*.bvh", run: convert("{file}") }], jobs: [["info", "clips/[ab].bvh"]] });
    assert.equal(run().report?.done, 5);
    rmSync(join(folder, "out", "c.glb"));
    const later = new Date(Date.now() + 10_000);
    utimesSync(join(folder, "clips", "b.bvh"), later, later);
    const again = run().report.jobs.map(({ run }) => run[1]);
    assert.deepEqual(again.sort(), ["clips/[ab].bvh", "clips/b.bvh", "clips/c.bvh"]);
    writeRecipe({ jobs: [convert("clips/[ab].bvh")] });
    const [{ outputs, files }] = readRecipe(join(folder, "recipe.json"));
    assert.deepEqual(
      [outputs, files].map((paths) => paths.map((path) => path.replaceAll("\\", "/"))),
      [
        ["out/a.glb", "out/b.glb"],
        ["clips/a.bvh", "clips/b.bvh"],
      ],
    );
    writeFileSync(join(folder, "take@2"), walk({ frames: 40 }));
    writeRecipe({ jobs: [["info", "take@2"]] });
    assert.deepEqual(readRecipe(join(folder, "recipe.json"))[0].files, ["take@2"]);
  });

  it("expects only one of the candidates, because there may be fewer than requested", () => {
    const keys = ["clips/a.bvh@3", "clips/b.bvh@3"];
    writeRecipe({ jobs: [["inbetween", ...keys, "--candidates", "3", "-o", "out"]] });
    const [{ outputs }] = readRecipe(join(folder, "recipe.json"));
    assert.deepEqual(outputs, [join("out", "candidate-1.bvh")]);
  });

  it("runs a job again if an input file has changed while the job ran", () => {
    const recipe = join(folder, "recipe.json");
    const job = { run: ["info", "clips/a.bvh"], files: ["clips/a.bvh"], outputs: [] };
    const progress = new Progress(recipe);
    assert.equal(progress.isDone(job), false);
    const later = new Date(Date.now() + 10_000);
    utimesSync(join(folder, "clips", "a.bvh"), later, later);
    progress.add(job);
    assert.equal(new Progress(recipe).isDone(job), false);
  });

  it("divides its jobs among shards", () => {
    writeRecipe(convertEach);
    const filesByShard = ["1/2", "2/2"].map((shard) => run("--shard", shard).report.jobs.map(({ run }) => run[1]));
    assert.deepEqual(
      filesByShard.map((files) => files.length),
      [2, 2],
    );
    assert.equal(new Set(filesByShard.flat()).size, 4);
  });

  it("runs the other jobs if one fails, and names the failed file", () => {
    writeFileSync(join(folder, "clips", "b.bvh"), "HIERARCHY nonsense");
    writeRecipe(convertEach);
    const { status, report } = run();
    assert.equal(status, 1);
    assert.deepEqual([report.done, report.failed], [3, 1]);
    const [failed] = report.jobs.filter(({ ok }) => !ok);
    assert.match(failed.error, /clips\/b\.bvh/);
    assert.equal(run().report.skipped, 3);
  });

  it("runs each job with its own network options", () => {
    mkdirSync(join(folder, "none"));
    writeFileSync(join(folder, "none", "manifest.json"), JSON.stringify({ version: 2, networks: [] }));
    writeRecipe({
      jobs: [
        ["judge", "clips/a.bvh", "--models", "none"],
        ["judge", "clips/a.bvh"],
      ],
    });
    const { report } = run("--workers", "1");
    assert.deepEqual(
      report.jobs.map(({ ok }) => ok),
      [false, true],
    );
  });

  it("does not overwrite a file to which an input refers", () => {
    const made = spawnSync(process.execPath, [program, "convert", "clips/a.bvh", "-o", "made.glb"], { cwd: folder });
    assert.equal(made.status, 0, String(made.stderr));
    // The GLB as a glTF document with its buffer in out/a.glb.
    const glb = readFileSync(join(folder, "made.glb"));
    const jsonEnd = 20 + glb.readUInt32LE(12);
    const document = JSON.parse(glb.subarray(20, jsonEnd));
    document.buffers[0].uri = "out/a.glb";
    writeFileSync(join(folder, "a.gltf"), JSON.stringify(document));
    const buffer = glb.subarray(jsonEnd + 8);
    writeFileSync(join(folder, "out", "a.glb"), buffer);
    writeRecipe({ jobs: [["convert", "a.gltf", "-o", "out/a.glb"]] });
    const { status, report } = run();
    assert.equal(status, 1);
    assert.match(report.jobs[0].error, /it is an input/);
    assert.deepEqual(readFileSync(join(folder, "out", "a.glb")), buffer);
  });

  it("does not write the report over the recipe, its progress, or a file of a job", () => {
    writeRecipe(convertEach);
    assert.equal(run("--report", join(folder, "report.json")).status, 0);
    for (const name of ["recipe.json", "recipe.json.progress", "clips/a.bvh", "out/b.glb"]) {
      const content = readFileSync(join(folder, name));
      const { status, stderr } = run("--shard", "4/4", "--report", join(folder, name));
      assert.equal(status, 1);
      assert.match(stderr, /^kinestitch: cannot write [^\n]*\n$/);
      assert.deepEqual(readFileSync(join(folder, name)), content);
    }
  });

  it("reads a recipe with a byte order mark", () => {
    writeFileSync(join(folder, "recipe.json"), `\ufeff${JSON.stringify(convertEach)}`);
    assert.equal(run().report.done, 4);
  });

  it("prints errors without escape sequences of the recipe", () => {
    writeRecipe({ jobs: [["convert", "clips/\u001b[2J.bvh", "-o", "out/a.glb"]] });
    const { stderr } = spawnSync(process.execPath, [program, "batch", "recipe.json"], {
      cwd: folder,
      encoding: "utf8",
    });
    assert.match(stderr, /convert clips\/\ufffd\[2J\.bvh/);
    assert.ok(!stderr.includes("\u001b"), stderr);
  });

  it("does not repeat finished jobs after it was killed", { timeout: 120_000 }, async () => {
    writeRecipe({
      jobs: Array.from({ length: 200 }, (_, index) => ["convert", "clips/a.bvh", "-o", `out/${index}.glb`]),
    });
    const child = spawn(process.execPath, [program, "batch", "recipe.json", "--workers", "1"], {
      cwd: folder,
      stdio: "ignore",
    });
    const progress = join(folder, "recipe.json.progress");
    while (!existsSync(progress) || statSync(progress).size === 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill("SIGKILL");
    await new Promise((resolve) => child.on("exit", resolve));
    const completedCount = readFileSync(progress, "utf8").trim().split("\n").length;
    assert.ok(completedCount < 200, "the run was killed before the end");
    const { report } = run();
    // The last line may be incomplete; then its job runs again.
    assert.ok(
      report.skipped >= completedCount - 1 && report.done + report.skipped === 200,
      JSON.stringify([completedCount, report.done, report.skipped]),
    );
  });

  it("refuses recipes whose jobs depend on their order, and wrong recipes", () => {
    const runRecipe = (content) => {
      writeRecipe(content);
      const { status, stderr } = run();
      return `${status} ${stderr}`;
    };
    assert.match(
      runRecipe({
        jobs: [
          ["convert", "clips/a.bvh", "-o", "x.glb"],
          ["convert", "clips/b.bvh", "-o", "x.glb"],
        ],
      }),
      /^1 .*two jobs write "x\.glb"/,
    );
    assert.match(
      runRecipe({
        jobs: [
          ["convert", "clips/a.bvh", "--output=x.glb"],
          ["convert", "clips/b.bvh", "-ox.glb"],
        ],
      }),
      /^1 .*two jobs write "x\.glb"/,
    );
    assert.match(
      runRecipe({
        jobs: [
          ["convert", "clips/a.bvh", "-o", "clips/b.bvh"],
          ["info", "clips/b.bvh"],
        ],
      }),
      /^1 .*one job writes "clips\/b\.bvh" and another one reads it/,
    );
    assert.match(
      runRecipe({
        jobs: [
          ["convert", "clips/a.bvh", "-o", "out/new.bvh"],
          ["inbetween", "out/new.bvh@3", "clips/b.bvh@3", "--frames", "9", "-o", "out/between.bvh"],
        ],
      }),
      /^1 .*one job writes "out\/new\.bvh" and another one reads it/,
    );
    symlinkSync("out", join(folder, "linked"), "junction");
    assert.match(
      runRecipe({
        jobs: [
          ["convert", "clips/a.bvh", "-o", "out/new/x.glb"],
          ["convert", "clips/b.bvh", "-o", "linked/new/x.glb"],
        ],
      }),
      /^1 .*two jobs write "linked\/new\/x\.glb"/,
    );
    assert.match(
      runRecipe({ jobs: [["batch", "recipe.json"]] }),
      /^1 .*jobs\[0\] runs "batch"; a job runs one of info, .*loop, .*render/,
    );
    assert.match(
      runRecipe({ each: [{ files: "clips/*.bvh", run: ["info", "{path}"] }] }),
      /^1 .*each\[0\] has no \{path\}; the placeholders are \{file\}, \{name\}/,
    );
    assert.match(
      runRecipe({ jobs: [["convert", "clips/a.bvh", "-o", "-"]] }),
      /^1 .*jobs\[0\] writes to standard output, which jobs do not have/,
    );
    assert.match(runRecipe({ eachh: [] }), /^1 .*"eachh" is unknown/);
    assert.match(runRecipe({}), /^1 .*no job/);
    const [infoRun, into] = [
      ["info", "{file}"],
      ["-o", "out/", "--format", "bvh"],
    ];
    for (const [content, message] of [
      [{ each: [{ files: "none/*.bvh", run: infoRun }] }, /^1 .*recipe\.json: each\[0\]\.files: no file matches/],
      [{ each: [{ files: [], run: infoRun }] }, /^1 .*each\[0\]\.files needs one file or more/],
      [{ each: [{ files: 3, run: infoRun }] }, /^1 .*each\[0\]\.files must be a text or a list of texts/],
      [{ each: [{ file: "clips/a.bvh", run: infoRun }] }, /^1 .*"file" in each\[0\] is unknown/],
      [{ pairs: [{ files: "clips/a.bvh", run: ["info", "{a}"] }] }, /^1 .*pairs\[0\]\.files needs two files or more/],
      [{ jobs: [["lscore", "clips/a.bvh", "clips/b.bvh", "--map", "recipe.json.progress"]] }, /^1 .*the recipe or its/],
      [
        {
          jobs: [
            ["convert", "clips/a.bvh", ...into],
            ["info", "out/a.bvh"],
          ],
        },
        /^1 .*one job writes "out.{1,2}a\.bvh"/,
      ],
      [{ jobs: ["clips/*.bvh", "clips/a.bvh"].map((path) => ["convert", path, ...into]) }, /^1 .*two jobs write "out/],
      [
        {
          jobs: [
            ["inbetween", "clips/a.bvh@3", "clips/b.bvh@3", "--candidates", "3", ...into],
            ["info", "out/candidate-2.bvh"],
          ],
        },
        /^1 .*one job writes "out.{1,2}candidate-2\.bvh" and another one reads it/,
      ],
      [
        {
          jobs: [
            ["convert", "clips/a.bvh", "-o", "clips/d.bvh"],
            ["stitch", "clips/[b-d].bvh", "-o", "all.bvh"],
          ],
        },
        /^1 .*one job writes "clips.{1,2}d\.bvh" and another one reads it/,
      ],
    ])
      assert.match(runRecipe(content), message);
    writeFileSync(join(folder, "recipe.json"), "{");
    assert.match(run().stderr, /cannot read the recipe/);
    writeRecipe(convertEach);
    assert.match(run("--shard", "3/2").stderr, /--shard is I\/N/);
  });
});
