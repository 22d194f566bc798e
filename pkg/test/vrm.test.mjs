// Reading and writing VRM Animation files, on generated avatars of VRM 0 and 1: played by three-vrm and compared joint
// by joint.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { AnimationMixer, Vector3 } from "three";
import { animateGlb, load, stitch } from "kinestitch";
import { load as loadInWorker } from "kinestitch/worker";
import { createTransitions } from "kinestitch/three";
import { toVrma } from "kinestitch/vrm";
import { avatarFile, editGlb, loadAvatar, playOnAvatar, readAnimation, VRM_BONES, withFace } from "./avatars.mjs";
import { packageFolder, root, walk } from "./support.mjs";

const fixture = (name) => readFileSync(join(root, "tests", "fixtures", `${name}.bvh`));
const LIMBS = ["Left", "Right"].flatMap((side) => [
  [`${side}UpLeg`, `${side}Leg`],
  [`${side}Leg`, `${side}Foot`],
  [`${side}Arm`, `${side}ForeArm`],
  [`${side}ForeArm`, `${side}Hand`],
]);
const degrees = (a, b) => (a.angleTo(b) * 180) / Math.PI;

/** Returns a function that gives the world position of a role in a frame of a clip. */
function rolePositions(clip) {
  const { joints, rig } = clip.info();
  const positions = clip.positions();
  return (frame, role) => {
    const joint = joints.findIndex(({ name }) => name === rig[role]);
    return new Vector3().fromArray(positions, (frame * joints.length + joint) * 3);
  };
}

for (const version of [0, 1])
  test(`three-vrm plays a walk as a VRM Animation on an avatar of VRM ${version}, and limbs point as in the motion`, async () => {
    const walk = await load(fixture("ada-walk"));
    const source = rolePositions(walk);
    const { vrm, poseAt } = await playOnAvatar(version, await toVrma(walk));
    const positionOf = (role) => vrm.humanoid.getRawBoneNode(VRM_BONES[role]).getWorldPosition(new Vector3());
    const hipsPositions = [];
    for (let frame = 0; frame < walk.frames; frame += 3) {
      poseAt(frame / walk.fps);
      for (const [from, to] of LIMBS) {
        const difference = degrees(positionOf(to).sub(positionOf(from)), source(frame, to).sub(source(frame, from)));
        assert.ok(difference < 8, `frame ${frame}, ${from} to ${to}: ${difference.toFixed(1)} degrees`);
      }
      hipsPositions.push(positionOf("Hips"));
    }
    const clipDistance = source(walk.frames - 3, "Hips").distanceTo(source(0, "Hips"));
    const avatarDistance = hipsPositions.at(-1).distanceTo(hipsPositions[0]);
    assert.ok(Math.abs(avatarDistance / clipDistance - 1) < 0.2, `${avatarDistance} m of ${clipDistance} m`);
  });

test("a motion in which no bone moves keeps its duration in a VRM Animation", async () => {
  const rows = walk().trimEnd().split("\n");
  const still = await load([...rows.slice(0, -60), ...new Array(60).fill(rows.at(-1))].join("\n"));
  const bytes = await toVrma(still);
  assert.equal((await load(bytes)).frames, 60);
  assert.ok(Math.abs((await readAnimation(bytes)).duration - 59 / 30) < 1e-3);
});

test("a VRM Animation is loaded as three-vrm reads it, every bone in every frame", async () => {
  const bytes = await toVrma(await load(fixture("bo-run")));
  const clip = await load(bytes);
  const animation = await readAnimation(bytes);
  const { joints, rig, kind } = clip.info();
  assert.equal(kind, "biped");
  const rotations = clip.rotations();
  for (const [role, bone] of Object.entries(VRM_BONES)) {
    const joint = joints.findIndex(({ name }) => name === rig[role]);
    assert.ok(joint >= 0, role);
    const { values, times } = animation.humanoidTracks.rotation.get(bone);
    for (let frame = 0; frame < clip.frames; frame++) {
      const [clipIndex, trackIndex] = [(frame * joints.length + joint) * 4, times.length === 1 ? 0 : frame * 4];
      const dot = [0, 1, 2, 3].reduce((sum, part) => sum + rotations[clipIndex + part] * values[trackIndex + part], 0);
      assert.ok(Math.abs(dot) > 1 - 1e-5, `${role} of frame ${frame}: ${dot}`);
    }
  }
});

