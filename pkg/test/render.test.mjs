// `kinestitch render`: strips of figures as SVG and PNG, figures along a path, animated SVG and GIF.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { decode } from "fast-png";
import { packageFolder, walk } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-render-"));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "walk.bvh"), walk({ frames: 60 }));

function run(...args) {
  const command = [join(packageFolder, "bin", "kinestitch.js"), "render", ...args];
  return spawnSync(process.execPath, command, { cwd: folder, encoding: "utf8" });
}

function render(name, ...args) {
  const { status, stdout, stderr } = run("walk.bvh", "-o", name, "--json", ...args);
  assert.equal(status, 0, stderr);
  return { report: JSON.parse(stdout), data: readFileSync(join(folder, name)) };
}

describe("kinestitch render", () => {
  it("draws a strip as SVG, with labels of frames at equal distances", () => {
    const { report, data } = render("strip.svg", "--figures", "5");
    const text = data.toString();
    const labels = [...text.matchAll(/<text[^>]*>(\d+)<\/text>/g)].map(([, frame]) => Number(frame));
    assert.deepEqual(labels, [0, 15, 30, 44, 59]);
    assert.match(text, new RegExp(`^<svg [^>]*width="${report.width}" height="240"`));
    assert.equal(report.frames, 60);
    const inks = [...text.matchAll(/<path [^>]*stroke="rgb\(([\d,]+)\)"/g)].map(([, ink]) => ink);
    assert.equal(inks[0], "208,208,208", "the figures cover the ground");
  });

  it("draws no bone from a root that stays at the world's origin to the hips", () => {
    const [hierarchy, motion] = walk({ frames: 60, speed: 5 }).split("MOTION\n");
    const channels = "OFFSET 0 0 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n";
    const [frames, time, ...rows] = motion.trim().split("\n");
    const childRows = rows.map((row) => `0 0 0 ${row}`).join("\n");
    const joints = hierarchy.replace("HIERARCHY\nROOT", `HIERARCHY\nROOT World\n{\n${channels}JOINT`);
    writeFileSync(join(folder, "world.bvh"), `${joints}}\nMOTION\n${frames}\n${time}\n${childRows}\n`);
    const width = (file) => {
      const { status, stdout, stderr } = run(file, "-o", "world.svg", "--json", "--view", "side", "--from", "50");
      assert.equal(status, 0, stderr);
      return JSON.parse(stdout).width;
    };
    writeFileSync(join(folder, "fast.bvh"), walk({ frames: 60, speed: 5 }));
    assert.equal(width("world.bvh"), width("fast.bvh"));
  });

  it("draws PNG files with the colours of the figure on white", () => {
    const { report, data } = render("strip.png", "--view", "side", "--height", "120");
    const image = decode(data);
    assert.deepEqual([image.width, image.height, image.channels], [report.width, 120, 4]);
    const colours = new Map();
    for (let offset = 0; offset < image.data.length; offset += 4) {
      const key = image.data.slice(offset, offset + 3).join();
      colours.set(key, (colours.get(key) ?? 0) + 1);
    }
    const count = (key) => colours.get(key) ?? 0;
    assert.ok(count("255,255,255") > 0.7 * report.width * 120);
    for (const ink of ["213,94,0", "0,114,178", "64,64,64"]) assert.ok(count(ink) > 20, `${ink}: ${count(ink)}`);
  });

  it("draws figures along the path of the motion: a longer path gives a wider image", () => {
    const widths = ["10", "60"].map(
      (to) => render("path.svg", "--layout", "path", "--view", "side", "--to", to).report.width,
    );
    assert.ok(widths[1] > 1.3 * widths[0], String(widths));
  });

  it("draws animated SVG and GIF files", () => {
    const moving = render("moving.svg", "--moving").data.toString();
    const [, seconds, values] = /<animate attributeName="d" dur="([\d.]+)s"[^>]*values="([^"]*)"/.exec(moving);
    assert.equal(Number(seconds), 2);
    assert.equal(values.split(";").length, 30);
    const { data } = render("moving.gif");
    assert.equal(data.subarray(0, 6).toString(), "GIF89a");
    // One graphic control extension per frame, with 5 hundredths of a second.
    const frames = data.toString("latin1").split("\x21\xf9\x04").length - 1;
    assert.equal(frames, 40);
  });

  it("draws a motion in the same way wherever it starts", () => {
    const [head, rows] = walk({ frames: 60 }).split(/(?<=Frame Time: .*\n)/);
    const moved = rows.replace(/^(\S+)/gm, (x) => String(Number(x) + 1000));
    writeFileSync(join(folder, "moved.bvh"), `${head}${moved}`);
    for (const flags of [["--layout", "path"], ["--moving"]]) {
      const numbers = ["walk.bvh", "moved.bvh"].map((file) => {
        const { status, stderr } = run(file, "-o", "start.svg", ...flags);
        assert.equal(status, 0, stderr);
        const text = readFileSync(join(folder, "start.svg"), "utf8");
        return text.match(/\d+(\.\d+)?/g).map(Number);
      });
      assert.equal(numbers[0].length, numbers[1].length);
      // Coordinates have one decimal.
      const largest = numbers[0].reduce((max, value, index) => Math.max(max, Math.abs(value - numbers[1][index])), 0);
      assert.ok(largest < 0.2, `${flags.join(" ")}: ${largest} pixels`);
    }
  });

  it("draws a minute of a skeleton with 70 joints", async () => {
    const { drawAnimation } = await import(pathToFileURL(join(packageFolder, "dist", "picture", "drawing.js")));
    const joints = Array.from({ length: 70 }, (_, index) => ({ name: `joint${index}`, parent: index - 1 }));
    const positions = Float32Array.from({ length: 1800 * 70 * 3 }, (_, index) => (index % 210) / 210);
    const clip = { frames: 1800, fps: 30, info: () => ({ joints, rig: {} }), positions: () => positions };
    assert.equal(drawAnimation(clip, 20).pictures.length, 1200);
  });

  it("rejects wrong arguments", () => {
    const statusAndError = (...args) => {
      const { status, stderr } = run(...args);
      return `${status} ${stderr.trim()}`;
    };
    assert.match(statusAndError("walk.bvh", "-o", "x.jpg"), /^2 .*OUT\.svg, OUT\.png or OUT\.gif, not "x\.jpg"/);
    assert.match(statusAndError("walk.bvh", "-o", "x.png", "--moving"), /^2 .*a PNG does not move/);
    assert.match(statusAndError("walk.bvh", "-o", "x.png", "--figures", "500"), /^2 .*--figures is 1 to 200, not 500/);
    assert.match(statusAndError("walk.bvh", "-o", "x.png", "--height", "9000"), /^2 .*--height is 60 to 2000/);
    writeFileSync(join(folder, "long.bvh"), walk({ frames: 200 }));
    assert.match(
      statusAndError("long.bvh", "-o", "x.png", "--height", "2000", "--figures", "200"),
      /^1 .*a PNG of \d+ × 2000 pixels is too large/,
    );
    assert.match(
      statusAndError("walk.bvh", "-o", "x.png", "--from", "40", "--to", "90"),
      /^1 .*has 60 frames: from 40 to 90 \(excluded\) is not a range of them/,
    );
    assert.match(statusAndError("walk.bvh", "-o", "walk.bvh"), /^2 /);
    assert.match(statusAndError("none.bvh", "-o", "x.png"), /^1 .*none\.bvh/);
  });
});
