// `kinestitch mcp`: the tools of the server, called by a client of the Model Context Protocol.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { decode } from "fast-png";
import { packageFolder, walk } from "./support.mjs";

const parentFolder = mkdtempSync(join(tmpdir(), "kinestitch-mcp-"));
const folder = join(parentFolder, "clips");
mkdirSync(folder);
writeFileSync(join(parentFolder, "secret.bvh"), walk({ frames: 10 }));
writeFileSync(join(folder, "a.bvh"), walk({ frames: 60 }));
writeFileSync(join(folder, "b.bvh"), walk({ frames: 50, speed: 1.6 }));
symlinkSync(parentFolder, join(folder, "up"));
symlinkSync(join(parentFolder, "missing.bvh"), join(folder, "missing.bvh"));

const client = new Client({ name: "test", version: "1" });
before(async () => {
  const args = [join(packageFolder, "bin", "kinestitch.js"), "mcp", folder];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "inherit" }));
});
after(async () => {
  await client.close();
  rmSync(parentFolder, { recursive: true });
});

async function call(name, args) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  return { [isError ? "error" : "text"]: content[0].text, content };
}

describe("kinestitch mcp", () => {
  it("lists its tools", async () => {
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name).sort();
    assert.deepEqual(names, [
      "candidates",
      "clean",
      "convert",
      "inbetween",
      "info",
      "judge",
      "loop",
      "mirror",
      "render",
      "slice",
      "stitch",
    ]);
    assert.ok(tools.every(({ description, inputSchema }) => description && inputSchema.type === "object"));
  });

  it("stitches, and describes the result", async () => {
    const { text } = await call("stitch", { files: ["a.bvh", "b.bvh"], output: "ab.bvh" });
    const { frames, seams } = JSON.parse(text);
    assert.equal(seams.length, 1);
    const info = JSON.parse((await call("info", { file: "ab.bvh" })).text);
    assert.equal(info.frames, frames);
  });

  it("loops, mirrors and slices", async () => {
    const options = { file: "a.bvh", output: "loop.bvh", inPlace: true, minSeconds: 0.5 };
    const looped = JSON.parse((await call("loop", options)).text);
    assert.equal(looped.frames, looped.cycle.to - looped.cycle.from);
    assert.ok(looped.frames >= 0.5 * looped.fps);
    assert.deepEqual(looped.travel, { x: 0, z: 0, heading: 0 });
    const tooLong = await call("loop", { file: "a.bvh", output: "never.bvh", minSeconds: 60 });
    assert.match(tooLong.error, /a\.bvh: .*at least/);
    assert.equal(JSON.parse((await call("mirror", { file: "a.bvh", output: "mirrored.bvh" })).text).frames, 60);
    const { fps } = JSON.parse((await call("info", { file: "a.bvh" })).text);
    const slice = { file: "a.bvh", output: "slice.bvh", from: 10 / fps, to: 30 / fps };
    assert.equal(JSON.parse((await call("slice", slice)).text).frames, 20);
    assert.equal(JSON.parse((await call("info", { file: "slice.bvh" })).text).frames, 20);
  });

  it("makes the motion between poses", async () => {
    const keys = [
      { file: "a.bvh", frame: 10 },
      { file: "a.bvh", frame: 40 },
    ];
    const { text } = await call("inbetween", { keys, frames: 20, output: "between.bvh" });
    // 20 frames and the two keys.
    assert.equal(JSON.parse(text).frames, 22);
  });

  it("renders a strip of figures as an image", async () => {
    const { content } = await call("render", { file: "a.bvh", view: "side", figures: 4 });
    assert.deepEqual([content[0].type, content[0].mimeType], ["image", "image/png"]);
    assert.equal(decode(Buffer.from(content[0].data, "base64")).height, 240);
  });

  it("scores frames by the judge", async () => {
    const { scores } = JSON.parse((await call("judge", { file: "a.bvh" })).text);
    assert.equal(scores.length, 60);
  });

  it("reads and writes below its folder only", async () => {
    for (const file of ["../secret.bvh", "up/secret.bvh", join(parentFolder, "secret.bvh"), "/etc/passwd"])
      assert.match((await call("info", { file })).error, /lies outside the folder/, file);
    for (const output of ["../x.bvh", "up/x.bvh", join(parentFolder, "x.bvh")])
      assert.match((await call("convert", { file: "a.bvh", output })).error, /lies outside the folder/, output);
    const { error } = await call("convert", { file: "a.bvh", output: "missing.bvh" });
    assert.match(error, /leads through a link to a missing file/);
    assert.ok(!existsSync(join(parentFolder, "missing.bvh")));
    mkdirSync(join(folder, "takes"));
    symlinkSync(join(parentFolder, "secret.bvh"), join(folder, "takes", "candidate-2.bvh"));
    const keys = [10, 40].map((frame) => ({ file: "a.bvh", frame }));
    const candidates = await call("candidates", { keys, count: 2, output: "takes" });
    assert.match(candidates.error, /lies outside the folder/);
  });

  it("reports errors as errors, and stays usable", async () => {
    assert.match((await call("info", { file: "none.bvh" })).error, /there is no "none\.bvh"/);
    assert.match((await call("convert", { file: "a.bvh", output: "a.xyz" })).error, /must end in \.bvh, \.glb/);
    assert.equal((await call("convert", { file: "a.bvh", output: "a.fbx" })).error, undefined);
    assert.match((await call("convert", { file: "a.bvh", output: "a.bvh" })).error, /it is an input/);
    assert.equal(JSON.parse((await call("info", { file: "a.bvh" })).text).frames, 60);
  });
});
