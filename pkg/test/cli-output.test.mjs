// If writing fails at any point, the output file is either the old one or the complete new one, and no other file
// remains.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, describe, it } from "node:test";
import { packageFolder, walk } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-output-"));
after(() => rmSync(folder, { recursive: true }));
const program = join(packageFolder, "bin", "kinestitch.js");
const faults = new URL("./faults.mjs", import.meta.url).href;
const openOf = (name, flags) => openSync(join(folder, name), flags);
const skipOnWindows = process.platform === "win32" && "signals, links and limits of POSIX";

/** The content of the output before a run. */
const OLD = "old content\n";

beforeEach(() => {
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  writeFileSync(join(folder, "in.bvh"), walk({ frames: 800 }));
  writeFileSync(join(folder, "out.bvh"), OLD);
});

const pathOf = (...names) => join(folder, ...names);
const content = (name) => readFileSync(pathOf(name), "latin1");
/** Names of the temporary files that remain. */
const temporaryFiles = () => readdirSync(folder).filter((name) => name.startsWith(".kinestitch-"));

function run(args, { env = {}, node = [], ...options } = {}) {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [...node, program, ...args], {
    cwd: folder,
    encoding: "latin1",
    env: { ...process.env, ...env },
    ...options,
  });
  return { status, signal, stdout, stderr };
}

/** Converts in.bvh to out.bvh with a fault in a call of node:fs. */
function convertWithFault(fault, env = {}) {
  return run(["convert", "in.bvh", "-o", "out.bvh", "--fps", "60"], {
    node: ["--import", faults],
    env: { FAULT: JSON.stringify(fault), ...env },
  });
}

/** Does the same conversion without a fault, and returns the content of its output. */
const convertWithoutFault = () => {
  assert.equal(run(["convert", "in.bvh", "-o", "good.bvh", "--fps", "60"]).status, 0);
  return content("good.bvh");
};

describe("a write with a fault", () => {
  const cases = [
    ["openSync", "EACCES", /permission denied/],
    ["writeSync", "ENOSPC", /the disk is full/],
    ["writeSync", "EIO", /EIO/],
    ["fsyncSync", "EIO", /EIO/],
    ["closeSync", "EIO", /EIO/],
    ["renameSync", "EXDEV", /EXDEV/],
    ["fchmodSync", "EIO", /EIO/],
  ];
  for (const [call, code, message] of cases) {
    it(`leaves the old file: ${call} with ${code}`, () => {
      const { status, stdout, stderr } = convertWithFault({ call, code });
      assert.deepEqual([status, stdout, content("out.bvh"), temporaryFiles()], [1, "", OLD, []]);
      assert.match(stderr, /^kinestitch: cannot write out\.bvh: .+\n$/);
      assert.match(stderr, message);
    });
  }

  it("does not fail if the file system has no fsync", () => {
    assert.equal(convertWithFault({ call: "fsyncSync", code: "EINVAL" }).status, 0);
    assert.equal(content("out.bvh"), convertWithoutFault());
  });

  it("continues after a part of the bytes was written", () => {
    assert.equal(convertWithFault({ call: "writeSync", at: 1, short: 1000 }).status, 0);
    assert.equal(content("out.bvh"), convertWithoutFault());
    const { status, stderr } = convertWithFault({ call: "writeSync", at: 0, short: 0 });
    assert.equal(status, 1);
    assert.match(stderr, /cannot write out\.bvh: 0 of \d+ bytes were written/);
  });

  it("fails at the shell's limit of the file size", { skip: skipOnWindows }, () => {
    const { status, stderr } = spawnSync(
      "sh",
      ["-c", `ulimit -f 64; exec "$0" "$1" convert in.bvh -o out.bvh --fps 60`, process.execPath, program],
      { cwd: folder, encoding: "utf8" },
    );
    assert.deepEqual([status, content("out.bvh"), temporaryFiles()], [1, OLD, []]);
    assert.match(stderr, /cannot write out\.bvh: files so large are not allowed here/);
  });

  it("leaves a read-only file as it was", {
    skip: skipOnWindows || (process.getuid?.() === 0 && "root may write everything"),
  }, () => {
    chmodSync(pathOf("out.bvh"), 0o444);
    const { status, stderr } = run(["convert", "in.bvh", "-o", "out.bvh"]);
    assert.deepEqual([status, content("out.bvh")], [1, OLD]);
    assert.match(stderr, /permission denied/);
  });
});

