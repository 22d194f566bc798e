// kinestitch/three: transitions between clips that move different bones, have no duration, or play at another speed.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AnimationClip,
  AnimationMixer,
  Bone,
  Group,
  LoopOnce,
  QuaternionKeyframeTrack,
  Quaternion,
  Vector3,
  VectorKeyframeTrack,
} from "three";
import { createTransitions } from "kinestitch/three";
import { createActor as createGeneratedActor } from "./transitions-support.mjs";

const DELTA = 1 / 60;
const times = Array.from({ length: 31 }, (_, frame) => frame / 30);
/** Moves the hips forwards, metres per second. */
const travelTrack = (speed) =>
  new VectorKeyframeTrack(
    "Hips.position",
    times,
    times.flatMap((time) => [0, 1, time * speed]),
  );
/** Bends the spine forwards and back. */
const bendTrack = () => {
  const angles = times.map((time) => 0.4 * Math.sin(2 * Math.PI * time));
  return new QuaternionKeyframeTrack(
    "Spine.quaternion",
    times,
    angles.flatMap((angle) => [Math.sin(angle / 2), 0, 0, Math.cos(angle / 2)]),
  );
};
/** Keeps the spine in its rest pose. */
const straightTrack = (keys) =>
  new QuaternionKeyframeTrack(
    "Spine.quaternion",
    keys,
    keys.flatMap(() => [0, 0, 0, 1]),
  );
const walk = new AnimationClip("walk", -1, [travelTrack(1), bendTrack()]);
const straightWalk = new AnimationClip("straight walk", -1, [travelTrack(1), straightTrack(times)]);
const pose = new AnimationClip("pose", -1, [straightTrack([0])]);

/** Creates a model with hips, legs and a spine, and its transitions. `options`: of the transitions. */
function createActor(options) {
  const model = new Group();
  const bones = {};
  for (const [name, parent, ...position] of [
    ["Hips", undefined, 0, 1, 0],
    ["Spine", "Hips", 0, 0.3, 0],
    ["LeftUpLeg", "Hips", 0.1, -0.1, 0],
    ["LeftLeg", "LeftUpLeg", 0, -0.4, 0],
    ["RightUpLeg", "Hips", -0.1, -0.1, 0],
    ["RightLeg", "RightUpLeg", 0, -0.4, 0],
  ]) {
    bones[name] = new Bone();
    bones[name].name = name;
    bones[name].position.set(...position);
    (bones[parent] ?? model).add(bones[name]);
  }
  return { model, bones, transitions: createTransitions(new AnimationMixer(model), options) };
}

/** Advances by a number of frames. Returns the position of the hips and the rotation of the spine in each frame. */
function advance({ model, bones, transitions }, frames) {
  return Array.from({ length: frames }, () => {
    transitions.update(DELTA);
    model.updateMatrixWorld(true);
    return { hips: bones.Hips.getWorldPosition(new Vector3()), spine: bones.Spine.quaternion.clone() };
  });
}

for (const [next, description] of [
  [straightWalk, "keeps a bone at rest"],
  [pose, "does not move a bone"],
])
  test(`a clip that ${description} after another clip moved it, begins without a jump and ends at rest`, async () => {
    const actor = createActor();
    const { transitions } = actor;
    await transitions.prepare([walk, next]);
    transitions.transitionTo(walk);
    const before = advance(actor, 20).at(-1);
    assert.ok(before.spine.angleTo(new Quaternion()) > 0.3);
    transitions.transitionTo(next, { within: 0, method: "inertialize" });
    const [first, ...others] = advance(actor, 60);
    assert.ok(first.hips.distanceTo(before.hips) < 0.03, `the hips move ${first.hips.distanceTo(before.hips)} m`);
    assert.ok(first.spine.angleTo(before.spine) < 0.05, `the spine turns by ${first.spine.angleTo(before.spine)}`);
    assert.ok(others.at(-1).spine.angleTo(new Quaternion()) < 1e-3, "the spine is at rest");
  });

