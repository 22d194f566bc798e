// GLB files checked with Khronos's validator and three.js's loader.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import validator from "gltf-validator";
import { load, stitch } from "kinestitch";
import { AnimationMixer, LoopOnce, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { fixtures, recordings, walk } from "./support.mjs";

async function assertValid(glb, description) {
  const { issues } = await validator.validateBytes(glb, { maxIssues: 20 });
  assert.equal(issues.numErrors, 0, `${description}: ${JSON.stringify(issues.messages.slice(0, 3))}`);
  assert.equal(issues.numWarnings, 0, `${description}: ${JSON.stringify(issues.messages.slice(0, 3))}`);
}

describe("toGlb", () => {
  it("passes the Khronos validator for every available motion", { timeout: 120_000 }, async () => {
    for (const path of [...fixtures(), ...recordings()]) await assertValid(await (await load(path)).toGlb(), path);
    const result = await stitch([await load(walk()), await load(walk({ speed: 2 }))], { method: "inertialize" });
    await assertValid(await result.toGlb(), "a stitched motion");
  });

  it("moves in three.js as in kinestitch, in metres and Y up", async () => {
    for (const source of [walk({ frames: 30 }), ...fixtures().slice(0, 2)]) {
      const clip = await load(source);
      const glb = await clip.toGlb();
      const gltf = await new GLTFLoader().parseAsync(
        glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.byteLength),
        "",
      );
      const { joints } = clip.info();
      const mixer = new AnimationMixer(gltf.scene);
      const action = mixer.clipAction(gltf.animations[0]).setLoop(LoopOnce);
      action.clampWhenFinished = true;
      action.play();
      const positions = clip.positions();
      for (const frame of [0, 7, clip.frames - 1]) {
        mixer.setTime(frame / clip.fps);
        gltf.scene.updateMatrixWorld(true);
        joints.forEach(({ name }, joint) => {
          // three.js removes characters that its track paths reserve.
          const bone = gltf.scene.getObjectByName(name.replace(/\s/g, "_").replace(/[[\].:/]/g, ""));
          assert.ok(bone, `${name} is missing`);
          const start = (frame * joints.length + joint) * 3;
          const distance = bone
            .getWorldPosition(new Vector3())
            .distanceTo(new Vector3(...positions.subarray(start, start + 3)));
          assert.ok(distance < 2e-3, `${name} in frame ${frame} is ${distance} m off`);
        });
      }
    }
  });
});
