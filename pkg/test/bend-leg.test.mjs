// Inverse kinematics of a leg in kinestitch/three: the knee bends forwards, and gradually if the ground stops the foot.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Quaternion, Vector3 } from "three";
import { multiply, rotate } from "../dist/bones/rotation.js";
import { bendLeg, findHinge } from "../dist/three/bend-leg.js";
import { Body } from "../dist/three/body.js";
import { FeetLock } from "../dist/three/feet.js";
import { fromRotationVector } from "../dist/three/inertialize.js";
import { limitKnee } from "../dist/three/knee-limit.js";
import { character as createCharacter } from "./rigs.mjs";

for (const family of ["mixamo", "vrm", "blender"])
  test(`the knee of a ${family} character bends forwards, also from a pose with a knee bent slightly backwards`, () => {
    const { model, bones } = createCharacter(family, { size: 1.1 });
    const body = new Body(model);
    const [upper, lower, foot, toe] = ["UpLeg", "Leg", "Foot", "Toe"].map((part) =>
      body.nodes.indexOf(bones.get(`Left${part}`)),
    );
    const hinge = findHinge(body, [upper, lower, foot, toe]);
    const rest = body.read();
    const worldHinge = rotate(body.worldTransform(rest, upper).rotation, hinge);
    /** Returns the height of the foot, and how far the knee is in front of the line from hip to foot; both in metres. */
    const measure = (pose) => {
      const [hip, knee, ankle, tip] = [upper, lower, foot, toe].map((bone) => body.worldTransform(pose, bone).position);
      const weight = (hip[1] - knee[1]) / (hip[1] - ankle[1]);
      const inFront = knee[2] - hip[2] - weight * (ankle[2] - hip[2]);
      return { height: ankle[1], inFront: inFront * Math.sign(tip[2] - ankle[2]) };
    };
    let last;
    // The bend changes by one degree from frame to frame, and the foot is always 5 cm above its place in the pose.
    for (let degrees = -8; degrees <= 12; degrees++) {
      const pose = { rotations: [...rest.rotations], positions: rest.positions };
      const bend = fromRotationVector(worldHinge.map((component) => (component * degrees * Math.PI) / 180));
      body.setWorldTransform(pose, lower, multiply(bend, body.worldTransform(pose, lower).rotation));
      const [x, y, z] = body.worldTransform(pose, foot).position;
      const bent = bendLeg(body, pose, { upper, lower, foot, hinge }, [x, y + 0.05, z]);
      const { height, inFront } = measure(bent);
      assert.ok(Math.abs(height - y - 0.05) < 0.01, `${degrees} degrees: foot at ${height} m, not ${y + 0.05}`);
      assert.ok(inFront > 0.1, `${degrees} degrees: knee ${inFront} m in front of the leg`);
      if (last !== undefined) assert.ok(Math.abs(inFront - last) < 0.02, `${degrees} degrees: the knee jumps`);
      last = inFront;
      // Without an offset, the pose does not change.
      const same = bendLeg(body, pose, { upper, lower, foot, hinge }, [x, y, z]);
      const movement = Math.abs(measure(same).inFront - measure(pose).inFront);
      assert.ok(movement < 0.012, `${degrees} degrees: without an offset the knee moves by ${movement} m`);
    }
  });

