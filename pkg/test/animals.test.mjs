// Animations of one model need no retargeting, whatever its body is: two of them can be stitched, and an animation that
// is converted to a clip and back is unchanged.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { AnimationMixer, Vector3 } from "three";
import { inbetween, load, stitch } from "kinestitch";
import { fromAnimationClip, toAnimationClip } from "kinestitch/three";
import { animal, animalFiles, noAnimals } from "./animals.mjs";
import { loadGlb } from "./rigs.mjs";
import { root } from "./support.mjs";

/** Plays an animation. Returns world positions of bones at some times, [times][bones]. */
function playPositions(scene, bones, animation, times) {
  const mixer = new AnimationMixer(scene);
  mixer.clipAction(animation).play();
  const positions = times.map((time) => {
    mixer.setTime(Math.min(time, animation.duration * (1 - 1e-6)));
    scene.updateMatrixWorld(true);
    return bones.map((bone) => bone.getWorldPosition(new Vector3()));
  });
  mixer.stopAllAction();
  mixer.uncacheRoot(scene);
  scene.updateMatrixWorld(true);
  return positions;
}

/** Returns the largest distance between a bone in two results of `playPositions`. */
const largestDistance = (a, b) =>
  Math.max(...a.flatMap((positions, time) => positions.map((position, bone) => position.distanceTo(b[time][bone]))));
const bonesOf = (scene) => {
  const bones = [];
  scene.traverse((node) => node.isBone && bones.push(node));
  return bones;
};

test("two animations of a four-legged model can be stitched in either order, whichever joints they move", async () => {
  const { scene, animations } = animal();
  const [walk, sit] = await Promise.all(animations.map((animation) => fromAnimationClip(animation, scene)));
  assert.notEqual(walk.info().kind, "biped");
  for (const clips of [
    [walk, sit],
    [sit, walk],
  ]) {
    assert.ok((await stitch(clips)).frames > 0, "with the default method");
    // Inertialization uses both clips completely, so that the source of each frame is known.
    const motion = await stitch(clips, { method: "inertialize" });
    assert.equal(motion.frames, walk.frames + sit.frames);
    // Joints moved only by the second clip also move in the result.
    const { joints } = motion.info();
    const [hips, tail] = ["Hips", "Tail_Base"].map((name) => joints.findIndex((joint) => joint.name === name));
    const positionAt = (frame, joint) =>
      new Vector3().fromArray(motion.positions(), (frame * joints.length + joint) * 3);
    const tailDistance = (frame) => positionAt(frame, tail).distanceTo(positionAt(frame, hips));
    const [sitFrame, walkFrame] = clips[0] === sit ? [sit.frames - 1, motion.frames - 1] : [motion.frames - 1, 0];
    assert.ok(
      Math.abs(tailDistance(sitFrame) - tailDistance(walkFrame)) > 0.01,
      `${tailDistance(sitFrame)} ${tailDistance(walkFrame)}`,
    );
  }
  const between = await inbetween(
    [
      { clip: walk, frame: 5 },
      { clip: sit, frame: 20 },
    ],
    { frames: 12 },
  );
  assert.equal(between.frames, 14);
});

test("animals with different skeletons can be retargeted, and stitched with any method that needs no network", async () => {
  const { scene, animations } = animal();
  const walk = await fromAnimationClip(animations[0], scene);
  const dog = await load(join(root, "tests", "fixtures", "cleo-walk.bvh"));
  for (const method of ["auto", "inertialize", "crossfade", "lscore"]) {
    const motion = await stitch([dog, walk], { method });
    assert.equal(motion.info().joints.length, dog.info().joints.length, method);
  }
  assert.ok((await stitch([dog, walk], { gap: 10 })).frames > dog.frames);
  assert.equal((await walk.retarget(dog)).info().joints.length, dog.info().joints.length);
  assert.equal((await dog.retarget(dog)).frames, dog.frames);
  const person = await load(join(root, "tests", "fixtures", "ada-walk.bvh"));
  await assert.rejects(dog.retarget(person), { code: "rig", message: /hips and both legs/ });
  await assert.rejects(stitch([dog, person], { method: "inertialize" }), { code: "rig" });
});

