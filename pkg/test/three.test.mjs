// kinestitch/three: skeletons and motions of three.js to clips and back, on generated characters of three families, and
// on Mesh2Motion's human, if available.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { AnimationMixer, Box3, Group, Object3D, Vector3 } from "three";
import { load, stitch } from "kinestitch";
import { load as loadInWorker } from "kinestitch/worker";
import { fromAnimationClip, poseObject, restOfObject, toAnimationClip } from "kinestitch/three";
import { character, fbxOf, glbOf, loadGlb } from "./rigs.mjs";
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

/** Limbs whose directions must match those of the motion on every rig. */
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

/** Returns a function that gives the world position of a role in a frame of a clip. */
function rolePositions(clip) {
  const { joints, rig } = clip.info();
  const positions = clip.positions();
  return (frame, role) => {
    const joint = joints.findIndex(({ name }) => name === rig[role]);
    return new Vector3().fromArray(positions, (frame * joints.length + joint) * 3);
  };
}

/**
 * Plays a clip on a character. Returns the largest angle between a limb of the character and of the clip in degrees,
 * and for each sampled frame the height of the soles and the position of the hips.
 */
async function playOnCharacter(clip, model, mesh, boneOf, options) {
  const animation = await toAnimationClip(clip, model, options);
  const source = rolePositions(clip);
  const mixer = new AnimationMixer(model);
  mixer.clipAction(animation).play();
  let largestAngle = 0;
  const soles = [];
  const hipsPositions = [];
  for (let frame = 0; frame < clip.frames; frame += 3) {
    mixer.setTime(Math.min(frame / clip.fps, animation.duration * 0.99999));
    model.updateMatrixWorld(true);
    const positionOf = (role) => boneOf(role).getWorldPosition(new Vector3());
    for (const [from, to] of LIMBS) {
      largestAngle = Math.max(
        largestAngle,
        degrees(positionOf(to).sub(positionOf(from)), source(frame, to).sub(source(frame, from))),
      );
    }
    mesh.computeBoundingBox();
    soles.push(new Box3().copy(mesh.boundingBox).applyMatrix4(mesh.matrixWorld).min.y);
    hipsPositions.push(positionOf("Hips"));
  }
  mixer.stopAllAction();
  return { animation, largestAngle, soles, hipsPositions };
}

for (const family of FAMILIES) {
  test(`in a walk of a ${family} character, limbs point as in the motion and soles are on the ground`, async () => {
    const walk = await load(fixture("ada-walk"));
    const { model, mesh, bones } = character(family, { size: 1.1 });
    const { largestAngle, soles, hipsPositions } = await playOnCharacter(walk, model, mesh, (role) => bones.get(role));
    // Legs deviate by a few degrees to plant the feet, because thighs and shins have other proportions.
    assert.ok(largestAngle < 12, `${largestAngle.toFixed(1)} degrees`);
    assert.ok(
      Math.min(...soles) > -0.03 && Math.max(...soles) < 0.06,
      `soles from ${Math.min(...soles).toFixed(3)} to ${Math.max(...soles).toFixed(3)} m`,
    );
    assert.ok(hipsPositions[0].distanceTo(hipsPositions.at(-1)) > 0.8, "the character moves ahead");
  });
}

test("position, heading and parent of a model do not change its animation", async () => {
  const walk = await load(fixture("ada-walk"));
  const plain = character("mixamo");
  const moved = character("mixamo");
  moved.model.position.set(5, 1, -3);
  moved.model.rotation.y = 2;
  const parent = new Group();
  parent.scale.setScalar(3);
  parent.add(moved.model);
  parent.updateMatrixWorld(true);
  const [a, b] = await Promise.all([toAnimationClip(walk, plain.model), toAnimationClip(walk, moved.model)]);
  assert.equal(a.tracks.length, b.tracks.length);
  a.tracks.forEach((track, i) =>
    track.values.forEach((value, k) =>
      assert.ok(Math.abs(value - b.tracks[i].values[k]) < 2e-3, `${track.name} ${value} ${b.tracks[i].values[k]}`),
    ),
  );
});

