// The computations of kinestitch/three without wasm give the values of Rust: tests/fixtures/shared-vectors.json, which
// tests/native/shared_vectors.rs writes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Bone, Group } from "three";
import { bendLeg } from "../dist/three/bend-leg.js";
import { Body } from "../dist/three/body.js";
import { smoothstep } from "../dist/three/feet.js";
import { decayedOffset, fromRotationVector, toRotationVector } from "../dist/three/inertialize.js";
import { root } from "./support.mjs";

const vectors = JSON.parse(readFileSync(join(root, "tests", "fixtures", "shared-vectors.json"), "utf8"));

function assertNear(actual, expected, description, tolerance = 2e-5) {
  actual.forEach((value, i) =>
    assert.ok(Math.abs(value - expected[i]) < tolerance, `${description}: ${actual}, in Rust ${expected}`),
  );
}

test("offsets decay as in Rust", () => {
  assert.ok(vectors.decays.length > 30);
  for (const { offset, velocity, frames, time, value } of vectors.decays) {
    // Here in seconds at 30 frames per second.
    const seconds = decayedOffset(offset, velocity * 30, frames / 30, time / 30);
    assertNear([seconds], [value], `${offset}, ${velocity} a frame, ${frames} frames, at ${time}`);
  }
});

test("rotation vectors are those of Rust, and give the rotation back", () => {
  for (const { rotation, vector } of vectors.logs) {
    assertNear(toRotationVector(rotation), vector, `${rotation}`);
    const back = fromRotationVector(vector);
    const sign = back[3] * rotation[3] < 0 ? -1 : 1;
    assertNear(
      back.map((component) => component * sign),
      rotation,
      `${vector}`,
    );
  }
});

test("legs bend as in Rust", () => {
  assert.ok(vectors.legs.length >= 9);
  for (const { hip, knee, ankle, target, solvedKnee, solvedAnkle } of vectors.legs) {
    const model = new Group();
    const bones = [hip, knee, ankle].map((position, i, all) => {
      const bone = new Bone();
      bone.name = ["upper", "lower", "foot"][i];
      bone.position.fromArray(position.map((value, axis) => value - (all[i - 1]?.[axis] ?? 0)));
      return bone;
    });
    model.add(bones[0].add(bones[1].add(bones[2])));
    const body = new Body(model);
    const [upper, lower, foot] = bones.map((bone) => body.nodes.indexOf(bone));
    const pose = bendLeg(body, body.read(), { upper, lower, foot, hinge: undefined }, target);
    assertNear(body.worldTransform(pose, lower).position, solvedKnee, `the knee, target ${target}`, 1e-4);
    assertNear(body.worldTransform(pose, foot).position, solvedAnkle, `the ankle, target ${target}`, 1e-4);
  }
});

test("foot holds fade as in Rust", () => {
  for (const { weight, value } of vectors.fades) assertNear([smoothstep(weight)], [value], `${weight}`);
});