test("a straight leg that falls onto the ground bends within several frames, and its foot does not sink", () => {
  const { model, bones } = createCharacter("mixamo", { size: 1.1 });
  const body = new Body(model);
  const rest = body.read();
  const bone = (role) => body.nodes.indexOf(bones.get(role));
  const roles = ["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe", "RightUpLeg", "RightLeg", "RightFoot", "RightToe"];
  const feet = new FeetLock(body, Object.fromEntries(roles.map((role) => [role, bones.get(role).name])));
  const [toe, ...leg] = ["LeftToe", "LeftUpLeg", "LeftLeg", "LeftFoot"].map(bone);
  const lowest = body.worldTransforms(rest).map(({ position }) => position[1]);
  const motion = { seconds: 1, lowest, wrapTime: () => 0, sampler: { poseAt: () => rest } };
  const restHeight = body.worldTransform(rest, toe).position[1];
  const angles = [];
  // From 1 m above the rest pose to 0.2 m below it, by 12 cm a frame.
  for (let height = 1.09; height > -0.25; height -= 0.12) {
    const pose = { rotations: [...rest.rotations], positions: [...rest.positions] };
    const { rotation, position } = body.worldTransform(rest, body.hips);
    body.setWorldTransform(pose, body.hips, rotation, [position[0], position[1] + height, position[2]]);
    const result = feet.apply(pose, {
      root: { x: 0, z: 0, heading: 0 },
      motion,
      previous: motion,
      time: 0,
      delta: 1 / 60,
      isOn: false,
      isBridge: false,
    });
    const [hip, knee, ankle] = leg.map((index) => new Vector3(...body.worldTransform(result, index).position));
    angles.push((knee.clone().sub(hip).angleTo(ankle.sub(knee)) * 180) / Math.PI);
    const depth = restHeight - body.worldTransform(result, toe).position[1];
    assert.ok(depth < 0.01, `at ${height.toFixed(1)} m the toe is ${depth} m below the ground`);
  }
  const changes = angles.slice(1).map((angle, i) => Math.abs(angle - angles[i]));
  assert.ok(angles.at(-1) > 60, `knee bent by ${angles.at(-1)} degrees`);
  assert.ok(Math.max(...changes) < 30, `the knee bends by ${changes.map(Math.round).join(", ")} degrees a frame`);
});

test("a knee that a transition bends backwards is limited, but not more than in the motion or at the start", () => {
  const { model, bones } = createCharacter("mixamo", { size: 1.1 });
  const body = new Body(model);
  const rest = body.read();
  const [upper, lower, foot, toe] = ["UpLeg", "Leg", "Foot", "Toe"].map((part) =>
    body.nodes.indexOf(bones.get(`Left${part}`)),
  );
  const leg = { upper, lower, foot, hinge: findHinge(body, [upper, lower, foot, toe]) };
  const axis = rotate(body.worldTransform(rest, upper).rotation, leg.hinge);
  const bentBy = (degrees) => {
    const pose = { rotations: [...rest.rotations], positions: rest.positions };
    const bend = fromRotationVector(axis.map((component) => (component * degrees * Math.PI) / 180));
    body.setWorldTransform(pose, lower, multiply(bend, body.worldTransform(rest, lower).rotation));
    return pose;
  };
  /** Returns the difference of the shin's rotation from that of the pose bent by some degrees, degrees. */
  const difference = (pose, degrees) => {
    const [a, b] = [pose, bentBy(degrees)].map((other) => new Quaternion(...other.rotations[lower]));
    return (a.angleTo(b) * 180) / Math.PI;
  };
  const limit = (degrees, motion, start) =>
    limitKnee(body, bentBy(degrees), bentBy(motion), [bentBy(motion), bentBy(start)], leg);
  // The rest pose bends the knee by 6 degrees.
  assert.ok(difference(limit(-40, 20, 30), -6) < 8);
  assert.ok(difference(limit(175, 20, 30), 149) < 8);
  for (const [degrees, motion, start] of [
    [20, 20, 40],
    [60, 10, 90],
    [-30, -30, 10],
    [0, 0, 30],
  ])
    assert.ok(difference(limit(degrees, motion, start), degrees) < 0.5, `${degrees}, ${motion}, ${start}`);
  assert.ok(difference(limit(-30, 20, -30), -30) < 8);
});

test("a leg whose shin has no length keeps its pose", () => {
  const { model, bones } = createCharacter("mixamo", { size: 1.1 });
  bones.get("LeftFoot").position.set(0, 0, 0);
  const body = new Body(model);
  const [upper, lower, foot] = ["UpLeg", "Leg", "Foot"].map((part) => body.nodes.indexOf(bones.get(`Left${part}`)));
  const pose = body.read();
  const target = body.worldTransform(pose, foot).position.map((value) => value + 0.05);
  assert.equal(bendLeg(body, pose, { upper, lower, foot, hinge: [1, 0, 0] }, target), pose);
});
