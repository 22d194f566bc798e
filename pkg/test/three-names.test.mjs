// Bone names that three.js's loaders change ("Spine_2.001" → "Spine_2001"): file and model count as one skeleton.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load, stitch } from "kinestitch";
import { fromAnimationClip, toAnimationClip } from "kinestitch/three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

/** Returns the motion of a waving chain of joints. */
function worm(names) {
  const frames = 30;
  const joints = names.map((name, i) => ({ name, parent: i - 1, offset: [0, 0.3, 0], moves: i === 0 }));
  const rotations = new Float32Array(frames * names.length * 4);
  const translations = new Float32Array(frames * 3);
  for (let frame = 0; frame < frames; frame++) {
    translations.set([0, 0.3, frame * 0.02], frame * 3);
    names.forEach((_, i) => {
      const half = 0.2 * Math.sin(frame * 0.3 + i);
      rotations.set([Math.sin(half), 0, 0, Math.cos(half)], (frame * names.length + i) * 4);
    });
  }
  return { name: "worm", fps: 30, joints, rotations, translations };
}

test("clips of a file and of its model in three.js have one skeleton, whatever the bone names are", async () => {
  const file = await (await load(worm(["Root [1]", "Spine_2.001", "maker:Neck", "Head/Top"]))).toGlb();
  const { scene, animations } = await new GLTFLoader().parseAsync(file.buffer, "");
  const fromFile = await load(file);
  const fromModel = await fromAnimationClip(animations[0], scene);
  const names = (clip) => clip.info().joints.map(({ name }) => name);
  assert.notDeepEqual(names(fromModel), names(fromFile));
  assert.equal((await fromFile.concat(fromModel)).frames, fromFile.frames + fromModel.frames);
  assert.equal((await fromModel.concat(fromFile)).frames, fromFile.frames + fromModel.frames);
  assert.equal(
    (await stitch([fromFile, fromModel], { method: "inertialize" })).frames,
    fromFile.frames + fromModel.frames,
  );
  const animation = await toAnimationClip(fromFile, scene);
  assert.ok(animation.tracks.length > 0);
});
