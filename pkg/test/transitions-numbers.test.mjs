// Every number that kinestitch/three takes: 0, -1, NaN, infinities, huge numbers and denormals give a result or a typed
// error, at once, and never a pose that is not finite.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AnimationClip, Box3, BoxGeometry, Mesh, NumberKeyframeTrack, QuaternionKeyframeTrack, Vector3 } from "three";
import { KinestitchError, load } from "kinestitch";
import { createTransitions, fromAnimationClip, heightFieldOf, toAnimationClip } from "kinestitch/three";
import { character as createCharacter } from "./rigs.mjs";
import { advance, createActor, frame, largestMovement } from "./transitions-support.mjs";

const NUMBERS = [0, -0, -1, NaN, Infinity, -Infinity, 1e300, -1e300, 1e-300, 5e-324, -5e-324, 1e9, 3000, 2 ** 53];
const CLIPS = ["ada-walk", "ada-idle", "ada-run"];

function assertFinite({ model, bones }, description) {
  model.updateMatrixWorld(true);
  for (const node of [model, ...bones.values()])
    assert.ok(
      [...node.position.toArray(), ...node.quaternion.toArray()].every(Number.isFinite),
      `${description}: ${node.name} is not finite`,
    );
}

/** Calls a function, which may throw a typed error. Returns whether it did not throw. */
async function isAccepted(call) {
  try {
    await call();
    return true;
  } catch (error) {
    assert.ok(error instanceof KinestitchError && error.code !== "wasm", String(error.stack));
    return false;
  }
}

/** Functions that take a number: of an actor that walks, and the number. */
const CALLS = {
  update: ({ transitions }, value) => transitions.update(value),
  seek: ({ transitions }, value) => transitions.seek(value),
  within: ({ transitions, clips }, within) => transitions.transitionTo(clips["ada-run"], { within }),
  arriveWithin: ({ transitions, clips }, arriveWithin) => transitions.transitionTo(clips["ada-run"], { arriveWithin }),
  blend: ({ transitions, clips }, blend) => transitions.transitionTo(clips["ada-run"], { blend, within: 0 }),
  at: ({ transitions, clips }, at) => transitions.transitionTo(clips["ada-run"], { at, within: 0 }),
  ahead: ({ transitions, clips }, ahead) => transitions.prepare([clips["ada-walk"]], { ahead }),
  fade: ({ transitions, clips }, fade) => transitions.layer(clips["ada-run"], { from: "mixamorigSpine" }, { fade }),
  weight: ({ transitions, clips }, weight) =>
    transitions.layer(clips["ada-run"], { from: "mixamorigSpine" }, { weight }),
  fadeOut: ({ transitions, clips }, seconds) =>
    transitions.layer(clips["ada-run"], { from: "mixamorigSpine" }).fadeOut(seconds),
  "timeScale of the mixer"({ transitions }, value) {
    transitions.mixer.timeScale = value;
    transitions.update(1 / 60);
  },
  "timeScale of an action"({ transitions }, value) {
    transitions.current.timeScale = value;
    transitions.update(1 / 60);
  },
  "speed of a sample": ({ transitions, clips }, speed) =>
    transitions.createBlendSpace([
      { action: clips["ada-idle"], speed },
      { action: clips["ada-walk"], speed: 1 },
    ]),
  "turn of a sample": ({ transitions, clips }, turn) =>
    transitions.createBlendSpace([
      { action: clips["ada-idle"], speed: 0, turn },
      { action: clips["ada-walk"], speed: 1 },
    ]),
  "a marker of a sample": ({ transitions, clips }, marker) =>
    transitions.createBlendSpace([
      { action: clips["ada-idle"], speed: 0, markers: [marker] },
      { action: clips["ada-walk"], speed: 1, markers: [0] },
    ]),
  "speed of a blend space"({ transitions, clips }, value) {
    const space = transitions.createBlendSpace([
      { action: clips["ada-idle"], speed: 0 },
      { action: clips["ada-walk"], speed: 1 },
    ]);
    transitions.transitionTo(space, { within: 0 });
    space.speed = value;
  },
  "fps of fromAnimationClip": ({ model, clips }, fps) => fromAnimationClip(clips["ada-walk"], model, { load, fps }),
  "duration of a clip": ({ transitions }, value) =>
    transitions.transitionTo(
      new AnimationClip("odd", value, [
        new QuaternionKeyframeTrack("mixamorigSpine.quaternion", [0, 1], [0, 0, 0, 1, 0, 0, 0, 1]),
      ]),
    ),
  "time of a key": ({ transitions }, value) =>
    transitions.transitionTo(
      new AnimationClip("odd", -1, [
        new QuaternionKeyframeTrack("mixamorigSpine.quaternion", [0, value], [0, 0, 0, 1, 0, 0, 0, 1]),
      ]),
    ),
  "value of a key": ({ transitions }, value) =>
    transitions.transitionTo(
      new AnimationClip("odd", -1, [
        new QuaternionKeyframeTrack("mixamorigSpine.quaternion", [0, 1], [0, 0, 0, 1, value, 0, 0, 1]),
      ]),
    ),
};

