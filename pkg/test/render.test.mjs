// `kinestitch render`: strips of figures as SVG and PNG, figures along a path, animated SVG and GIF.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
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

  it("rejects wrong arguments", () => {
    const statusAndError = (...args) => {
      const { status, stderr } = run(...args);
      return `${status} ${stderr.trim()}`;
    };
    assert.match(statusAndError("walk.bvh", "-o", "x.jpg"), /^2 .*OUT\.svg, OUT\.png or OUT\.gif, not "x\.jpg"/);
    assert.match(statusAndError("walk.bvh", "-o", "x.png", "--moving"), /^2 .*a PNG does not move/);
    assert.match(statusAndError("walk.bvh", "-o", "x.png", "--figures", "500"), /^2 .*--figures is 1 to 200, not 500/);
    assert.match(statusAndError("walk.bvh", "-o", "x.png", "--height", "9000"), /^2 .*--height is 60 to 2000/);
    assert.match(
      statusAndError("walk.bvh", "-o", "x.png", "--from", "40", "--to", "90"),
      /^1 .*has 60 frames: there are none from 40 to 90/,
    );
    assert.match(statusAndError("walk.bvh", "-o", "walk.bvh"), /^2 /);
    assert.match(statusAndError("none.bvh", "-o", "x.png"), /^1 .*none\.bvh/);
  });
});