/** Swings the left leg, one cycle per second. */
function createSwing(seconds) {
  const keys = Array.from({ length: Math.round(seconds * 30) + 1 }, (_, frame) => frame / 30);
  const halfAngles = keys.map((time) => 0.2 * Math.sin(2 * Math.PI * time));
  const values = halfAngles.flatMap((angle) => [Math.sin(angle), 0, 0, Math.cos(angle)]);
  return new AnimationClip("swing", -1, [new QuaternionKeyframeTrack("LeftUpLeg.quaternion", keys, values)]);
}

for (const isPrepared of [true, false])
  test(`a loop that is ${isPrepared ? "" : "not "}prepared is left at once, if its current pose is the best exit`, async () => {
    const [loop, next] = [createSwing(4.7), createSwing(1)];
    // The sample at 0.4 s has the same pose as the next clip. It is the nearest sample, before or after the request.
    for (const start of [0.39, 0.4, 0.41]) {
      const { transitions } = createActor();
      if (isPrepared) await transitions.prepare([loop, next]);
      transitions.transitionTo(loop);
      for (let half = 0; half < 2; half++) transitions.update(start / 2);
      const transition = transitions.transitionTo(next, { within: 0.5, at: 0.4 });
      let frames = 0;
      for (; transition.state === "waiting" && frames < 60; frames++) transitions.update(0.01);
      // The model leaves in the frame after the last one that waits; rounding may add a frame.
      assert.ok(frames <= 3, `from ${start} s, it waits ${frames} frames of 0.01 s`);
    }
  });

test("a loop whose ends differ only in the height of the hips repeats without a jump", async () => {
  const rise = new VectorKeyframeTrack("Hips.position", [0, 1], [0, 1, 0, 0, 1.2, 0]);
  const rising = new AnimationClip("rising", -1, [rise, straightTrack([0, 1])]);
  const actor = createActor();
  await actor.transitions.prepare([rising]);
  actor.transitions.transitionTo(rising);
  const heights = advance(actor, 90).map(({ hips }) => hips.y);
  heights.slice(1).forEach((height, i) => {
    assert.ok(Math.abs(height - heights[i]) < 0.05, `from ${heights[i]} to ${height} m in a frame`);
  });
});

test("a clip with a single pose can be entered and left", async () => {
  const actor = createActor();
  const { transitions } = actor;
  await transitions.prepare([walk, pose]);
  for (const clip of [pose, walk, pose, pose, walk]) {
    const { finished } = transitions.transitionTo(clip);
    const frames = advance(actor, 60);
    assert.equal(await finished, true);
    assert.equal(transitions.current.getClip(), clip);
    assert.ok(frames.every(({ hips }) => hips.toArray().every(Number.isFinite)));
  }
});

test("after `load` failed, `prepare` loads again; a clip that is being loaded at `dispose` is freed", async () => {
  let [calls, freed] = [0, 0];
  const load = async () => {
    calls++;
    if (calls === 1 || calls === 3) throw new Error("no memory");
    if (calls === 5) transitions.dispose();
    return { frames: 31, info: async () => ({ rig: {} }), free: () => freed++ };
  };
  const { transitions } = createActor({ load, stitch: () => Promise.reject(new Error("not called")) });
  // The first call fails for the clip, the second one for the rest pose.
  for (let attempt = 0; attempt < 2; attempt++) await assert.rejects(transitions.prepare([walk]), /no memory/);
  await transitions.prepare([walk]);
  assert.deepEqual([calls, freed], [4, 1]);
  await assert.rejects(transitions.prepare([straightWalk]), { code: "aborted" });
  assert.deepEqual([calls, freed], [5, 3]);
});

test("a clip that is prepared for repetition is freed when it is played once; a pose is prepared once", async () => {
  let [calls, freed] = [0, 0];
  const load = async () => ({ frames: ++calls, info: async () => ({ rig: {} }), free: () => freed++ });
  const { transitions } = createActor({ load, stitch: () => Promise.reject(new Error("not called")) });
  // The clip of the rest pose is freed at once.
  for (let time = 0; time < 2; time++) await transitions.prepare([pose]);
  await transitions.prepare([walk]);
  assert.deepEqual([calls, freed], [3, 1]);
  transitions.transitionTo(transitions.mixer.clipAction(walk).setLoop(LoopOnce, 1));
  assert.equal(freed, 2);
  transitions.dispose();
  assert.equal(freed, 3);
});