for (const [name, call] of Object.entries(CALLS))
  test(`${name} takes any number, or refuses it with a typed error`, { timeout: 60_000 }, async () => {
    for (const value of NUMBERS) {
      const actor = await createActor("mixamo", CLIPS);
      actor.transitions.transitionTo(actor.clips["ada-walk"]);
      advance(actor, 0.1);
      await isAccepted(() => call(actor, value));
      // After a refused speed, the caller sets another one.
      actor.transitions.mixer.timeScale = actor.transitions.current.timeScale = 1;
      for (let i = 0; i < 40; i++) await isAccepted(() => actor.transitions.update(1 / 60));
      assertFinite(actor, `${name} ${value}`);
      actor.transitions.dispose();
    }
  });

test("heightFieldOf takes any number, or refuses it with a typed error", { timeout: 60_000 }, async () => {
  const ground = new Mesh(new BoxGeometry(4, 0.1, 4));
  const bounds = new Box3().setFromObject(ground);
  for (const option of ["spacing", "ceiling", "floor", "scale"])
    for (const value of NUMBERS) {
      let field;
      if (await isAccepted(() => (field = heightFieldOf(ground, bounds, { [option]: value }))))
        assert.ok(field.heights.length <= 4_000_000 && field.heights.every(Number.isFinite), `${option} ${value}`);
    }
});

test("a frame advances at most 0.25 s, and returns what it dropped", async () => {
  const actor = await createActor("mixamo", ["ada-walk"]);
  const { transitions, clips, model } = actor;
  transitions.transitionTo(clips["ada-walk"]);
  advance(actor, 0.5);
  const before = model.position.z;
  assert.equal(transitions.update(Date.UTC(2026, 10, 28) / 1000).dropped, Date.UTC(2026, 10, 28) / 1000 - 0.25);
  assert.ok(model.position.z - before < 0.6, `${model.position.z - before} m`);
  assert.equal(transitions.update(-3).dropped, -2.75);
  assert.equal(transitions.update(0.1).dropped, 0);
});

test("`seek` goes to a time of the mixer in closed form, and ends a running transition", async () => {
  const { transitions, clips, model } = await createActor("mixamo", CLIPS);
  const { mixer } = transitions;
  transitions.transitionTo(clips["ada-walk"]);
  for (let i = 0; i < 30; i++) transitions.update(1 / 60);
  const run = transitions.transitionTo(clips["ada-run"], { within: 0.2 });
  mixer.timeScale = 0.5;
  transitions.seek(1e6);
  assert.equal(await run.finished, true);
  assert.equal(mixer.timeScale, 0.5);
  assert.ok(Math.abs(mixer.time - 1e6) < 1e-3, `${mixer.time} s`);
  assert.ok(Math.abs(model.position.z - 4.3e6) < 3e5, `${model.position.z} m`);
  const place = model.position.z;
  transitions.seek(1e6 - 10);
  assert.ok(Math.abs(place - model.position.z - 43) < 3, `${place - model.position.z} m back`);
});

