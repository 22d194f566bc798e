// clip.phases in the package and its worker, and `kinestitch phases` on the command line.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { livePhases, load, loadNetworks, networkModels } from "kinestitch";
import * as worker from "kinestitch/worker";
import { packageFolder, root, walk } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-phases-"));
after(() => rmSync(folder, { recursive: true }));
const fixture = (name) => join(root, "tests", "fixtures", `${name}.bvh`);
const errorOf = async (call) => {
  try {
    await call();
  } catch ({ code, message, option }) {
    return { code, message, option };
  }
  return assert.fail("it did not fail");
};

function run(...args) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(packageFolder, "bin", "kinestitch.js"), ...args],
    { cwd: folder, encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

describe("clip.phases", () => {
  it("gives the phases of both feet in each frame", async () => {
    const clip = await load(fixture("ada-walk"));
    const limbs = await clip.phases();
    assert.deepEqual(
      limbs.map(({ name, touches }) => [name, touches]),
      [
        ["LeftFoot", "ground"],
        ["RightFoot", "ground"],
      ],
    );
    for (const limb of limbs) {
      for (const name of ["contact", "filtered", "fit", "phase", "frequency", "amplitude"])
        assert.equal(limb[name].length, clip.frames, name);
      assert.equal(limb.vector.length, 2 * clip.frames);
      assert.ok(limb.contact instanceof Uint8Array && limb.phase instanceof Float32Array);
      assert.ok(limb.phase.every((phase) => phase >= 0 && phase < 2 * Math.PI + 1e-6));
      const middle = clip.frames >> 1;
      const [sin, cos] = limb.vector.subarray(2 * middle);
      assert.ok(
        Math.abs(Math.atan2(sin, cos) - Math.atan2(Math.sin(limb.phase[middle]), Math.cos(limb.phase[middle]))) < 1e-3,
      );
    }
  });

  it("accepts joints, and an object", async () => {
    const clip = await load(fixture("cleo-trot"));
    assert.deepEqual(
      (await clip.phases({ joints: ["ForePawL", "HindPawR"] })).map(({ joint }) => joint),
      ["ForePawL", "HindPawR"],
    );
    const paw = clip.info().joints.findIndex(({ name }) => name === "ForePawL");
    const joints = clip.info().joints.length;
    const clipPositions = clip.positions();
    const positions = Float32Array.from(
      { length: clip.frames * 3 },
      (_, index) => clipPositions[(Math.floor(index / 3) * joints + paw) * 3 + (index % 3)],
    );
    const [limb] = await clip.phases({ joints: ["ForePawL"], object: { positions, radius: 0.1 } });
    assert.deepEqual([limb.touches, limb.contact.every(Boolean)], ["object", true]);
  });

  it("refuses wrong options, and names them", async () => {
    const clip = await load(fixture("ada-walk"));
    assert.deepEqual((await errorOf(() => clip.phases({ limbs: [] }))).option, "limbs");
    assert.equal((await errorOf(() => clip.phases({ joints: "LeftFoot" }))).option, "joints");
    assert.match((await errorOf(() => clip.phases({ joints: ["Antenna"] }))).message, /no joint "Antenna"/);
    assert.equal((await errorOf(() => clip.phases({ object: { radius: 1 } }))).option, "object");
    const short = await errorOf(() => clip.phases({ object: { positions: new Float32Array(9), radius: 0.2 } }));
    assert.deepEqual([short.code, /3 positions/.test(short.message)], ["option", true]);
    assert.match(
      (await errorOf(() => clip.phases({ object: { positions: new Float32Array(10), radius: 0.2 } }))).message,
      /multiple of 3/,
    );
  });

  it("gives the same in a worker", async () => {
    const [mainPhases, workerPhases] = [
      await (await load(fixture("ada-walk"))).phases(),
      await (await worker.load(fixture("ada-walk"))).phases({ joints: ["LeftFoot", "RightFoot"] }),
    ];
    assert.deepEqual(
      workerPhases.map(({ phase }) => phase),
      mainPhases.map(({ phase }) => phase),
    );
  });
});

describe("kinestitch/phases-svg", () => {
  it("draws a range of frames with the given width", async () => {
    const { phasesSvg } = await import("kinestitch/phases-svg");
    const clip = await load(fixture("ada-walk"));
    const limbs = await clip.phases();
    const svg = phasesSvg(limbs, clip, { from: 30, to: 60, width: 500, limbHeight: 50 });
    assert.match(svg, /^<svg [^>]*width="500" height="162"/);
    const lines = [...svg.matchAll(/class="fit" d="([^"]*)"/g)].map(([, line]) =>
      line
        .split(/[ML]/)
        .slice(1)
        .map((point) => Number(point.split(" ")[0])),
    );
    for (const line of lines)
      assert.deepEqual(
        [line.length, line[0], line.every((x, i) => x >= 110 && x < 488 && (i === 0 || x > line[i - 1]))],
        [30, 110, true],
      );
    assert.match(svg, />1 s</);
    assert.equal(phasesSvg(limbs, clip, { from: -1e9, to: 1e9 }), phasesSvg(limbs, clip));
    assert.equal(phasesSvg(limbs, clip, { from: 30.5, to: 59.2, width: 500, limbHeight: 50 }), svg);
    assert.deepEqual(await clip.phases({ joints: [] }), []);
    assert.ok(!/NaN|undefined/.test(svg + phasesSvg([], clip) + phasesSvg(limbs, clip, { from: 5, to: 5 })));
  });

  it("refuses wrong arguments", async () => {
    const { phasesSvg } = await import("kinestitch/phases-svg");
    const clip = await load(fixture("ada-walk"));
    const limbs = await clip.phases();
    for (const [args, option] of [
      [[Promise.resolve(limbs), clip], "limbs"],
      [[limbs], "clip"],
      [[limbs, clip, { from: Number.NaN }], "from"],
      [[limbs, clip, { width: "wide" }], "width"],
    ])
      assert.throws(() => phasesSvg(...args), { code: "option", option });
  });

  it("escapes names, and replaces characters that XML forbids", async () => {
    const { phasesSvg } = await import("kinestitch/phases-svg");
    const svg = phasesSvg([], { name: "<b>\u0001", frames: 10, fps: 30 });
    assert.match(svg, /<title>Phases of &#60;b&#62;\ufffd<\/title>/);
  });
});

describe('seam: "phase"', () => {
  it("cuts at frames with similar phases of the feet", async () => {
    const { stitch } = await import("kinestitch");
    const [a, b] = await Promise.all([load(fixture("ada-walk")), load(fixture("bo-walk"))]);
    const { seams } = await stitch([a, b], { method: "inertialize", seam: "phase" });
    const { takeoff, landing } = seams[0].cut;
    const phasesAt = async (clip, frame) => (await clip.phases()).map(({ phase }) => phase[frame]);
    const [takeoffPhases, landingPhases] = [await phasesAt(a, takeoff), await phasesAt(b, landing)];
    takeoffPhases.forEach((phase, foot) =>
      assert.ok(Math.cos(phase - landingPhases[foot]) > 0.7, `foot ${foot}: ${phase} and ${landingPhases[foot]}`),
    );
  });
});

describe("kinestitch phases", () => {
  it("prints text and JSON", () => {
    const text = run("phases", fixture("ada-walk"));
    assert.deepEqual([text.status, text.stderr], [0, ""]);
    assert.match(text.stdout, /^LeftFoot.*: touches the ground \d+ % of the time, [\d.]+ cycles per second$/m);
    const { frames, limbs } = JSON.parse(run("phases", fixture("cleo-walk"), "--json").stdout);
    assert.deepEqual(
      limbs.map(({ name, phase, vector }) => [name, phase.length, vector.length]),
      ["ForePawL", "ForePawR", "HindPawL", "HindPawR"].map((name) => [name, frames, 2 * frames]),
    );
  });

  it("draws an SVG file", () => {
    const { status, stdout } = run("phases", fixture("cleo-trot"), "--svg", "trot.svg");
    assert.equal(status, 0);
    assert.match(stdout, /^trot\.svg: chart of the phases$/m);
    const svg = readFileSync(join(folder, "trot.svg"), "utf8");
    assert.match(svg, /^<svg xmlns=.*<\/svg>\n$/s);
    assert.equal(svg.match(/<g fill/g).length, 4);
    assert.ok(!/NaN|undefined/.test(svg));
  });

  it("accepts joints, and an object from another file", () => {
    writeFileSync(join(folder, "a.bvh"), walk({ frames: 40 }));
    const { limbs } = JSON.parse(
      run("phases", "a.bvh", "--joint", "LeftHand", "--object", "a.bvh", "--radius", "1.5", "--json").stdout,
    );
    assert.deepEqual(
      limbs.map(({ name, touches }) => [name, touches]),
      [["LeftHand", "object"]],
    );
  });

  it("rejects wrong arguments", () => {
    assert.deepEqual(run("phases").status, 2);
    assert.deepEqual(run("phases", "a.bvh", "--radius", "1").status, 2);
    assert.deepEqual(run("phases", "a.bvh", "--object", "a.bvh").status, 2);
    const { status, stderr } = run("phases", fixture("ada-walk"), "--joint", "Antenna");
    assert.deepEqual([status, /no joint "Antenna"/.test(stderr)], [1, true]);
    assert.equal(run("phases", fixture("ada-walk"), "--svg", fixture("ada-walk")).status, 1);
  });
});

const encoders = await networkModels({ for: "phases" });

describe("livePhases", { skip: encoders.length === 0 && "this package has no periodic autoencoder" }, () => {
  it("gives ten waves at any time; in a walk the phase of the strongest wave advances", async () => {
    const clip = await load(fixture("ada-walk"));
    const phases = await livePhases(clip);
    assert.deepEqual([phases.channels, phases.set, phases.licence], [10, encoders[0].set, encoders[0].licence]);
    const wavesAt = (seconds) => {
      const waves = new Float32Array(40);
      phases.at(seconds, waves);
      return waves;
    };
    const strongest = Array.from({ length: 10 }, (_, channel) => channel).sort(
      (a, b) => wavesAt(1)[4 * b] - wavesAt(1)[4 * a],
    )[0];
    for (let frame = 30; frame < 45; frame++) {
      const [current, next] = [wavesAt(frame / 30), wavesAt((frame + 1) / 30)];
      assert.ok(current.every(Number.isFinite));
      const phaseChange = next[4 * strongest + 2] - current[4 * strongest + 2];
      assert.ok(
        Math.sin(phaseChange) > 0 && current[4 * strongest + 1] > 0.3 && current[4 * strongest + 1] < 5,
        `frame ${frame}: ${phaseChange}`,
      );
    }
    // Beyond its ends, a motion is extrapolated.
    assert.deepEqual(wavesAt(1e9), wavesAt((clip.frames - 1) / clip.fps));
    assert.deepEqual(wavesAt(-5), wavesAt(0));
    assert.equal((await errorOf(() => phases.at(1, new Float32Array(39)))).option, "into");
    assert.equal((await errorOf(() => phases.at(NaN, new Float32Array(40)))).option, "seconds");
    phases.free();
    assert.throws(() => phases.at(1, new Float32Array(40)));
  });

  it("accepts clips of the worker; refuses animals, unknown sets and loadNetworks", async () => {
    const [mainPhases, workerPhases] = [
      await livePhases(await load(fixture("ada-run"))),
      await livePhases(await worker.load(fixture("ada-run"))),
    ];
    const [a, b] = [new Float32Array(40), new Float32Array(40)];
    mainPhases.at(0.5, a);
    workerPhases.at(0.5, b);
    assert.deepEqual(a, b);
    for (const phases of [mainPhases, workerPhases]) phases.free();
    await assert.rejects(
      livePhases(await load(fixture("cleo-walk"))),
      (error) => error.code === "rig" && /human rig/.test(error.message),
    );
    await assert.rejects(livePhases(await load(fixture("ada-run")), { set: "secret" }), { code: "option" });
    await assert.rejects(loadNetworks({ for: "phases" }), /livePhases/);
  });
});