test("an animation is unchanged after conversion to a clip and back", async () => {
  const { scene, animations } = animal();
  const bones = bonesOf(scene);
  const times = [0, 0.2, 0.5, 0.9, 1];
  for (const animation of animations) {
    const clip = await fromAnimationClip(animation, scene);
    const restored = await toAnimationClip(clip, scene);
    assert.ok(
      largestDistance(playPositions(scene, bones, animation, times), playPositions(scene, bones, restored, times)) <
        1e-4,
      animation.name,
    );
    const still = await toAnimationClip(clip, scene, { rootMotion: "inPlace" });
    assert.equal(still.tracks.length > 0, true);
  }
});

test("a bone at rest has no track, and a bone held in another pose has a track of one key", async () => {
  const { scene, animations } = animal();
  const [walk, sit] = await Promise.all(
    animations.map(async (animation) => toAnimationClip(await fromAnimationClip(animation, scene), scene)),
  );
  assert.deepEqual(walk.tracks.map(({ name }) => name).sort(), [
    "Back_Leg_Upper_L.quaternion",
    "Back_Leg_Upper_R.quaternion",
    "Front_Leg_Upper_L.quaternion",
    "Front_Leg_Upper_R.quaternion",
    "root.position",
  ]);
  const tip = sit.tracks.find(({ name }) => name === "Tail_Tip.quaternion");
  assert.deepEqual([tip.times.length, tip.values.length], [1, 4]);
});

test("the legs of the rig are the hind legs", async () => {
  const { scene, animations } = animal();
  const { rig } = (await fromAnimationClip(animations[0], scene)).info();
  assert.deepEqual([rig.Hips, rig.LeftUpLeg, rig.RightFoot], ["Hips", "Back_Leg_Upper_L", "Back_Leg_Ankle_R"]);
});

test("fromAnimationClip also accepts model and animation in the other order, and rejects other arguments", async () => {
  const { scene, animations } = animal();
  const [clip, clipOfSwappedArguments] = await Promise.all([
    fromAnimationClip(animations[0], scene),
    fromAnimationClip(scene, animations[0]),
  ]);
  assert.deepEqual(clip.rotations(), clipOfSwappedArguments.rotations());
  for (const args of [[scene, scene], [animations[0], animations[1]], [animations[0]], [undefined, scene]]) {
    await assert.rejects(fromAnimationClip(...args), {
      code: "option",
      message: /takes an AnimationClip, and the Object3D to animate/,
    });
  }
});

for (const file of animalFiles.length > 0 ? animalFiles : [undefined]) {
  test(`two animations of ${file ? basename(file) : "each animal model"} can be stitched, and converted back`, {
    skip: noAnimals,
  }, async () => {
    const { scene, animations } = await loadGlb(readFileSync(file));
    const bones = bonesOf(scene);
    const [a, b] = animations;
    const [first, second] = await Promise.all([a, b].map((animation) => fromAnimationClip(animation, scene)));
    const motion = await stitch([first, second], { method: "inertialize" });
    assert.equal(motion.frames, first.frames + second.frames);
    await toAnimationClip(await stitch([first, second]), scene);
    const restored = await toAnimationClip(first, scene);
    const modelSize = Math.max(...bones.map((bone) => bone.getWorldPosition(new Vector3()).length()));
    // A clip starts at the first key.
    const start = Math.min(...a.tracks.map(({ times }) => times[0]));
    const times = Array.from({ length: 8 }, (_, i) => Math.round((i * (first.frames - 1)) / 7) / first.fps);
    const error = largestDistance(
      playPositions(
        scene,
        bones,
        a,
        times.map((time) => time + start),
      ),
      playPositions(scene, bones, restored, times),
    );
    // Bones that move by less than 5 mm, or a hundredth of their length, count as still.
    assert.ok(error < 3e-3 * modelSize, `${error} of ${modelSize}`);
  });
}
