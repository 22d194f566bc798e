// kinestitch/three: blend spaces in one and two dimensions, additive layers, and events of steps and loops.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AdditiveAnimationBlendMode, AnimationUtils, Vector3 } from "three";
import { load } from "kinestitch";
import { blendWeights } from "../dist/three/blend-space.js";
import { Phases } from "../dist/three/phases.js";
import { advance, createActor, FPS, frame, largestMovement } from "./transitions-support.mjs";

const CLIPS = ["ada-idle", "ada-walk", "ada-jog", "ada-run"];

async function createWalker() {
  const actor = await createActor("mixamo", CLIPS, { load });
  await actor.transitions.prepare(Object.values(actor.clips));
  const { clips } = actor;
  const samples = [
    { action: clips["ada-idle"], speed: 0 },
    { action: clips["ada-walk"], speed: 1.3 },
    { action: clips["ada-run"], speed: 4 },
  ];
  return { ...actor, space: actor.transitions.createBlendSpace(samples) };
}

test("weights are linear between neighbours on a line, and sum to 1 in the plane", () => {
  const line = [0, 1, 4].map((speed) => [speed, 0]);
  const near = (actual, expected) => actual.every((weight, i) => Math.abs(weight - expected[i]) < 1e-9);
  assert.ok(near(blendWeights(line, [0.25, 0]), [0.75, 0.25, 0]));
  assert.ok(near(blendWeights(line, [2.5, 0]), [0, 0.5, 0.5]));
  assert.ok(near(blendWeights(line, [9, 0]), [0, 0, 1]));
  const square = [
    [0, -1],
    [0, 1],
    [2, -1],
    [2, 1],
  ];
  for (const [at, expected] of [
    [
      [0, -1],
      [1, 0, 0, 0],
    ],
    [
      [1, 0],
      [0.25, 0.25, 0.25, 0.25],
    ],
  ])
    assert.ok(near(blendWeights(square, at), expected), `${blendWeights(square, at)}`);
  const weights = blendWeights(square, [1.3, 0.2]);
  assert.ok(Math.abs(weights.reduce((sum, weight) => sum + weight) - 1) < 1e-9 && weights.every((w) => w >= 0));
});

test("phases and times are inverse to each other", () => {
  for (const phases of [new Phases([0.2, 0.7], 1, 1), new Phases([0.1], 2, 1), new Phases([0.3, 1.1], 2, 2)])
    for (let time = 0; time < phases.seconds - 1e-6; time += 0.05) {
      const back = phases.timeAt(phases.phaseAt(time));
      assert.ok(Math.abs(back - time) < 1e-9, `${time} gives ${back}`);
    }
});

test("a model walks at any speed of a blend space, with its feet in phase", async () => {
  const actor = await createWalker();
  const { transitions, model, space } = actor;
  transitions.transitionTo(space);
  space.speed = 1.3;
  advance(actor, 1);
  const speeds = [];
  for (const speed of [1.3, 2, 3, 4, 1.3, 0]) {
    space.speed = speed;
    advance(actor, 1);
    const place = model.position.clone();
    advance(actor, 2);
    speeds.push(model.position.distanceTo(place) / 2);
  }
  // The figures of the samples are 1.26 and 4.12 m/s; between them, the travel of both strides is mixed.
  for (let i = 1; i < 4; i++) assert.ok(speeds[i] > speeds[i - 1] + 0.3, `${speeds}`);
  assert.ok(Math.abs(speeds[0] - 1.26) < 0.15 && Math.abs(speeds[3] - 4.12) < 0.3, `${speeds}`);
  assert.ok(speeds[5] < 0.02, `${speeds}`);
  const fastest = Math.max(...actor.frames.slice(2).map((_, i) => largestMovement(actor, i + 2)));
  assert.ok(fastest < 0.3, `a joint moves ${fastest} m in a frame`);
  assert.throws(() => (space.speed = Number.NaN), { code: "option" });
});

test("between walk and run, a blend space has two steps in each stride", async () => {
  const actor = await createWalker();
  const { transitions, space } = actor;
  const feet = [];
  transitions.addEventListener("step", ({ foot }) => feet.push([foot, actor.frames.length]));
  transitions.transitionTo(space);
  space.speed = 2.6;
  advance(actor, 6);
  const late = feet.filter(([, at]) => at > 60);
  assert.ok(late.length >= 10, `${late.length} steps`);
  late.slice(1).forEach(([foot, at], i) => {
    assert.notEqual(foot, late[i][0], "left and right alternate");
    const seconds = (at - late[i][1]) / FPS;
    assert.ok(seconds > 0.2 && seconds < 0.7, `${seconds} s between steps`);
  });
});

