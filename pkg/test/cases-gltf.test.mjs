// The faults of tests/fixtures/cases in glTF files: joints are where three.js plays them, rates and lengths are those of
// the keys, and characters stand on their soles.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { AnimationMixer, PropertyBinding, Vector3 } from "three";
import { animateGlb, load } from "kinestitch";
import { fromAnimationClip, toAnimationClip } from "kinestitch/three";
import { glb } from "./hostile-documents.mjs";
import { lowestSole, parts } from "./glb-parts.mjs";
import { loadGlb } from "./rigs.mjs";
import { root } from "./support.mjs";

const fixture = (name) => new Uint8Array(readFileSync(join(root, "tests", "fixtures", name)));
const caseFile = (name) => fixture(`cases/${name}`);

/** Plays an animation of a scene with three.js; `visit` gets five instants as fractions, with the scene in its pose. */
function playFive({ scene, animations: [animation] }, visit) {
  const mixer = new AnimationMixer(scene);
  mixer.clipAction(animation).play();
  const from = Math.min(...animation.tracks.map(({ times }) => times[0]));
  for (let instant = 0; instant < 5; instant++) {
    visit(instant / 4, (seconds) => {
      mixer.setTime(Math.min(from + seconds, animation.duration * (1 - 1e-7)));
      scene.updateMatrixWorld(true);
    });
  }
  mixer.stopAllAction();
}

/** Returns the largest distance of the clip's joints from the nodes of three.js at five instants, metres. */
function distanceFromThree(clip, gltf) {
  const positions = clip.positions();
  const { joints } = clip.info();
  const nodes = joints.map(({ name }) => gltf.scene.getObjectByName(PropertyBinding.sanitizeNodeName(name)));
  let largest = 0;
  playFive(gltf, (fraction, seek) => {
    const frame = Math.round((clip.frames - 1) * fraction);
    seek(frame / clip.fps);
    nodes.forEach((node, joint) => {
      const start = (frame * joints.length + joint) * 3;
      const [x, y, z] = positions.subarray(start, start + 3);
      largest = Math.max(largest, node.getWorldPosition(new Vector3()).distanceTo(new Vector3(x, y, z)));
    });
  });
  return largest;
}

const MOVING = [
  "at-30m",
  "identity-ibm",
  "jump-armature-1",
  "jump-armature-100",
  "mirror-armature",
  "nonuniform-armature",
  "small-translations",
  "sparse-pelvis",
  "stretch-leg",
  "rate-20",
  "rate-29.97",
];

describe("joints of a glTF file are within 1 mm of three.js", () => {
  for (const name of MOVING)
    it(name, async () => {
      const bytes = caseFile(`${name}.glb`);
      const gltf = await loadGlb(bytes);
      const clip = await load(bytes);
      assert.ok(distanceFromThree(clip, gltf) < 1e-3, "load");
      assert.ok(distanceFromThree(await load(await clip.toGlb()), gltf) < 1e-3, "written as GLB");
      assert.ok(distanceFromThree(await load(await clip.toBvh()), gltf) < 1e-3, "written as BVH");
      assert.ok(distanceFromThree(await fromAnimationClip(gltf.animations[0], gltf.scene), gltf) < 1e-3, "three");
      const played = { scene: gltf.scene, animations: [await toAnimationClip(clip, gltf.scene)] };
      assert.ok(distanceFromThree(clip, played) < 1e-3, "toAnimationClip");
      assert.ok(distanceFromThree(clip, await loadGlb(await animateGlb(bytes, clip))) < 1e-3, "animateGlb");
    });

  it("pointer: KHR_animation_pointer to transforms of nodes", async () => {
    const bytes = caseFile("pointer.glb");
    const { json, binary } = parts(bytes);
    // three.js does not know the extension; the same file with plain channels.
    for (const { channels } of json.animations)
      for (const { target } of channels) {
        const { pointer } = target.extensions.KHR_animation_pointer;
        const [, , node, path] = pointer.split("/");
        Object.assign(target, { node: Number(node), path });
        delete target.extensions;
      }
    const plain = await loadGlb(glb(json, [0x004e4942, binary]));
    assert.ok(distanceFromThree(await load(bytes), plain) < 1e-3);
    json.animations[0].channels[0].target = {
      path: "pointer",
      extensions: { KHR_animation_pointer: { pointer: "/materials/0/emissiveFactor" } },
    };
    const withMaterial = await load(glb(json, [0x004e4942, binary]));
    assert.match(withMaterial.info().leftOut.join(), /"\/materials\/0\/emissiveFactor"/);
  });
});

describe("a character stands on its soles", () => {
  for (const name of ["quantized-normalized", "two-skins-coat", "two-skins-body-first", "hero-plain"])
    it(name, async () => {
      const walk = await load(fixture("bo-walk.bvh"));
      const lowest = await lowestSole(await animateGlb(caseFile(`${name}.glb`), walk));
      // The feet of a walk roll; 3 % of the height of the body.
      assert.ok(Math.abs(lowest) < 0.051, `${lowest} m`);
    });
});

describe("rates and lengths", () => {
  const NTSC = 60_000 / 1_001;
  for (const [name, frames, fps] of [
    ["rate-20.glb", 240, 20],
    ["rate-29.97.glb", 240, NTSC / 2],
    ["bvh-59.94fps.bvh", 240, NTSC],
    ["bvh-23.976fps.bvh", 240, 24_000 / 1_001],
    ["hold-2s.bvh", 60, 30],
  ])
    it(`${name} has ${frames} frames at ${fps.toFixed(3)} a second, also written as GLB and as BVH`, async () => {
      const clip = await load(caseFile(name));
      for (const copy of [
        clip,
        await load(await clip.toGlb()),
        await load(await (await load(await clip.toGlb())).toBvh()),
      ]) {
        assert.equal(copy.frames, frames);
        assert.ok(Math.abs(copy.fps - fps) < 1e-3, `${copy.fps}`);
      }
      const [animation] = (await loadGlb(await clip.toGlb())).animations;
      assert.ok(Math.abs(animation.duration - (frames - 1) / fps) < 1e-3, `${animation.duration} s`);
    });

  it("rates of capture systems and games are kept", async () => {
    const walk = await load(fixture("ada-walk.bvh"));
    const { joints } = walk.info();
    for (const fps of [12.5, 20, 23.976, 29.97, 40, 72, 119.88, 144, 200]) {
      const data = {
        fps,
        joints: joints.map(({ name, parent, offset }) => ({ name, parent, offset })),
        rotations: walk.rotations(),
        translations: walk.positions().filter((_, i) => i % (joints.length * 3) < 3),
      };
      const copy = await load(await (await load(data)).toGlb());
      assert.ok(Math.abs(copy.fps / fps - 1) < 1e-3, `${copy.fps} instead of ${fps}`);
      assert.equal(copy.frames, walk.frames);
    }
  });
});