describe("an interrupt", { skip: skipOnWindows }, () => {
  const calls = ["openSync", "fchmodSync", "writeSync", "fsyncSync", "closeSync", "renameSync"];
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    it(`by ${signal} in any call leaves one complete file and ends the run`, () => {
      const complete = convertWithoutFault();
      for (const call of calls) {
        writeFileSync(pathOf("out.bvh"), OLD);
        const { status, signal: endSignal } = convertWithFault({ call, signal });
        assert.deepEqual([status, endSignal, temporaryFiles()], [null, signal, []], call);
        assert.ok([OLD, complete].includes(content("out.bvh")), call);
      }
    });
  }

  it("at any of forty times during a run leaves one complete file", { timeout: 300_000 }, async () => {
    const complete = convertWithoutFault();
    // The times are spread over the duration of a run on this machine.
    const start = performance.now();
    run(["convert", "in.bvh", "-o", "timed.bvh", "--fps", "60"]);
    const duration = performance.now() - start;
    for (let moment = 0; moment < 40; moment++) {
      writeFileSync(pathOf("out.bvh"), OLD);
      const child = spawn(process.execPath, [program, "convert", "in.bvh", "-o", "out.bvh", "--fps", "60"], {
        cwd: folder,
        stdio: "ignore",
      });
      const exited = new Promise((resolve) => child.on("exit", resolve));
      const timer = setTimeout(() => child.kill("SIGINT"), (moment / 40) * duration * 1.1);
      await exited;
      clearTimeout(timer);
      assert.ok([OLD, complete].includes(content("out.bvh")), `moment ${moment}`);
      assert.deepEqual(temporaryFiles(), [], `moment ${moment}`);
    }
  });

  it("by SIGKILL leaves at most one temporary file, which the next run removes and reports", () => {
    const complete = convertWithoutFault();
    for (const call of calls) {
      const { signal } = convertWithFault({ call, signal: "SIGKILL" });
      assert.equal(signal, "SIGKILL", call);
      assert.ok([OLD, complete].includes(content("out.bvh")), call);
      assert.ok(temporaryFiles().length <= 1, call);
    }
    const { signal } = convertWithFault({ call: "fsyncSync", signal: "SIGKILL" });
    assert.deepEqual([signal, content("out.bvh"), temporaryFiles().length], ["SIGKILL", OLD, 1]);
    const [leftFile] = temporaryFiles();
    const { status, stderr } = run(["convert", "in.bvh", "-o", "out.bvh", "--fps", "60"]);
    assert.deepEqual([status, temporaryFiles()], [0, []]);
    assert.ok(stderr.includes(`removed ${leftFile}`), stderr);
  });

  it("is followed by a run that keeps temporary files of running processes and, for a day, of other machines", () => {
    convertWithFault({ call: "fsyncSync", signal: "SIGKILL" });
    const [leftFile] = temporaryFiles();
    const fileOfRunningProcess = leftFile.replace(/-\d+-/, `-${process.pid}-`);
    const fileOfOtherMachine = leftFile.replace(/-[0-9a-f]{8}-/, "-00000000-");
    const oldFile = fileOfOtherMachine.replace("-00000000-", "-00000001-");
    for (const name of [fileOfRunningProcess, fileOfOtherMachine, oldFile]) writeFileSync(pathOf(name), "");
    utimesSync(pathOf(oldFile), new Date(0), new Date(0));
    run(["convert", "in.bvh", "-o", "out.bvh"]);
    assert.deepEqual(temporaryFiles().sort(), [fileOfRunningProcess, fileOfOtherMachine].sort());
  });
});