test("transitions lead into a blend space and out of it without a jump", async () => {
  const actor = await createWalker();
  const { transitions, clips, space } = actor;
  transitions.transitionTo(clips["ada-jog"]);
  advance(actor, 1);
  const into = transitions.transitionTo(space, { within: 0.2 });
  space.speed = 3;
  advance(actor, 1);
  assert.equal(await into.finished, true);
  assert.equal(transitions.current.getClip().name, "ada-run");
  const out = transitions.transitionTo(clips["ada-idle"]);
  advance(actor, 1);
  assert.equal(await out.finished, true);
  transitions.transitionTo(space);
  space.speed = 1;
  advance(actor, 1);
  const fastest = Math.max(...actor.frames.slice(2).map((_, i) => largestMovement(actor, i + 2)));
  assert.ok(fastest < 0.3, `a joint moves ${fastest} m in a frame`);
  transitions.dispose();
});

test("markers replace the feet; wrong samples are refused", async () => {
  const actor = await createActor("mixamo", CLIPS);
  const { transitions, clips } = actor;
  const [walk, run] = [clips["ada-walk"], clips["ada-run"]];
  const marked = transitions.createBlendSpace([
    { action: walk, speed: 1, markers: [0.1, 0.6] },
    { action: run, speed: 4, markers: [0, 1.5] },
  ]);
  transitions.transitionTo(marked);
  advance(actor, 0.5);
  for (const samples of [
    [],
    [{ action: walk, speed: 1 }],
    "walk",
    [null, null],
    [
      { action: walk, speed: "1" },
      { action: run, speed: 2 },
    ],
    [
      { action: walk, speed: 1, markers: [0.6, 0.1] },
      { action: run, speed: 2, markers: [0, 1] },
    ],
    [
      { action: walk, speed: 1, markers: [0.1, 99] },
      { action: run, speed: 2, markers: [0, 1] },
    ],
    [
      { action: walk, speed: 1, markers: [0.1] },
      { action: run, speed: 2 },
    ],
  ])
    assert.throws(
      () => transitions.createBlendSpace(samples),
      { code: "option" },
      JSON.stringify(samples)?.slice(0, 60),
    );
  assert.throws(
    () =>
      transitions.createBlendSpace(
        [
          { action: walk, speed: 1 },
          { action: run, speed: 2 },
        ],
        { pace: 1 },
      ),
    {
      code: "option",
    },
  );
});

test("an additive action is a layer that is added to the base motion", async () => {
  const actor = await createActor("mixamo", CLIPS);
  const { transitions, clips, bones, mixer } = actor;
  transitions.transitionTo(clips["ada-idle"]);
  advance(actor, 0.5);
  const additive = AnimationUtils.makeClipAdditive(clips["ada-run"].clone());
  additive.blendMode = AdditiveAnimationBlendMode;
  assert.throws(() => transitions.transitionTo(additive), { code: "option", message: /layer/ });
  const plain = await createActor("mixamo", CLIPS);
  plain.transitions.transitionTo(plain.clips["ada-idle"]);
  advance(plain, 0.5);
  const layer = transitions.layer(mixer.clipAction(additive), { from: "mixamorigSpine" }, { fade: 0.1, weight: 0.5 });
  let largest = 0;
  for (let i = 0; i < 60; i++) {
    frame(actor);
    frame(plain);
    const angle = (role) => bones.get(role).quaternion.angleTo(plain.bones.get(role).quaternion);
    largest = Math.max(largest, angle("LeftArm"));
    assert.ok(angle("LeftUpLeg") < 1e-3, `the legs move by ${angle("LeftUpLeg")} in frame ${i}`);
  }
  assert.ok(largest > 0.1 && layer.weight === 0.5, `${largest}, weight ${layer.weight}`);
  layer.fadeOut(0.1);
  advance(actor, 0.3);
  await layer.finished;
  assert.ok(actor.frames.at(-1).positions.every((p) => p instanceof Vector3));
});

test("the end of a loop is an event, with the number of cycles in the frame", async () => {
  const { transitions, clips } = await createActor("mixamo", CLIPS);
  let count = 0;
  transitions.addEventListener("loop", (event) => (count += event.count));
  transitions.transitionTo(clips["ada-walk"]);
  for (let i = 0; i < 600; i++) transitions.update(1 / 60);
  const cycles = Math.floor(10 / clips["ada-walk"].duration);
  assert.equal(count, cycles);
  transitions.seek(transitions.mixer.time + 100 * clips["ada-walk"].duration);
  assert.equal(count, cycles + 100);
});
