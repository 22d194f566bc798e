// kinestitch/three: transitions of a running mixer, frame by frame: no jumps, root motion, stitched transitions,
// events, feet.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTask } from "node:timers/promises";
import { AnimationMixer, LoopOnce, Object3D, Quaternion, Vector3 } from "three";
import { load, stitch } from "kinestitch";
import { createTransitions } from "kinestitch/three";
import { Offsets } from "../dist/three/inertialize.js";
import {
  advance,
  createActor,
  FPS,
  frame,
  largestNear,
  largestMovement,
  velocityChange,
} from "./transitions-support.mjs";

const FAMILIES = ["mixamo", "vrm", "blender"];
const CLIPS = ["ada-walk", "ada-run", "ada-idle", "ada-turn"];
/** Change of velocity by linear interpolation between frames at 30 fps, metres per frame. */
const INTERPOLATION_CHANGE = 0.004;

/** Asserts that nothing moves farther, or changes velocity more, at a frame than in the frames near it. */
function assertSmooth(character, index, description) {
  const [movement, limit] = [largestMovement(character, index), largestNear(character, index, largestMovement)];
  assert.ok(
    movement <= limit,
    `${description}: a bone moves ${(movement * 100).toFixed(1)} cm in frame ${index}, ${(limit * 100).toFixed(1)} near it`,
  );
  const [change, changeLimit] = [
    velocityChange(character, index),
    largestNear(character, index, velocityChange) + INTERPOLATION_CHANGE,
  ];
  assert.ok(
    change <= changeLimit,
    `${description}: a velocity changes by ${(change * 100).toFixed(2)} cm a frame in frame ${index}, by ${(changeLimit * 100).toFixed(2)} near it`,
  );
}

for (const family of FAMILIES)
  test(`a ${family} character changes clips without a jump, also in the middle of a transition`, async () => {
    const character = await createActor(family, CLIPS);
    const { transitions, clips } = character;
    transitions.transitionTo(clips["ada-walk"]);
    advance(character, 1);
    const starts = [];
    // Short times: the next transition interrupts this one.
    const sequence = [
      ["ada-run", 0.7],
      ["ada-idle", 0.1],
      ["ada-turn", 0.6],
      ["ada-walk", 0.08],
      ["ada-run", 0.05],
      ["ada-idle", 0.7],
    ];
    for (const [name, seconds] of sequence) {
      starts.push([name, character.frames.length]);
      transitions.transitionTo(clips[name], { method: "inertialize" });
      advance(character, seconds);
    }
    for (const [name, index] of starts) assertSmooth(character, index, `into ${name}`);
  });

test("a clip that is not a closed loop repeats without a jump", async () => {
  const character = await createActor("mixamo", ["ada-walk"]);
  character.transitions.transitionTo(character.clips["ada-walk"]);
  const seconds = character.clips["ada-walk"].duration;
  const end = advance(character, seconds + 0.5) - FPS / 2;
  for (let index = end - 2; index <= end + 2; index++) {
    const limit = Math.max(
      ...[10, 20, 30].map((offset) => largestNear(character, index - offset - 5, largestMovement)),
    );
    assert.ok(
      largestMovement(character, index) <= limit * 1.3,
      `frame ${index}: ${largestMovement(character, index)} m, before ${limit}`,
    );
  }
  assert.ok(character.model.position.length() > 0.9 * seconds, "the model moves on after the clip's end");
});

test("root motion continues in the world through loops and transitions", async () => {
  const character = await createActor("mixamo", ["ada-walk", "ada-turn", "ada-run"]);
  const hips = character.bones.get("Hips");
  character.transitions.transitionTo(character.clips["ada-turn"]);
  advance(character, character.clips["ada-turn"].duration - 0.1);
  assert.ok(Math.abs(character.model.quaternion.y) > 0.1, `the model has turned: ${character.model.quaternion.y}`);
  character.transitions.transitionTo(character.clips["ada-walk"], { method: "inertialize" });
  advance(character, 0.5);
  const startPosition = character.model.position.clone();
  advance(character, 1);
  const travel = character.model.position.clone().sub(startPosition);
  const facing = new Vector3(0, 0, 1).applyQuaternion(character.model.quaternion);
  assert.ok(travel.length() > 0.6, `${travel.length()} m in a second`);
  assert.ok(travel.normalize().dot(facing) > 0.95, "the model moves where it faces");
  const hipsPosition = hips.getWorldPosition(new Vector3());
  assert.ok(
    Math.hypot(hipsPosition.x - character.model.position.x, hipsPosition.z - character.model.position.z) < 0.1,
    "the hips are over the model",
  );
});

