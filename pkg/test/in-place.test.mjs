// kinestitch/three: the travel of clips that were made in place, found from their feet.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { AnimationMixer, Vector3 } from "three";
import { load } from "kinestitch";
import { rootMotionFromFeet, createTransitions, toAnimationClip } from "kinestitch/three";
import { character as createCharacter, loadGlb } from "./rigs.mjs";
import { root } from "./support.mjs";
import { advance } from "./transitions-support.mjs";

const PACK = process.env.PACKS ?? join(root, "..", "shared", "data", "packs");

/** Returns the movement of an object during a clip, metres. */
function travelOf(model, clip, object) {
  const mixer = new AnimationMixer(model);
  mixer.clipAction(clip).play();
  const [start, end] = [0, clip.duration * 0.9999].map((time) => {
    mixer.setTime(time);
    model.updateMatrixWorld(true);
    return object.getWorldPosition(new Vector3());
  });
  mixer.stopAllAction();
  mixer.uncacheRoot(model);
  return end.sub(start);
}

for (const family of ["mixamo", "vrm", "blender"])
  for (const gait of ["walk", "run"])
    test(`a ${gait} in place of a ${family} character travels as far as the recording`, async () => {
      const { model, bones } = createCharacter(family, { size: 1.1 });
      const motion = await load(join(root, "tests", "fixtures", `ada-${gait}.bvh`));
      const [recorded, inPlace] = [
        await toAnimationClip(motion, model),
        await toAnimationClip(motion, model, { rootMotion: "inPlace" }),
      ];
      const hips = bones.get("Hips");
      const [expected, before] = [travelOf(model, recorded, hips), travelOf(model, inPlace, hips)];
      const keys = inPlace.tracks.map(({ values }) => values.length);
      const travelling = await rootMotionFromFeet(inPlace, model, { load });
      const travel = travelOf(model, travelling, hips);
      assert.ok(Math.hypot(before.x, before.z) < 0.1, `in place: ${before.toArray()}`);
      const error = Math.hypot(travel.x - expected.x, travel.z - expected.z) / Math.hypot(expected.x, expected.z);
      assert.ok(error < 0.1, `${travel.toArray()}, recorded ${expected.toArray()}`);
      assert.deepEqual(
        inPlace.tracks.map(({ values }) => values.length),
        keys,
        "the clip itself does not change",
      );
    });

test("an idle stays in place; missing feet and unknown bones are refused", async () => {
  const { model, bones } = createCharacter("mixamo", { size: 1.1 });
  const idle = await toAnimationClip(await load(join(root, "tests", "fixtures", "ada-idle.bvh")), model);
  const still = travelOf(model, await rootMotionFromFeet(idle, model, { load }), bones.get("Hips"));
  assert.ok(Math.hypot(still.x, still.z) < 0.02, `${still.toArray()}`);
  for (const options of [{}, { feet: [] }, { feet: ["nothing"] }, { load, bone: "nothing" }, { speed: 1 }])
    await assert.rejects(rootMotionFromFeet(idle, model, options), { code: "option" });
  await assert.rejects(rootMotionFromFeet("idle", model, { load }), { code: "option" });
});

test("RobotExpressive walks with the travel of its feet", async (t) => {
  const file = join(PACK, "RobotExpressive.glb");
  if (!existsSync(file)) return t.skip(`${file} is not there`);
  const { scene, animations } = await loadGlb(readFileSync(file));
  const walking = animations.find(({ name }) => name === "Walking");
  // Its feet hang at the root bone, and are no part of its legs.
  const walk = await rootMotionFromFeet(walking, scene, { load });
  const transitions = createTransitions(scene);
  transitions.transitionTo(walk);
  const actor = { model: scene, bones: new Map(), transitions, frames: [] };
  advance(actor, 3);
  const { x, z } = scene.position;
  // It is 4.4 m tall.
  assert.ok(z > 8 && Math.abs(x) < 0.2, `${x}, ${z}`);
});
