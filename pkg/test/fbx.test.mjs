// FBX files as they are converted to GLB: the unit of lengths, and embedded pictures; and `load` of FBX files in Node.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { AnimationMixer, Vector3 } from "three";
import { animations, load } from "kinestitch";
import { convertFbx } from "kinestitch/fbx";
import { load as loadInWorker } from "kinestitch/worker";
import { character, FileReader, fbxOf, loadGlb } from "./rigs.mjs";
import { root } from "./support.mjs";

globalThis.FileReader ??= FileReader;

/** Converts the FBX file of a character, with an animation of one second. `options`: those of `fbxOf`. */
async function convert(options) {
  return convertFbx(new TextEncoder().encode(fbxOf(character("mixamo"), ["sway"], options)).buffer);
}

/** Returns the position of the head in the middle of the animation. */
async function headOf(glb) {
  const { scene, animations } = await loadGlb(new Uint8Array(glb));
  const mixer = new AnimationMixer(scene);
  mixer.clipAction(animations[0]).play();
  mixer.setTime(0.5);
  scene.updateMatrixWorld(true);
  return scene.getObjectByName("mixamorigHead").getWorldPosition(new Vector3());
}

describe("an FBX file", () => {
  const tops = { "several top nodes": undefined, "an animated top node": "Armature", "a top node without a name": "" };
  for (const [top, armature] of Object.entries(tops))
    for (const unit of [undefined, 1, 100])
      it(`with ${top} and the unit ${unit === undefined ? "not stated" : `${unit} cm`} is in metres`, async () => {
        const head = await headOf((await convert({ unit, armature })).glb);
        // The armature is 0.5 m above the ground, and has moved by 0.5 m along x.
        const [x, y] = armature === undefined ? [0, 1.55] : [0.5, 2.05];
        assert.ok(Math.abs(head.x - x) < 0.01 && Math.abs(head.y - y) < 0.01, `${head.x} ${head.y} m`);
      });

  it("contains its embedded picture", async () => {
    const { pictures } = await convert({ picture: "iVBORw0KGgo=" });
    assert.deepEqual(
      pictures.map(({ slot, picture }) => [slot, picture.type, picture.size]),
      [["map", "image/png", 8]],
    );
  });

  it("is converted without a damaged picture", async () => {
    const { glb, pictures } = await convert({ picture: "iVBOR" });
    assert.deepEqual(pictures, []);
    assert.ok(Math.abs((await headOf(glb)).y - 1.55) < 0.01);
  });
});

describe("load of an FBX file in Node", () => {
  const folder = mkdtempSync(join(tmpdir(), "kinestitch-fbx-"));
  after(() => rmSync(folder, { recursive: true }));
  const text = fbxOf(character("mixamo"), ["sway", "nod"], { unit: 100 });
  const path = join(folder, "hero.fbx");
  writeFileSync(path, text);

  it("gives its animations, on this thread and in the worker", async () => {
    assert.deepEqual(await animations(path), ["sway", "nod"]);
    const clip = await load(path, { animation: "nod" });
    assert.deepEqual([clip.name, clip.frames, clip.fps], ["nod", 31, 30]);
    const joint = clip.info().joints.findIndex(({ name }) => name === "mixamorigHead");
    assert.ok(Math.abs(clip.positions()[joint * 3 + 1] - 1.55) < 0.01, "metres");
    const inWorker = await loadInWorker(new TextEncoder().encode(text), { animation: "nod" });
    assert.deepEqual(await inWorker.positions(), clip.positions());
  });

  it("is refused if it is damaged, and can be aborted", async () => {
    writeFileSync(join(folder, "cut.fbx"), "Kaydara FBX Binary  \0\x1a\0\xe8\x1c");
    await assert.rejects(load(join(folder, "cut.fbx")), { code: "fbx", message: /cut\.fbx: .*damaged/ });
    await assert.rejects(load(path, { signal: AbortSignal.timeout(1) }), { name: /AbortError|KinestitchError/ });
  });

  it("works on the command line", () => {
    const run = (...args) =>
      spawnSync(process.execPath, [join(root, "pkg", "bin", "kinestitch.js"), ...args], {
        cwd: folder,
        encoding: "utf8",
      });
    const { status, stderr } = run("convert", "hero.fbx", "-o", "hero.bvh");
    assert.equal(status, 0, stderr);
    assert.match(run("info", "hero.fbx").stdout, /31 frames at 30 fps[^]*animations: sway \(1 s\), nod \(1 s\)/);
  });
});
