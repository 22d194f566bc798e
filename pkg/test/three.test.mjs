// kinestitch/three: skeletons and motions of three.js to clips and back, on rigs of four families.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { AnimationMixer, Box3, Group, Object3D, Vector3 } from "three";
import { load, stitch } from "kinestitch";
import { load as loadInWorker } from "kinestitch/worker";
import { fromAnimationClip, poseObject, restOfObject, toAnimationClip } from "kinestitch/three";
import { character, fbxOf, glbOf, loadedGlb } from "./rigs.mjs";
import { root } from "./support.mjs";

const FAMILIES = ["mixamo", "vrm", "blender"];
const fixture = (name) => readFileSync(join(root, "tests", "fixtures", `${name}.bvh`));
const MESH2MOTION = [
  process.env.MESH2MOTION_GLB,
  join(root, "..", "..", "data", "mesh2motion-glb", "mesh2motion"),
  join(root, "..", "data", "mesh2motion-glb", "mesh2motion"),
].find((folder) => folder && existsSync(join(folder, "human-base-animations.glb")));
const mesh2motion = MESH2MOTION ? readFileSync(join(MESH2MOTION, "human-base-animations.glb")) : undefined;
const noMesh2Motion = mesh2motion
  ? false
  : "no human-base-animations.glb of Mesh2Motion; name its folder in MESH2MOTION_GLB";

/** Limbs whose directions must match the motion's on every rig. */
const LIMBS = [
  ["LeftUpLeg", "LeftLeg"],
  ["LeftLeg", "LeftFoot"],
  ["RightUpLeg", "RightLeg"],
  ["RightLeg", "RightFoot"],
  ["LeftArm", "LeftForeArm"],
  ["LeftForeArm", "LeftHand"],
  ["RightArm", "RightForeArm"],
  ["RightForeArm", "RightHand"],
];
const degrees = (a, b) => (a.angleTo(b) * 180) / Math.PI;

/** World positions of a clip's joints by role. */
function rolesOf(clip) {
  const { joints, rig } = clip.info();
  const positions = clip.positions();
  return (frame, role) => {
    const joint = joints.findIndex(({ name }) => name === rig[role]);
    return new Vector3().fromArray(positions, (frame * joints.length + joint) * 3);
  };
}

/** Angles between limbs and the motion's, and heights of the soles, during playback of a character. */
async function played(clip, model, mesh, boneOf, options) {
  const animation = await toAnimationClip(clip, model, options);
  const source = rolesOf(clip);
  const mixer = new AnimationMixer(model);
  mixer.clipAction(animation).play();
  let worst = 0;
  const soles = [];
  const places = [];
  for (let frame = 0; frame < clip.frames; frame += 3) {
    mixer.setTime(Math.min(frame / clip.fps, animation.duration * 0.99999));
    model.updateMatrixWorld(true);
    const at = (role) => boneOf(role).getWorldPosition(new Vector3());
    for (const [from, to] of LIMBS) {
      worst = Math.max(worst, degrees(at(to).sub(at(from)), source(frame, to).sub(source(frame, from))));
    }
    mesh.computeBoundingBox();
    soles.push(new Box3().copy(mesh.boundingBox).applyMatrix4(mesh.matrixWorld).min.y);
    places.push(at("Hips"));
  }
  mixer.stopAllAction();
  return { animation, worst, soles, places };
}

for (const family of FAMILIES) {
  test(`a walk on a ${family} character: limbs point as in the motion, soles on the ground`, async () => {
    const walk = await load(fixture("ada-walk"));
    const { model, mesh, bones } = character(family, { size: 1.1 });
    const { worst, soles, places } = await played(walk, model, mesh, (role) => bones.get(role));
    // Legs deviate by a few degrees to plant the feet, because thighs and shins have other proportions.
    assert.ok(worst < 12, `${worst.toFixed(1)} degrees`);
    assert.ok(
      Math.min(...soles) > -0.03 && Math.max(...soles) < 0.06,
      `soles from ${Math.min(...soles).toFixed(3)} to ${Math.max(...soles).toFixed(3)} m`,
    );
    assert.ok(places[0].distanceTo(places.at(-1)) > 0.8, "it gets on");
  });
}

test("where a model was put, and turned to, does not matter; its size does", async () => {
  const walk = await load(fixture("ada-walk"));
  const plain = character("mixamo");
  const put = character("mixamo");
  put.model.position.set(5, 1, -3);
  put.model.rotation.y = 2;
  const parent = new Group();
  parent.scale.setScalar(3);
  parent.add(put.model);
  parent.updateMatrixWorld(true);
  const [a, b] = await Promise.all([toAnimationClip(walk, plain.model), toAnimationClip(walk, put.model)]);
  assert.equal(a.tracks.length, b.tracks.length);
  a.tracks.forEach((track, i) =>
    track.values.forEach((value, k) =>
      assert.ok(Math.abs(value - b.tracks[i].values[k]) < 2e-3, `${track.name} ${value} ${b.tracks[i].values[k]}`),
    ),
  );
});

