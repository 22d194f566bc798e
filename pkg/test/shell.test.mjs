// Helpers of the scripts: arguments of the servers, help texts, programs on the PATH, and commands that are running
// when a script ends.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { it } from "node:test";
import { headComment, output, portOf, root, UserError, which } from "../../scripts/shell.mjs";

it("a port is a whole number after --port, and unknown arguments are errors", () => {
  for (const args of [["--port", "9000"], ["--port=9000"]]) assert.equal(portOf(args), 9000);
  for (const args of [["9000"], ["--port"], ["--port", ""], ["--port", "abc"], ["--port=70000"], ["--prot", "9000"]])
    assert.throws(() => portOf(args), UserError, args.join(" "));
  assert.throws(() => portOf(["--port", "abc"]), /not "abc"/);
});

it("the help of a script is the comment at its top", () => {
  assert.equal(headComment("// a\n//\n// b\ncode\n// c\n"), "a\n\nb");
  assert.equal(headComment("#!/usr/bin/env node\n// a\ncode\n"), "a");
  assert.equal(headComment("// a\n// b"), "a\nb");
  assert.equal(headComment("code\n"), "");
});

it("a folder with the name of a program is not the program", () => {
  const folder = mkdtempSync(join(tmpdir(), "kinestitch-which-"));
  const folders = ["first", "second"].map((name) => join(folder, name));
  const program = join(folders[1], process.platform === "win32" ? "tool.exe" : "tool");
  try {
    mkdirSync(join(folders[0], "tool"), { recursive: true });
    mkdirSync(folders[1]);
    writeFileSync(program, "");
    chmodSync(program, 0o755);
    assert.equal(which("tool", folders), program);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("megabytes of output are returned", () => {
  assert.equal(output(process.execPath, ["-e", "process.stdout.write('x'.repeat(2e6))"])?.length, 2e6);
});

it("the end of a script ends its commands", { timeout: 60_000 }, async () => {
  const shell = pathToFileURL(join(root, "scripts", "shell.mjs"));
  const script = `import { runAsync } from "${shell}";
    void runAsync(process.execPath, ["-e", "console.log('started'); setInterval(() => undefined, 1000)"]);
    process.stdin.on("end", () => process.exit(1)).resume();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (bytes) => {
    text += bytes;
    if (/^started$/m.test(text)) child.stdin.end();
  });
  // The command has inherited the output, which is closed only when both have ended.
  assert.equal(await new Promise((done) => child.on("close", done)), 1);
});