test('with rootMotion "deltas" the model stays, and the deltas add up to the applied root motion', async () => {
  const names = ["ada-walk", "ada-turn"];
  const [applied, deltas] = [
    await createActor("blender", names),
    await createActor("blender", names, { rootMotion: "deltas" }),
  ];
  const follower = new Object3D();
  for (const character of [applied, deltas]) {
    character.transitions.transitionTo(character.clips["ada-walk"]);
    advance(character, 1);
    character.transitions.transitionTo(character.clips["ada-turn"], { method: "inertialize" });
    advance(character, 2);
  }
  for (const { rootMotion } of deltas.frames) {
    follower.position.add(rootMotion.position.clone().applyQuaternion(follower.quaternion));
    follower.quaternion.multiply(rootMotion.quaternion);
  }
  assert.deepEqual(deltas.model.position.toArray(), [0, 0, 0]);
  assert.ok(follower.position.distanceTo(applied.model.position) < 1e-6, `${follower.position.toArray()}`);
  assert.ok(follower.quaternion.angleTo(applied.model.quaternion) < 1e-6);
});

test("with stitch, a transition plays stitched frames; if they come too late, it is inertialized", async () => {
  const names = ["ada-walk", "ada-run", "ada-idle"];
  const stitchedMotions = [];
  const recordingStitch = (...args) => {
    const motion = stitch(...args);
    stitchedMotions.push(motion);
    return motion;
  };
  const character = await createActor("mixamo", names, { load, stitch: recordingStitch });
  const { transitions, clips } = character;
  const events = [];
  for (const type of ["started", "finished", "interrupted"])
    transitions.addEventListener(type, () => events.push(type));
  await transitions.prepare(Object.values(clips));
  transitions.transitionTo(clips["ada-walk"]);
  advance(character, 1.2);
  events.length = 0;
  const run = transitions.transitionTo(clips["ada-run"], {
    within: 0.5,
    method: { gap: 10, gapMethod: "inertialize" },
  });
  assert.equal(run.state, "waiting");
  assert.equal(stitchedMotions.length, 1);
  await stitchedMotions[0];
  // The transition receives the frames in promise callbacks, which run before the next task.
  await nextTask();
  advance(character, 1.6);
  assert.equal(await run.finished, true);
  assert.deepEqual(events, ["started", "finished"]);
  assert.equal(typeof run.join, "object", `${run.join}`);
  const start = character.frames.length;
  // This transition starts while frames of the previous one are computed; those frames are dropped.
  const idle = transitions.transitionTo(clips["ada-idle"], { within: 0.3 });
  advance(character, 0.8);
  assert.equal(await idle.finished, true);
  assert.equal(idle.join, "inertialize");
  // The request of the first transition was in frame 72.
  for (let index = 75; index < character.frames.length; index++)
    assert.ok(
      largestMovement(character, index) < 0.25,
      `frame ${index} of ${start}: ${largestMovement(character, index)} m`,
    );
  transitions.dispose();
});

test("transitions computed ahead are used without waiting", async () => {
  const character = await createActor("mixamo", ["ada-walk", "ada-idle"], { load, stitch });
  const { transitions, clips } = character;
  await transitions.prepare(Object.values(clips), { ahead: 0.5 });
  transitions.transitionTo(clips["ada-walk"]);
  advance(character, 1);
  const idle = transitions.transitionTo(clips["ada-idle"], { within: 0.6, arriveWithin: 2 });
  advance(character, 2.5);
  assert.equal(await idle.finished, true);
  assert.equal(typeof idle.join, "object", `${idle.join}`);
  transitions.dispose();
});

test("`finished` of an interrupted transition resolves to false, and the last action is current", async () => {
  const character = await createActor("vrm", ["ada-walk", "ada-run", "ada-idle"]);
  const { transitions, clips } = character;
  transitions.transitionTo(clips["ada-walk"]);
  advance(character, 0.5);
  const run = transitions.transitionTo(clips["ada-run"], { method: "inertialize" });
  advance(character, 0.1);
  const idle = transitions.transitionTo(clips["ada-idle"], { method: "inertialize" });
  assert.equal(await run.finished, false);
  advance(character, 0.5);
  assert.equal(await idle.finished, true);
  assert.equal(transitions.current, character.mixer.clipAction(clips["ada-idle"]));
  assert.equal(transitions.transition, undefined);
});