test("expressions and look-at are not bones, and are copied unchanged into the next file", async () => {
  const bytes = withFace(await toVrma(await load(fixture("ada-walk"))));
  const clip = await load(bytes);
  assert.equal(clip.info().joints.length, Object.keys(VRM_BONES).length);
  const motion = await stitch([clip, await load(fixture("ada-run"))]);
  for (const vrma of [
    await toVrma(motion, { face: bytes }),
    await toVrma(await loadInWorker(bytes), { face: bytes }),
  ]) {
    const [original, copy] = [await readAnimation(bytes), await readAnimation(vrma)];
    const [smile, copiedSmile] = [original, copy].map(({ expressionTracks }) => expressionTracks.preset.get("happy"));
    assert.deepEqual([...copiedSmile.times], [...smile.times]);
    assert.deepEqual([...copiedSmile.values], [0, 1, 0.25].map(Math.fround));
    assert.deepEqual([...copy.lookAtTrack.values], [...original.lookAtTrack.values]);
  }
  const withoutFace = await readAnimation(await toVrma(motion));
  assert.equal(withoutFace.expressionTracks.preset.size, 0);
  assert.equal(withoutFace.lookAtTrack, null);
  await assert.rejects(toVrma(motion, { face: fixture("ada-walk") }), { code: "glb" });
});

test("a face keeps its gaze in normalized integers, and nodes with other channels keep their expression", async () => {
  const bytes = withFace(await toVrma(await load(fixture("ada-walk"))));
  const baked = editGlb(bytes, (json, original) => {
    const binary = original.slice();
    const accessor = json.accessors.at(-1);
    const view = json.bufferViews[accessor.bufferView];
    const data = new DataView(binary.buffer, view.byteOffset);
    for (let i = 0; i < 12; i++) data.setInt16(2 * i, Math.round(32_767 * data.getFloat32(4 * i, true)), true);
    Object.assign(accessor, { componentType: 5122, normalized: true });
    view.byteLength = 24;
    const { channels } = json.animations[0];
    const [smile, gaze] = channels.slice(-2);
    channels.push({ sampler: gaze.sampler, target: { node: smile.target.node, path: "rotation" } });
    return binary;
  });
  const motion = await load(bytes);
  const [original, copy] = [await readAnimation(bytes), await readAnimation(await toVrma(motion, { face: baked }))];
  assert.deepEqual([...copy.expressionTracks.preset.get("happy").values], [0, 1, 0.25].map(Math.fround));
  copy.lookAtTrack.values.forEach((value, i) => assert.ok(Math.abs(value - original.lookAtTrack.values[i]) < 1e-4));
  const damaged = editGlb(bytes, (json) => void (json.accessors.at(-1).count = 1));
  await assert.rejects(toVrma(motion, { face: damaged }), { code: "glb" });
});

test("expressions whose node does not exist are ignored", async () => {
  const bytes = withFace(await toVrma(await load(fixture("ada-walk"))));
  for (const node of [-1, 10_000, 0.5, "0"]) {
    const damaged = editGlb(bytes, ({ extensions: { VRMC_vrm_animation: extension } }) => {
      extension.expressions.preset.sad = { node };
    });
    const copy = await readAnimation(await toVrma(await load(damaged), { face: damaged }));
    assert.deepEqual([...copy.expressionTracks.preset.keys()], ["happy"]);
  }
});

test("avatars are mapped by their humanoid, so a motion can be put on them", async () => {
  const walk = await load(fixture("ada-walk"));
  for (const version of [0, 1]) {
    const file = await animateGlb(await avatarFile(version), walk);
    const { kind, rig } = (await load(file)).info();
    assert.equal(kind, "biped");
    assert.deepEqual(Object.keys(rig).sort(), Object.keys(VRM_BONES).sort());
  }
});