test("a root on the ground goes along under the hips: skin may hang from it", async () => {
  const walk = await load(fixture("ada-walk"));
  const { model, bones } = character("blender");
  const animation = await toAnimationClip(walk, model);
  const mixer = new AnimationMixer(model);
  mixer.clipAction(animation).play();
  const rootBone = model.getObjectByName("root");
  let first;
  for (const share of [0, 0.5, 0.99]) {
    mixer.setTime(animation.duration * share);
    model.updateMatrixWorld(true);
    const [under, hips] = [rootBone, bones.get("Hips")].map((bone) => bone.getWorldPosition(new Vector3()));
    assert.ok(Math.hypot(under.x - hips.x, under.z - hips.z) < 1e-3, `${under.toArray()} ${hips.toArray()}`);
    assert.ok(Math.abs(under.y) < 1e-6, "it stays on the ground");
    first ??= under;
    if (share > 0.9) assert.ok(under.distanceTo(first) > 0.8);
  }
});

test("a model posed frame by frame stands as its animation does", async () => {
  const walk = await load(fixture("ada-walk"));
  for (const family of FAMILIES) {
    const [played, posed] = [character(family, { size: 1.1 }), character(family, { size: 1.1 })];
    const animation = await toAnimationClip(walk, played.model);
    const mixer = new AnimationMixer(played.model);
    mixer.clipAction(animation).play();
    const rest = await load(restOfObject(posed.model));
    const pose = poseObject(posed.model, rest.info().rig.Hips);
    const onto = walk.retarget(rest);
    const joints = onto.info().joints.length;
    const [rotations, positions] = [onto.rotations(), onto.positions()];
    for (const frame of [0, 20, 45]) {
      mixer.setTime(Math.min(frame / walk.fps, animation.duration * 0.99999));
      pose(
        rotations.subarray(frame * joints * 4, (frame + 1) * joints * 4),
        positions.subarray(frame * joints * 3, (frame + 1) * joints * 3),
      );
      for (const { model } of [played, posed]) model.updateMatrixWorld(true);
      for (const [role, bone] of played.bones) {
        const [a, b] = [bone, posed.bones.get(role)].map((each) => each.getWorldPosition(new Vector3()));
        assert.ok(a.distanceTo(b) < 2e-3, `${family}, ${role} of frame ${frame}: ${a.toArray()} and ${b.toArray()}`);
      }
    }
    assert.throws(() => pose(rotations, positions), { code: "option" });
    assert.throws(() => poseObject(posed.model, "no such bone"), { code: "option" });
  }
});

test("in place: the body steps where it stands", async () => {
  const walk = await load(fixture("ada-walk"));
  const { model, mesh, bones } = character("blender");
  const { places, soles } = await played(walk, model, mesh, (role) => bones.get(role), { rootMotion: "inPlace" });
  for (const place of places) assert.ok(Math.hypot(place.x - places[0].x, place.z - places[0].z) < 1e-3);
  assert.ok(
    Math.max(...places.map(({ y }) => y)) - Math.min(...places.map(({ y }) => y)) > 0.005,
    "it still goes up and down",
  );
  assert.ok(Math.min(...soles) > -0.03);
});

test("an animation of three.js comes back from a clip as it was", async () => {
  const run = await load(fixture("ada-run"));
  for (const family of FAMILIES) {
    const { model } = character(family);
    const animation = await toAnimationClip(run, model);
    const clip = await fromAnimationClip(animation, model);
    assert.equal(clip.frames, run.frames);
    assert.ok(Math.abs(clip.fps - run.fps) < 0.1, `${clip.fps}`);
    assert.equal(clip.info().kind, "biped", family);
    assert.deepEqual(clip.info().warnings, [], family);
    const again = await toAnimationClip(clip, model);
    for (const track of animation.tracks) {
      const same = again.tracks.find(({ name }) => name === track.name);
      assert.ok(same, track.name);
      const size = track.getValueSize();
      for (let key = 0; key < track.times.length; key++) {
        const [a, b] = [track, same].map(({ values }) => values.subarray(key * size, (key + 1) * size));
        // A quaternion and its negative are one rotation. Mixamo's units are centimetres.
        const apart =
          size === 4
            ? 1 - Math.abs(a.reduce((sum, value, k) => sum + value * b[k], 0))
            : Math.hypot(...a.map((value, k) => value - b[k])) / (family === "mixamo" ? 100 : 1);
        assert.ok(apart < (size === 4 ? 1e-5 : 2e-3), `${family} ${track.name} ${key}: ${apart}`);
      }
    }
  }
});