test("an action that plays once ends with the finished event of the mixer, and holds its last pose", async () => {
  const character = await createActor("mixamo", ["ada-walk", "ada-turn"]);
  const { transitions, mixer, clips } = character;
  let finishedCount = 0;
  mixer.addEventListener("finished", () => finishedCount++);
  transitions.transitionTo(clips["ada-walk"]);
  advance(character, 0.5);
  transitions.transitionTo(mixer.clipAction(clips["ada-turn"]).setLoop(LoopOnce, 1), { method: "inertialize" });
  advance(character, clips["ada-turn"].duration + 0.5);
  assert.equal(finishedCount, 1);
  assert.ok(largestMovement(character, character.frames.length - 1) < 1e-6, "the character stands still");
  const index = character.frames.length;
  transitions.transitionTo(clips["ada-walk"], { method: "inertialize" });
  advance(character, 0.5);
  assertSmooth(character, index, "out of the last pose");
});

for (const timeScale of [2, 0.5])
  test(`at timeScale ${timeScale} of the mixer, the model leaves after \`within\` real seconds`, async () => {
    const requests = [];
    // The stitched motion is never ready, so the model waits as long as it may.
    const character = await createActor("mixamo", ["ada-walk", "ada-run"], {
      load,
      stitch: (_, options) => {
        requests.push(options);
        return new Promise(() => {});
      },
    });
    const { transitions, mixer, clips } = character;
    await transitions.prepare(Object.values(clips));
    mixer.timeScale = timeScale;
    transitions.transitionTo(clips["ada-walk"]);
    advance(character, 1.2 / timeScale);
    const within = 0.5;
    const run = transitions.transitionTo(clips["ada-run"], { within });
    let frames = 0;
    for (; run.state === "waiting" && frames < 300; frames++) frame(character);
    // The model leaves in the frame after the last one that waits.
    assert.ok(Math.abs(frames - within * FPS - 1) <= 1, `${frames} frames`);
    // The worker needs 0.12 s at first; the rest may be cut off the clip, which runs at `timeScale`.
    assert.equal(requests.length, 1);
    assert.ok(Math.abs(requests[0].maxCut - (within - 0.12) * timeScale) < 1e-9, `maxCut ${requests[0].maxCut}`);
    transitions.dispose();
  });

test("a paused mixer does not end the wait of a transition", async () => {
  const character = await createActor("mixamo", ["ada-walk", "ada-run"], {
    load,
    stitch: () => new Promise(() => {}),
  });
  const { transitions, mixer, clips } = character;
  await transitions.prepare(Object.values(clips));
  transitions.transitionTo(clips["ada-walk"]);
  advance(character, 1.2);
  const run = transitions.transitionTo(clips["ada-run"], { within: 0.3 });
  mixer.timeScale = 0;
  advance(character, 1);
  assert.equal(run.state, "waiting");
  mixer.timeScale = 1;
  advance(character, 0.4);
  assert.notEqual(run.state, "waiting");
});

/** Returns the horizontal movement of toes near the ground from a frame on, metres. */
function slideDistance({ frames, bones }, from, maxHeight = 0.05) {
  const toes = [...bones.keys()].flatMap((role, i) => (/Toe$/.test(role) ? [i] : []));
  let distance = 0;
  for (let index = from; index < frames.length; index++)
    for (const toe of toes) {
      const [position, previous] = [frames[index].positions[toe], frames[index - 1].positions[toe]];
      if (Math.max(position.y, previous.y) < maxHeight)
        distance += Math.hypot(position.x - previous.x, position.z - previous.z);
    }
  return distance;
}

test("locked feet slide less than free feet", async () => {
  const distances = { locked: 0, free: 0 };
  for (const wait of [0.3, 0.55, 0.8, 1.05])
    for (const kind of ["locked", "free"]) {
      const character = await createActor("mixamo", ["ada-walk", "ada-idle"], kind === "locked" ? { load } : {});
      await character.transitions.prepare(Object.values(character.clips));
      character.transitions.transitionTo(character.clips["ada-walk"]);
      advance(character, wait);
      character.transitions.transitionTo(character.clips["ada-idle"], { method: "inertialize" });
      advance(character, 0.6);
      distances[kind] += slideDistance(character, Math.round(wait * FPS));
      assertSmooth(character, Math.round(wait * FPS), `${kind} feet after ${wait} s`);
    }
  assert.ok(
    distances.locked < 0.8 * distances.free,
    `locked ${distances.locked.toFixed(3)} m, free ${distances.free.toFixed(3)} m`,
  );
});

