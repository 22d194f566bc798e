// FBX files that are written, as three.js reads them: joints, length, rate, skinned meshes.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { AnimationMixer, Vector3 } from "three";
import { animateGlb, load } from "kinestitch";
import { toFbx } from "kinestitch/write-fbx";
import { instants, jointsOf, largestDistance, readWithThree, sanitized } from "./fbx-out.mjs";
import { character, glbOf, loadGlb } from "./rigs.mjs";
import { root } from "./support.mjs";

const fixtures = join(root, "tests", "fixtures");
const files = [
  ...readdirSync(fixtures)
    .filter((name) => name.endsWith(".bvh"))
    .map((name) => join(fixtures, name)),
  ...["bvh-59.94fps", "bvh-23.976fps", "hold-2s", "spin-720", "mmd-names-zup"].map((name) =>
    join(fixtures, "cases", `${name}.bvh`),
  ),
];

describe("a clip written as FBX", () => {
  for (const file of files)
    it(`${file.slice(fixtures.length + 1)}: three.js finds every joint within 1 mm, and the same length`, async () => {
      const clip = await load(file);
      const frames = instants(clip.frames);
      const { animation, nodes } = readWithThree(
        await toFbx(clip),
        frames.map((frame) => frame / clip.fps),
      );
      assert.ok(Math.abs(animation.duration - (clip.frames - 1) / clip.fps) < 1e-4, `${animation.duration} s`);
      const distance = largestDistance(jointsOf(clip, frames), nodes, sanitized);
      assert.ok(distance < 1e-3, `${distance} m`);
    });

  it("keeps continuous angles: a spin of two turns has no step of more than 60 degrees", async () => {
    const clip = await load(join(fixtures, "cases", "spin-720.bvh"));
    const { animation } = readWithThree(await toFbx(clip), [0]);
    const track = animation.tracks.find(({ name }) => name === "Hips.quaternion");
    assert.equal(track.times.length, clip.frames);
  });

  it("can be in place", async () => {
    const clip = await load(join(fixtures, "ada-walk.bvh"));
    const { nodes } = readWithThree(await toFbx(clip, { rootMotion: "inPlace" }), [0, 2, 4]);
    const places = nodes.get("Hips");
    assert.ok(places.every(([x, , z]) => Math.hypot(x - places[0][0], z - places[0][2]) < 1e-4));
  });

  it("refuses other values, and a clip that was freed", async () => {
    await assert.rejects(toFbx({}), { code: "option" });
    const clip = await load(join(fixtures, "ada-walk.bvh"));
    await assert.rejects(toFbx(clip, { character: "none.glb", speed: 2 }), { code: "option" });
    clip.free();
    await assert.rejects(toFbx(clip), { code: "clip" });
  });
});

/** Returns the positions of some skinned vertices at a time. */
function skinnedVertices(model, animation, time, scale) {
  const mixer = new AnimationMixer(model);
  mixer.clipAction(animation).play();
  mixer.setTime(time);
  model.updateMatrixWorld(true);
  const vertices = [];
  model.traverse((mesh) => {
    if (!mesh.isSkinnedMesh) return;
    mesh.skeleton.update();
    const { count } = mesh.geometry.attributes.position;
    for (let i = 0; i < count; i++) {
      const vertex = mesh.getVertexPosition(i, new Vector3()).applyMatrix4(mesh.matrixWorld).multiplyScalar(scale);
      vertices.push(vertex.toArray());
    }
  });
  return vertices;
}

/** Returns the largest distance from a vertex of one list to the nearest vertex of the other, metres. */
const farthest = (from, to) =>
  Math.max(...from.map((a) => Math.min(...to.map((b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])))));

describe("a character written as FBX", () => {
  it("has its skinned vertices within 1 mm of those of the GLB with the same motion", async () => {
    const glb = await glbOf(character("mixamo").model);
    const clip = await load(join(fixtures, "bo-walk.bvh"));
    const fbx = await toFbx(clip, { character: glb });
    const { model, animation } = readWithThree(fbx, [0]);
    const expected = await loadGlb(await animateGlb(glb, clip));
    assert.ok(Math.abs(animation.duration - (clip.frames - 1) / clip.fps) < 1e-4);
    for (const time of [0, 1, 2.5]) {
      const a = skinnedVertices(model, animation, time, 0.01);
      const b = skinnedVertices(expected.scene, expected.animations[0], time, 1);
      assert.ok(a.length > 0 && b.length > 0);
      assert.ok(farthest(a, b) < 1e-3, `${farthest(a, b)} m at ${time} s`);
      assert.ok(farthest(b, a) < 1e-3, `${farthest(b, a)} m at ${time} s`);
    }
  });

  const robot = [process.env.MOCAP_DATA, join(root, "..", "shared", "data")]
    .filter(Boolean)
    .map((folder) => join(folder, "packs", "RobotExpressive.glb"))
    .find((path) => existsSync(path));
  it("RobotExpressive: three.js finds the skinned vertices where the GLB has them", {
    skip: robot ? false : "no recordings: set MOCAP_DATA",
  }, async () => {
    const glb = new Uint8Array(readFileSync(robot));
    const clip = await load(robot, { animation: "Walking" });
    const { model, animation } = readWithThree(await toFbx(clip, { character: glb }), [0]);
    const expected = await loadGlb(await animateGlb(glb, clip));
    for (const time of [0, 0.4]) {
      const a = skinnedVertices(model, animation, time, 0.01);
      const b = skinnedVertices(expected.scene, expected.animations[0], time, 1);
      assert.ok(
        farthest(
          a.filter((_, i) => i % 97 === 0),
          b,
        ) < 1e-3,
      );
    }
  });
});