test("clips of three.js stitch with BVH files", async () => {
  const [walk, run] = [await load(fixture("ada-walk")), await load(fixture("bo-run"))];
  const { model } = character("vrm");
  const own = await fromAnimationClip(await toAnimationClip(walk, model), model);
  const motion = await stitch([own, run]);
  assert.deepEqual(
    motion.info().joints.map(({ name }) => name),
    own.info().joints.map(({ name }) => name),
  );
  assert.ok(motion.frames > own.frames);
});

test("clips of the worker work too", async () => {
  const walk = await loadInWorker(fixture("ada-walk"));
  const { model } = character("mixamo");
  const animation = await toAnimationClip(walk, model);
  assert.ok(animation.tracks.length > 20);
  const back = await fromAnimationClip(animation, model, { load: loadInWorker });
  assert.equal((await back.info()).kind, "biped");
});

test("a file saved in the middle of a motion rests as its skin was bound", async () => {
  const walk = await load(fixture("ada-walk"));
  for (const family of FAMILIES) {
    const straight = character(family);
    const posed = character(family);
    const mixer = new AnimationMixer(posed.model);
    mixer.clipAction(await toAnimationClip(walk, posed.model)).play();
    mixer.setTime(0.4);
    posed.model.updateMatrixWorld(true);
    const [a, b] = [restOfObject(straight.model), restOfObject(posed.model)];
    a.joints.forEach(({ name, offset }, i) => {
      if (i === 0) return;
      // The whole character may face another way, by right angles.
      const other = b.joints[i].offset;
      const apart = Math.max(Math.abs(Math.hypot(...offset) - Math.hypot(...other)), Math.abs(offset[1] - other[1]));
      assert.ok(apart < 2e-3, `${family} ${name}: ${apart}`);
    });
  }
});

test("what has no bones is refused in a sentence", async () => {
  const walk = await load(fixture("ada-walk"));
  await assert.rejects(toAnimationClip(walk, new Object3D()), { code: "option", message: /has no bones/ });
  await assert.rejects(toAnimationClip(walk, character("vrm").model, { rootMotion: "fly" }), { code: "option" });
});

test("a GLB of three.js is loaded as the same motion that three.js plays", async () => {
  const walk = await load(fixture("ada-walk"));
  for (const family of FAMILIES) {
    const { model } = character(family);
    const bytes = await glbOf(model, [await toAnimationClip(walk, model)]);
    const direct = await load(bytes);
    const { scene, animations } = await loadedGlb(bytes);
    const through = await fromAnimationClip(animations[0], scene);
    assert.deepEqual([direct.frames, direct.fps], [through.frames, through.fps]);
    const [a, b] = [direct.positions(), through.positions()];
    const worst = a.reduce((most, value, k) => Math.max(most, Math.abs(value - b[k])), 0);
    assert.ok(worst < 2e-3, `${family}: ${worst} m`);
  }
});

test("an FBX file, in centimetres, takes a walk", async () => {
  const { FBXLoader } = await import("three/addons/loaders/FBXLoader.js");
  const text = new TextEncoder().encode(fbxOf(character("mixamo", { size: 1.1 })));
  const model = new FBXLoader().parse(text.buffer, "");
  let mesh;
  const bones = new Map();
  model.traverse((node) => {
    if (node.isSkinnedMesh) mesh = node;
    if (node.isBone) bones.set(node.name.replace("mixamorig", "").replace("ToeBase", "Toe"), node);
  });
  const walk = await load(fixture("ada-walk"));
  const { worst, soles, places } = await played(walk, model, mesh, (role) => bones.get(role));
  assert.ok(worst < 12, `${worst.toFixed(1)} degrees`);
  assert.ok(
    Math.min(...soles) > -3 && Math.max(...soles) < 6,
    `soles from ${Math.min(...soles).toFixed(1)} to ${Math.max(...soles).toFixed(1)} cm`,
  );
  assert.ok(places[0].distanceTo(places.at(-1)) > 80, "it gets on");
});

test("Mesh2Motion's human takes a walk, and gives one", { skip: noMesh2Motion }, async () => {
  const { scene, animations } = await loadedGlb(mesh2motion);
  const loop = animations.find(({ name }) => name === "Walk_Loop");
  const own = await fromAnimationClip(loop, scene);
  assert.equal(own.info().kind, "biped");
  assert.deepEqual([own.fps, own.frames], [24, 33]);
  const walk = await load(fixture("ada-walk"));
  const { rig } = own.info();
  const bones = Object.fromEntries(Object.entries(rig).map(([role, name]) => [role, scene.getObjectByName(name)]));
  let mesh;
  scene.traverse((node) => node.isSkinnedMesh && (mesh ??= node));
  const { worst, soles } = await played(walk, scene, mesh, (role) => bones[role]);
  assert.ok(worst < 12, `${worst.toFixed(1)} degrees`);
  assert.ok(
    Math.min(...soles) > -0.05 && Math.max(...soles) < 0.08,
    `soles from ${Math.min(...soles).toFixed(3)} to ${Math.max(...soles).toFixed(3)} m`,
  );
});