describe("an output that is an input", { skip: skipOnWindows }, () => {
  const inputContent = () => content("in.bvh");
  const assertRefused = (args, options) => {
    const before = inputContent();
    const { status, stderr } = run(args, options);
    assert.deepEqual([status, inputContent(), temporaryFiles()], [1, before, []], stderr);
    assert.match(stderr, /it is an input; choose another name/);
  };

  it("is refused, also through a hard link or a symbolic link", () => {
    linkSync(pathOf("in.bvh"), pathOf("hard.bvh"));
    symlinkSync("in.bvh", pathOf("soft.bvh"));
    for (const name of ["in.bvh", "./in.bvh", "hard.bvh", "soft.bvh"]) {
      assertRefused(["convert", "in.bvh", "-o", name, "--fps", "60"]);
      assertRefused(["stitch", "in.bvh", "in.bvh", "-o", name]);
      assertRefused(["inbetween", "in.bvh@1", "in.bvh@30", "--frames", "9", "-o", name]);
      assertRefused(["lscore", "in.bvh", "in.bvh", "--map", name]);
      assertRefused(["phases", "in.bvh", "--svg", name]);
    }
  });

  it("is refused if another input file refers to it", () => {
    assert.equal(run(["convert", "in.bvh", "-o", "in.glb"]).status, 0);
    const glb = readFileSync(pathOf("in.glb"));
    const length = glb.readUInt32LE(12);
    const document = JSON.parse(glb.toString("utf8", 20, 20 + length));
    document.buffers[0].uri = "parts.bin";
    writeFileSync(pathOf("in.gltf"), JSON.stringify(document));
    writeFileSync(pathOf("parts.bin"), glb.subarray(20 + length + 8));
    const before = readFileSync(pathOf("parts.bin"));
    const { status, stderr } = run(["convert", "in.gltf", "-o", "parts.bin", "--format", "bvh"]);
    assert.equal(status, 1);
    assert.match(stderr, /parts\.bin: it is an input/);
    assert.ok(readFileSync(pathOf("parts.bin")).equals(before));
  });

  it("is refused among the candidates", () => {
    mkdirSync(pathOf("variants"));
    linkSync(pathOf("in.bvh"), pathOf("variants", "candidate-2.bvh"));
    assertRefused(["inbetween", "in.bvh@1", "in.bvh@30", "--method", "dcmoe", "--candidates", "3", "-o", "variants"]);
  });

  it("is refused before any of several outputs is written", () => {
    writeFileSync(pathOf("second.bvh"), inputContent());
    mkdirSync(pathOf("made"));
    linkSync(pathOf("second.bvh"), pathOf("made", "in.bvh"));
    assertRefused(["convert", "in.bvh", "second.bvh", "-o", "made/", "--format", "bvh"]);
    linkSync(pathOf("in.bvh"), pathOf("made", "second.bvh"));
    rmSync(pathOf("made", "in.bvh"));
    assertRefused(["convert", "in.bvh", "second.bvh", "-o", "made/", "--format", "bvh"]);
    assert.deepEqual(readdirSync(pathOf("made")), ["second.bvh"]);
  });

  it("is refused on standard input and output", () => {
    assertRefused(["convert", "-", "-o", "in.bvh"], {
      shell: false,
      input: undefined,
      stdio: [openOf("in.bvh", "r"), "pipe", "pipe"],
    });
    assertRefused(["convert", "in.bvh", "-o", "-"], { stdio: ["ignore", openOf("in.bvh", "a"), "pipe"] });
  });
});

describe("an output that is the same file as another output", { skip: skipOnWindows }, () => {
  it("is refused", () => {
    mkdirSync(pathOf("made"));
    writeFileSync(pathOf("second.bvh"), content("in.bvh"));
    writeFileSync(pathOf("made", "in.bvh"), OLD);
    linkSync(pathOf("made", "in.bvh"), pathOf("made", "second.bvh"));
    const { status, stderr } = run(["convert", "in.bvh", "second.bvh", "-o", "made/", "--format", "bvh"]);
    assert.equal(status, 1);
    assert.match(stderr, /same file as .*one result would overwrite the other/);
    assert.equal(readFileSync(pathOf("made", "in.bvh"), "utf8"), OLD);
  });
});

describe("an existing output", { skip: skipOnWindows }, () => {
  it("keeps its access rights, and a link to it stays a link", () => {
    chmodSync(pathOf("out.bvh"), 0o640);
    symlinkSync("out.bvh", pathOf("link.bvh"));
    symlinkSync("later.bvh", pathOf("dangling.bvh"));
    assert.equal(run(["convert", "in.bvh", "-o", "link.bvh"]).status, 0);
    assert.equal(run(["convert", "in.bvh", "-o", "dangling.bvh"]).status, 0);
    assert.deepEqual([statSync(pathOf("out.bvh")).mode & 0o777, readlinkSync(pathOf("link.bvh"))], [0o640, "out.bvh"]);
    assert.ok(lstatSync(pathOf("dangling.bvh")).isSymbolicLink() && content("later.bvh") === content("out.bvh"));
    assert.ok(content("out.bvh").startsWith("HIERARCHY"));
  });

  it("that is a device is written, not replaced", { skip: !existsSync("/dev/full") && "there is no /dev/full" }, () => {
    assert.equal(run(["convert", "in.bvh", "-o", "/dev/null", "--format", "bvh"]).status, 0);
    assert.ok(statSync("/dev/null").isCharacterDevice());
    const { status, stderr } = run(["convert", "in.bvh", "-o", "/dev/full", "--format", "bvh"]);
    assert.equal(status, 1);
    assert.match(stderr, /cannot write \/dev\/full: the disk is full/);
    const piped = spawnSync(
      "bash",
      [
        "-c",
        '"$0" "$1" convert in.bvh -o >(cat > piped.bvh; : > done) --format bvh; while ! test -e done; do sleep .05; done',
        process.execPath,
        program,
      ],
      { cwd: folder, timeout: 20_000 },
    );
    assert.deepEqual([piped.status, content("piped.bvh").slice(0, 9)], [0, "HIERARCHY"]);
  });

  it("that is a circle of links is an error", () => {
    symlinkSync("b.bvh", pathOf("a.bvh"));
    symlinkSync("a.bvh", pathOf("b.bvh"));
    const { status, stderr } = run(["convert", "in.bvh", "-o", "a.bvh"]);
    assert.equal(status, 1);
    assert.match(stderr, /form a circle/);
  });
});