for (const version of [0, 1])
  test(`a stitched transition joins two VRM Animations on an avatar of VRM ${version}, and the face continues`, async () => {
    const { createVRMAnimationClip } = await import("@pixiv/three-vrm-animation");
    const vrm = await loadAvatar(version);
    const files = [
      await toVrma(await load(fixture("ada-walk"))),
      withFace(await toVrma(await load(fixture("ada-idle")))),
    ];
    const clips = [];
    for (const bytes of files) clips.push(createVRMAnimationClip(await readAnimation(bytes), vrm));
    const mixer = new AnimationMixer(vrm.scene);
    const bones = vrm.humanoid.normalizedHumanBonesRoot;
    const transitions = createTransitions(mixer, { load, stitch, bones });
    await transitions.prepare(clips, { ahead: 0.4 });
    transitions.transitionTo(clips[0]);
    const rawBones = Object.values(VRM_BONES).map((bone) => vrm.humanoid.getRawBoneNode(bone));
    const frames = [];
    const play = (seconds) => {
      for (let i = 0; i < seconds * 60; i++) {
        transitions.update(1 / 60);
        vrm.update(1 / 60);
        vrm.scene.updateMatrixWorld(true);
        frames.push(rawBones.map((bone) => bone.getWorldPosition(new Vector3())));
      }
    };
    play(1);
    const idle = transitions.transitionTo(clips[1], { within: 0.5, arriveWithin: 2 });
    play(3);
    assert.equal(await idle.finished, true);
    assert.equal(typeof idle.join, "object", `${idle.join}`);
    // The transition may enter the clip after the peak of the smile. The smile keeps its last value from second 1 on.
    const smile = vrm.expressionManager.getValue("happy");
    assert.ok(Math.abs(smile - 0.25) < 0.01, `${smile}`);
    for (let frame = 1; frame < frames.length; frame++) {
      const largest = Math.max(...frames[frame].map((position, i) => position.distanceTo(frames[frame - 1][i])));
      assert.ok(largest < 0.12, `frame ${frame}: ${largest} m`);
    }
    const travel = frames.at(-1)[0].clone().sub(frames[0][0]);
    assert.ok(Math.hypot(travel.x, travel.z) > 0.8, "the avatar has walked");
    assert.ok(travel.z > 0.7, "the avatar walked forwards");
    transitions.dispose();
  });

test("the command line converts BVH to VRMA and back, and keeps the face of a VRMA", async (test) => {
  const folder = mkdtempSync(join(tmpdir(), "kinestitch-vrm-"));
  test.after(() => rmSync(folder, { recursive: true }));
  const kinestitch = (...args) =>
    promisify(execFile)(process.execPath, [join(packageFolder, "bin", "kinestitch.js"), ...args]);
  const [bvh, vrma, secondVrma] = ["walk.bvh", "walk.vrma", "again.vrma"].map((name) => join(folder, name));
  writeFileSync(bvh, fixture("ada-walk"));
  await kinestitch("convert", bvh, "-o", vrma);
  writeFileSync(vrma, withFace(readFileSync(vrma)));
  await kinestitch("convert", vrma, "-o", secondVrma, "--fps", "20");
  const animation = await readAnimation(readFileSync(secondVrma));
  assert.equal(animation.expressionTracks.preset.size, 1);
  assert.equal(animation.humanoidTracks.rotation.size, Object.keys(VRM_BONES).length);
  await kinestitch("convert", secondVrma, "-o", bvh);
  const { kind } = (await load(readFileSync(bvh))).info();
  assert.equal(kind, "biped");
});

test("a clip without a bone that VRM requires is refused", async () => {
  const clip = await (await load(fixture("ada-walk"))).withRig({ Head: null });
  await assert.rejects(toVrma(clip), { code: "rig", message: /a bone head/ });
  await assert.rejects(toVrma({}), { code: "option" });
});