test("a root bone on the ground follows the hips, because skin may be bound to it", async () => {
  const walk = await load(fixture("ada-walk"));
  const { model, bones } = character("blender");
  const animation = await toAnimationClip(walk, model);
  const mixer = new AnimationMixer(model);
  mixer.clipAction(animation).play();
  const rootBone = model.getObjectByName("root");
  let first;
  for (const fraction of [0, 0.5, 0.99]) {
    mixer.setTime(animation.duration * fraction);
    model.updateMatrixWorld(true);
    const [rootPosition, hips] = [rootBone, bones.get("Hips")].map((bone) => bone.getWorldPosition(new Vector3()));
    assert.ok(
      Math.hypot(rootPosition.x - hips.x, rootPosition.z - hips.z) < 1e-3,
      `${rootPosition.toArray()} ${hips.toArray()}`,
    );
    assert.ok(Math.abs(rootPosition.y) < 1e-6, "the root bone stays on the ground");
    first ??= rootPosition;
    if (fraction > 0.9) assert.ok(rootPosition.distanceTo(first) > 0.8);
  }
});

test("poseObject gives a model the poses of its animation", async () => {
  const walk = await load(fixture("ada-walk"));
  for (const family of FAMILIES) {
    const [played, posed] = [character(family, { size: 1.1 }), character(family, { size: 1.1 })];
    const animation = await toAnimationClip(walk, played.model);
    const mixer = new AnimationMixer(played.model);
    mixer.clipAction(animation).play();
    const rest = await load(restOfObject(posed.model));
    const pose = poseObject(posed.model, rest.info().rig.Hips);
    const retargeted = await walk.retarget(rest);
    const joints = retargeted.info().joints.length;
    const [rotations, positions] = [retargeted.rotations(), retargeted.positions()];
    for (const frame of [0, 20, 45]) {
      mixer.setTime(Math.min(frame / walk.fps, animation.duration * 0.99999));
      pose(
        rotations.subarray(frame * joints * 4, (frame + 1) * joints * 4),
        positions.subarray(frame * joints * 3, (frame + 1) * joints * 3),
      );
      for (const { model } of [played, posed]) model.updateMatrixWorld(true);
      for (const [role, bone] of played.bones) {
        const [a, b] = [bone, posed.bones.get(role)].map((node) => node.getWorldPosition(new Vector3()));
        assert.ok(a.distanceTo(b) < 2e-3, `${family}, ${role} of frame ${frame}: ${a.toArray()} and ${b.toArray()}`);
      }
    }
    assert.throws(() => pose(rotations, positions), { code: "option" });
    assert.throws(() => poseObject(posed.model, "no such bone"), { code: "option" });
  }
});

test("in place, the hips do not move horizontally", async () => {
  const walk = await load(fixture("ada-walk"));
  const { model, mesh, bones } = character("blender");
  const { hipsPositions, soles } = await playOnCharacter(walk, model, mesh, (role) => bones.get(role), {
    rootMotion: "inPlace",
  });
  for (const position of hipsPositions)
    assert.ok(Math.hypot(position.x - hipsPositions[0].x, position.z - hipsPositions[0].z) < 1e-3);
  assert.ok(
    Math.max(...hipsPositions.map(({ y }) => y)) - Math.min(...hipsPositions.map(({ y }) => y)) > 0.005,
    "the hips still move up and down",
  );
  assert.ok(Math.min(...soles) > -0.03);
});

test("an animation of three.js is unchanged after conversion to a clip and back", async () => {
  const run = await load(fixture("ada-run"));
  for (const family of FAMILIES) {
    const { model } = character(family);
    const animation = await toAnimationClip(run, model);
    const clip = await fromAnimationClip(animation, model);
    assert.equal(clip.frames, run.frames);
    assert.ok(Math.abs(clip.fps - run.fps) < 0.1, `${clip.fps}`);
    assert.equal(clip.info().kind, "biped", family);
    assert.deepEqual(clip.info().warnings, [], family);
    const restored = await toAnimationClip(clip, model);
    for (const track of animation.tracks) {
      const restoredTrack = restored.tracks.find(({ name }) => name === track.name);
      assert.ok(restoredTrack, track.name);
      const size = track.getValueSize();
      for (let key = 0; key < track.times.length; key++) {
        const [a, b] = [track, restoredTrack].map(({ values }) => values.subarray(key * size, (key + 1) * size));
        // A quaternion and its negative are one rotation. Mixamo's units are centimetres.
        const difference =
          size === 4
            ? 1 - Math.abs(a.reduce((sum, value, k) => sum + value * b[k], 0))
            : Math.hypot(...a.map((value, k) => value - b[k])) / (family === "mixamo" ? 100 : 1);
        assert.ok(difference < (size === 4 ? 1e-5 : 2e-3), `${family} ${track.name} ${key}: ${difference}`);
      }
    }
  }
});