test("legs with locked feet do not snap straight", async () => {
  for (const [first, second, third, wait] of [
    ["ada-run", "ada-idle", "ada-run", 0.94],
    ["ada-run", "ada-walk", "ada-turn", 1],
    ["ada-turn", "ada-walk", "ada-idle", 1.15],
  ]) {
    const character = await createActor("mixamo", [...new Set([first, second, third])], { load });
    await character.transitions.prepare(Object.values(character.clips));
    character.transitions.transitionTo(character.clips[first]);
    const start = advance(character, wait);
    character.transitions.transitionTo(character.clips[second], { method: "inertialize" });
    advance(character, 0.13);
    character.transitions.transitionTo(character.clips[third], { method: "inertialize" });
    advance(character, 0.9);
    // A snapping knee changes its velocity by 7 to 9 cm per frame.
    for (let index = start; index < character.frames.length; index++)
      assert.ok(
        velocityChange(character, index) < 0.06,
        `${first}, ${second}, ${third}, frame ${index}: ${velocityChange(character, index)} m`,
      );
  }
});

test("root motion starts from the position and heading of the model", async () => {
  const character = await createActor("mixamo", ["ada-walk"]);
  character.model.position.set(3, 1, -2);
  character.model.quaternion.setFromAxisAngle(new Vector3(0, 1, 0), Math.PI / 2);
  character.transitions.transitionTo(character.clips["ada-walk"]);
  advance(character, 1);
  const { x, y, z } = character.model.position;
  assert.ok(x > 3.5 && Math.abs(z + 2) < 0.2 && y === 1, `${[x, y, z]}`);
  assert.ok(character.model.quaternion.angleTo(new Quaternion(0, Math.SQRT1_2, 0, Math.SQRT1_2)) < 0.3);
});

test("wrong arguments are refused", async () => {
  const character = await createActor("mixamo", ["ada-walk"]);
  const otherMixer = new AnimationMixer(character.model);
  assert.throws(() => createTransitions(new Object3D()), { code: "option", message: /has no bones/ });
  assert.throws(() => createTransitions(character.model, { root: true }), { code: "option" });
  assert.throws(() => createTransitions(character.model, { hips: "nothing" }), { code: "option" });
  for (const playing of ["walk", otherMixer.clipAction(character.clips["ada-walk"])])
    assert.throws(() => createTransitions(character.model, { playing }), { code: "option", message: /playing/ });
  const walk = character.clips["ada-walk"];
  await assert.rejects(character.transitions.prepare([walk], { signal: AbortSignal.abort() }), { code: "aborted" });
  assert.throws(() => character.transitions.transitionTo("walk"), { code: "option" });
  assert.throws(() => character.transitions.transitionTo(otherMixer.clipAction(character.clips["ada-walk"])), {
    code: "option",
  });
  for (const within of [-1, Infinity])
    assert.throws(() => character.transitions.transitionTo(character.clips["ada-walk"], { within }), {
      code: "option",
    });
  for (const method of ["magic", null, 5, []])
    assert.throws(() => character.transitions.transitionTo(character.clips["ada-walk"], { method }), {
      code: "option",
      message: /method must be/,
    });
  assert.throws(() => character.transitions.update(NaN), { code: "option", message: /delta/ });
  assert.equal(frame(character).rootMotion.position.length(), 0);
});

test("a request that is repeated in every frame starts one transition", async () => {
  const character = await createActor("mixamo", ["ada-walk", "ada-run"]);
  const { transitions, clips } = character;
  transitions.transitionTo(clips["ada-walk"]);
  advance(character, 0.5);
  const first = transitions.transitionTo(clips["ada-run"]);
  for (let i = 0; i < 20 && first.state === "waiting"; i++, frame(character))
    assert.equal(transitions.transitionTo(clips["ada-run"]), first);
  assert.equal(first.state, "crossing");
  assert.equal(transitions.current.getClip(), clips["ada-run"]);
});

test("the velocity of a position is kept in any unit", () => {
  const interval = 1 / 30;
  for (const unit of [1, 100, 1000]) {
    // A body that rises by 1.2 metres per second enters a motion that stands still.
    const poseAt = (metres) => ({ rotations: [], positions: [[0, metres * unit, 0]] });
    const displayed = { last: poseAt(1), previous: poseAt(0.96), interval };
    const offsets = new Offsets(displayed, poseAt(1), poseAt(1), 1 / 60, 0.5);
    offsets.advance(0.01);
    const rise = offsets.apply(poseAt(1)).positions[0][1] / unit - 1;
    assert.ok(Math.abs(rise - 0.012) < 0.001, `${unit} units per metre: ${rise} m`);
  }
});