describe("standard output", { skip: skipOnWindows }, () => {
  const shell = (command) =>
    spawnSync("bash", ["-c", command.replaceAll("KS", '"$0" "$1"'), process.execPath, program], {
      cwd: folder,
      encoding: "utf8",
    });

  it("on a full disk is an error", { skip: !existsSync("/dev/full") && "there is no /dev/full" }, () => {
    for (const args of [
      "convert in.bvh -o -",
      "info in.bvh",
      "info in.bvh --json",
      "phases in.bvh --json",
      "--version",
      "help stitch",
    ]) {
      const { status, stderr } = shell(`KS ${args} > /dev/full`);
      assert.equal(status, 1, args);
      assert.match(stderr, /^kinestitch: cannot write to standard output: the disk is full/m, args);
    }
  });

  it("at a limit of the file size is an error", () => {
    const { status, stderr } = shell("ulimit -f 64; KS convert in.bvh -o - > cut.bvh");
    assert.equal(status, 1);
    assert.match(stderr, /cannot write to standard output: files so large are not allowed here/);
  });

  it("whose reader closes the pipe is an error", () => {
    const result = shell("KS convert in.bvh -o - | head -c 100 > /dev/null; exit ${PIPESTATUS[0]}");
    assert.equal(result.status, 1);
    assert.match(result.stderr, /cannot write to standard output: its reader closed it before all data was written/);
    // A closed pipe ends the command silently, as in other programs, but not with success.
    const report = shell("KS phases in.bvh --json | head -c 100 > /dev/null; exit ${PIPESTATUS[0]}");
    assert.deepEqual([report.status, report.stderr], [1, ""]);
  });

  it("receives all bytes after partial writes", () => {
    const completeOutput = run(["convert", "in.bvh", "-o", "-"]).stdout;
    const result = spawnSync(
      "bash",
      ["-c", '"$0" --import "$2" "$1" convert in.bvh -o - > parts.bvh', process.execPath, program, faults],
      {
        cwd: folder,
        encoding: "utf8",
        env: {
          ...process.env,
          FAULT: JSON.stringify({ call: "writeSync", at: 0, short: 65_536 }),
          FAULT_STANDARD: "1",
        },
      },
    );
    assert.equal(result.status, 0, result.stderr);
    assert.ok(completeOutput.length > 65_536);
    assert.equal(content("parts.bvh"), completeOutput);
  });
});

describe("names in files and arguments", () => {
  it("are printed without control characters and with limited length", () => {
    const escape = "\u001b[2J\u009b31m";
    const name = (name) => (name === "Hips" ? name + escape : name);
    writeFileSync(pathOf("odd.bvh"), walk({ frames: 4, rename: name }));
    const calls = [
      ["info", "odd.bvh"],
      ["info", "odd.bvh", "--json"],
      ["phases", "odd.bvh", "--json"],
      ["convert", "in.bvh", "-o", `${escape}/x.bvh`],
      ["info", escape],
      [escape],
      ["info", `--${escape}`],
      ["phases", "in.bvh", "--joint", escape.repeat(10_000)],
    ];
    for (const args of calls) {
      const { stdout, stderr } = run(args);
      assert.ok(stdout + stderr !== "" && stderr.length < 10_000, args.join(" "));
      assert.doesNotMatch(
        Buffer.from(stdout + stderr, "latin1").toString(),
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/,
        args.join(" "),
      );
    }
    assert.equal(JSON.parse(run(["info", "odd.bvh", "--json"], { encoding: "utf8" }).stdout).rig.Hips, `Hips${escape}`);
  });
});

describe("patterns of file names", () => {
  it("with many stars are matched in limited time", () => {
    mkdirSync(pathOf("many"));
    for (let count = 0; count < 20; count++) writeFileSync(pathOf("many", `${"a".repeat(200)}${count}.bvh`), "");
    const start = performance.now();
    const { status, stderr } = run(["info", `many/${"*a".repeat(60)}*b`], { timeout: 20_000 });
    assert.equal(status, 1, `after ${performance.now() - start} ms`);
    assert.match(stderr, /no file matches/);
  });
});