test("clips of three.js can be stitched with BVH files", async () => {
  const [walk, run] = [await load(fixture("ada-walk")), await load(fixture("bo-run"))];
  const { model } = character("vrm");
  const fromModel = await fromAnimationClip(await toAnimationClip(walk, model), model);
  const motion = await stitch([fromModel, run]);
  assert.deepEqual(
    motion.info().joints.map(({ name }) => name),
    fromModel.info().joints.map(({ name }) => name),
  );
  assert.ok(motion.frames > fromModel.frames);
});

test("clips of the worker can be converted", async () => {
  const walk = await loadInWorker(fixture("ada-walk"));
  const { model } = character("mixamo");
  const animation = await toAnimationClip(walk, model);
  assert.ok(animation.tracks.length > 20);
  const restored = await fromAnimationClip(animation, model, { load: loadInWorker });
  assert.equal((await restored.info()).kind, "biped");
});

test("a file saved in the middle of a motion has the bind pose of its skin as rest pose", async () => {
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
      const difference = Math.max(
        Math.abs(Math.hypot(...offset) - Math.hypot(...other)),
        Math.abs(offset[1] - other[1]),
      );
      assert.ok(difference < 2e-3, `${family} ${name}: ${difference}`);
    });
  }
});

test("a model in the middle of a jump is at rest on the ground, and its mesh keeps no bounding box", async () => {
  for (const family of FAMILIES) {
    const heights = [];
    for (const isPosed of [false, true]) {
      const { model, mesh, bones } = character(family);
      if (isPosed) {
        const hips = bones.get("Hips");
        hips.position.y += family === "mixamo" ? 50 : 0.5;
        for (const role of ["LeftLeg", "RightLeg"]) bones.get(role).rotateX(1);
      }
      const positions = (await load(restOfObject(model))).positions();
      heights.push(positions.filter((_, i) => i % 3 === 1).reduce((a, b) => Math.min(a, b)));
      assert.equal(mesh.boundingBox, null);
    }
    assert.ok(Math.abs(heights[1] - heights[0]) < 1e-3, `${family}: ${heights}`);
  }
});

test("an object without bones, and a wrong option, are refused", async () => {
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
    const { scene, animations } = await loadGlb(bytes);
    const viaThree = await fromAnimationClip(animations[0], scene);
    assert.deepEqual([direct.frames, direct.fps], [viaThree.frames, viaThree.fps]);
    const [a, b] = [direct.positions(), viaThree.positions()];
    const largestDistance = a.reduce((max, value, k) => Math.max(max, Math.abs(value - b[k])), 0);
    assert.ok(largestDistance < 2e-3, `${family}: ${largestDistance} m`);
  }
});

test("a walk fits a character from an FBX file in centimetres", async () => {
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
  const { largestAngle, soles, hipsPositions } = await playOnCharacter(walk, model, mesh, (role) => bones.get(role));
  assert.ok(largestAngle < 12, `${largestAngle.toFixed(1)} degrees`);
  assert.ok(
    Math.min(...soles) > -3 && Math.max(...soles) < 6,
    `soles from ${Math.min(...soles).toFixed(1)} to ${Math.max(...soles).toFixed(1)} cm`,
  );
  assert.ok(hipsPositions[0].distanceTo(hipsPositions.at(-1)) > 80, "the character moves ahead");
});

test("a walk fits Mesh2Motion's human, and its animation Walk_Loop can be read", { skip: noMesh2Motion }, async () => {
  const { scene, animations } = await loadGlb(mesh2motion);
  const loop = animations.find(({ name }) => name === "Walk_Loop");
  const fromModel = await fromAnimationClip(loop, scene);
  assert.equal(fromModel.info().kind, "biped");
  assert.deepEqual([fromModel.fps, fromModel.frames], [24, 33]);
  const walk = await load(fixture("ada-walk"));
  const { rig } = fromModel.info();
  const bones = Object.fromEntries(Object.entries(rig).map(([role, name]) => [role, scene.getObjectByName(name)]));
  let mesh;
  scene.traverse((node) => node.isSkinnedMesh && (mesh ??= node));
  const { largestAngle, soles } = await playOnCharacter(walk, scene, mesh, (role) => bones[role]);
  assert.ok(largestAngle < 12, `${largestAngle.toFixed(1)} degrees`);
  assert.ok(
    Math.min(...soles) > -0.05 && Math.max(...soles) < 0.08,
    `soles from ${Math.min(...soles).toFixed(3)} to ${Math.max(...soles).toFixed(3)} m`,
  );
});