test("`dispose` ends a preparation that computes transitions ahead", async () => {
  const load = async () => ({
    info: async () => ({ rig: {} }),
    free() {},
    get frames() {
      transitions.dispose();
      return 5;
    },
  });
  const { transitions } = createActor({ load, stitch: () => assert.fail("the clips are too short") });
  await assert.rejects(transitions.prepare([walk, straightWalk], { ahead: 0.1 }), { code: "aborted" });
});

test("a listener of the first transition may start another one", async () => {
  const { transitions } = createActor();
  let second;
  const startSecond = () => {
    transitions.removeEventListener("started", startSecond);
    second = transitions.transitionTo(pose);
  };
  transitions.addEventListener("started", startSecond);
  const first = transitions.transitionTo(walk);
  assert.deepEqual([await first.finished, await second.finished], [false, true]);
  assert.equal(transitions.current.getClip(), pose);
});

for (const timeScale of [2, 0.5])
  test(`into an action at timeScale ${timeScale}, the speed changes gradually`, async () => {
    const actor = createActor();
    const { transitions } = actor;
    await transitions.prepare([walk, straightWalk]);
    transitions.transitionTo(walk);
    advance(actor, 20);
    const action = transitions.mixer.clipAction(straightWalk);
    action.timeScale = timeScale;
    transitions.transitionTo(action, { within: 0, method: "inertialize" });
    const zs = advance(actor, 30).map(({ hips }) => hips.z);
    const speeds = zs.slice(1).map((z, i) => (z - zs[i]) / DELTA);
    speeds.forEach((speed, i) => {
      const previous = speeds[i - 1] ?? 1;
      assert.ok(Math.abs(speed - previous) < 0.2, `from ${previous} to ${speed} m/s in a frame`);
    });
    assert.ok(Math.abs(speeds.at(-1) - timeScale) < 0.01, `${speeds.at(-1)} m/s`);
  });

for (const timeScale of [1, -1])
  test(`a transition to an action at timeScale ${timeScale} ends if the mixer plays backwards`, async () => {
    const actor = createActor();
    const { transitions } = actor;
    await transitions.prepare([walk, straightWalk]);
    transitions.transitionTo(walk);
    advance(actor, 20);
    transitions.mixer.timeScale = -1;
    advance(actor, 10);
    const action = transitions.mixer.clipAction(straightWalk);
    action.timeScale = timeScale;
    const transition = transitions.transitionTo(action, { within: 0, method: "inertialize" });
    const frames = advance(actor, 30);
    assert.equal(transition.state, "over");
    assert.ok(frames.at(-1).spine.angleTo(new Quaternion()) < 1e-3, "the spine is straight");
    const speeds = frames.slice(1).map(({ hips }, i) => (hips.z - frames[i].hips.z) / DELTA);
    speeds.forEach((speed, i) => {
      const previous = speeds[i - 1] ?? -1;
      assert.ok(Math.abs(speed - previous) < 0.4, `from ${previous} to ${speed} m/s in a frame`);
    });
    assert.ok(Math.abs(speeds.at(-1) + timeScale) < 0.01, `${speeds.at(-1)} m/s`);
  });

test("`dispose` resets bones that no clip moves, so that new transitions of the model show the same poses", async () => {
  const character = await createGeneratedActor("blender", ["ada-turn"]);
  const places = [];
  for (let i = 0; i < 2; i++) {
    const transitions = createTransitions(character.model);
    transitions.transitionTo(character.clips["ada-turn"], { at: 2 });
    transitions.update(0);
    character.model.updateMatrixWorld(true);
    places.push(character.bones.get("LeftHand").getWorldPosition(new Vector3()));
    transitions.seek(1.5);
    transitions.dispose();
    character.model.position.set(0, 0, 0);
    character.model.quaternion.identity();
  }
  assert.ok(places[0].distanceTo(places[1]) < 1e-6, `${places.map((place) => place.toArray().join(" "))}`);
});
