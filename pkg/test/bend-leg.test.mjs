// Inverse kinematics of a leg in kinestitch/three: the knee bends forwards.
import assert from "node:assert/strict";
import { test } from "node:test";
import { multiply, rotate } from "../dist/bones/rotation.js";
import { bendLeg, findHinge } from "../dist/three/bend-leg.js";
import { Body } from "../dist/three/body.js";
import { fromRotationVector } from "../dist/three/inertialize.js";
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