test("`seek` over several cycles of a loop moves the model as far as short frames", async () => {
  const places = [];
  for (const [isSeek, timeScale] of [
    [false, 1],
    [true, 1],
    [false, -1],
    [true, -1],
  ]) {
    const { transitions, clips, model } = await createActor("mixamo", ["ada-walk"]);
    const action = transitions.mixer.clipAction(clips["ada-walk"]);
    action.timeScale = timeScale;
    transitions.transitionTo(action);
    transitions.update(0);
    if (isSeek) transitions.seek(transitions.mixer.time + 10);
    else for (let i = 0; i < 600; i++) transitions.update(1 / 60);
    places.push(model.position.clone());
  }
  const [short, long, shortBack, longBack] = places;
  assert.ok(short.length() > 5 && shortBack.z < -5, `${short.toArray()} and ${shortBack.toArray()}`);
  assert.ok(short.distanceTo(long) < 0.05, `${short.toArray()} and ${long.toArray()}`);
  assert.ok(shortBack.distanceTo(longBack) < 0.05, `${shortBack.toArray()} and ${longBack.toArray()}`);
});

test("a model that is created at scale 0, grows and shrinks, plays and travels as its scale says", async () => {
  const { model, bones } = createCharacter("mixamo", { size: 1.1 });
  const reference = await createActor("mixamo", ["ada-walk"]);
  const clip = await toAnimationClip(await load(`${import.meta.dirname}/../../tests/fixtures/ada-walk.bvh`), model);
  model.scale.setScalar(0);
  const actor = { model, bones, transitions: createTransitions(model, { load }), frames: [] };
  await actor.transitions.prepare([clip]);
  actor.transitions.transitionTo(clip);
  advance(actor, 0.2);
  assertFinite(actor, "at scale 0");
  assert.ok(model.position.length() < 1e-9, "a model of size 0 does not travel");
  model.scale.setScalar(2);
  reference.transitions.transitionTo(reference.clips["ada-walk"]);
  advance(reference, 0.2);
  const [from, referenceFrom] = [model.position.clone(), reference.model.position.clone()];
  advance(actor, 1);
  advance(reference, 1);
  assertFinite(actor, "at scale 2");
  const ratio = model.position.distanceTo(from) / reference.model.position.distanceTo(referenceFrom);
  assert.ok(Math.abs(ratio - 2) < 0.01, `it travels ${ratio} times as far`);
  const height = new Box3().setFromPoints(actor.frames.at(-1).positions).getSize(new Vector3()).y;
  assert.ok(height > 2.5, `${height} m`);
});

test("a pose that is not finite does not stay", async () => {
  const actor = await createActor("mixamo", ["ada-walk", "ada-run"], { load });
  const { transitions, clips, bones, model } = actor;
  await transitions.prepare(Object.values(clips));
  transitions.transitionTo(clips["ada-walk"]);
  advance(actor, 0.5);
  transitions.transitionTo(clips["ada-run"], { within: 0 });
  for (let i = 0; i < 10; i++) {
    bones.get("Hips").position.set(NaN, NaN, NaN);
    bones.get("Spine").quaternion.set(NaN, 0, 0, NaN);
    model.scale.setScalar(0);
    transitions.update(1 / 60);
  }
  model.scale.setScalar(1);
  const start = advance(actor, 0.1);
  advance(actor, 0.5);
  assertFinite(actor, "after ten frames");
  for (let i = start; i < actor.frames.length; i++) assert.ok(largestMovement(actor, i) < 0.3, `frame ${i}`);
});

test("actions that their own methods start or fade are refused with an error that says what to use", async () => {
  const actor = await createActor("mixamo", ["ada-walk", "ada-run"]);
  const { transitions, clips, mixer } = actor;
  transitions.transitionTo(clips["ada-walk"]);
  advance(actor, 0.5);
  mixer.clipAction(clips["ada-run"]).play();
  assert.throws(() => transitions.update(1 / 60), { code: "option", message: /transitionTo/ });
  frame(actor);
  transitions.current.crossFadeTo(mixer.clipAction(clips["ada-run"]).reset().play(), 0.2);
  for (let i = 0; i < 2; i++)
    assert.throws(() => transitions.update(1 / 60), { code: "option", message: /transitionTo/ });
  const index = advance(actor, 0.2) - 1;
  assert.ok(largestMovement(actor, index) < 0.2);
  // An action that moves no bone, such as a face, plays beside.
  mixer.clipAction(new AnimationClip("fade", 1, [new NumberKeyframeTrack(".visible", [0, 1], [1, 1])])).play();
  frame(actor);
});
