// kinestitch/three: the heading of a model through transitions, rigs with bones above the hips, and how long a
// transition takes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTask } from "node:timers/promises";
import { Object3D, Quaternion, Vector3, VectorKeyframeTrack } from "three";
import { load, stitch } from "kinestitch";
import { createTransitions } from "kinestitch/three";
import { advance, createActor, FPS, frame, largestMovement } from "./transitions-support.mjs";

const GAITS = ["ada-walk", "ada-run", "ada-idle", "ada-jog"];
const headingOf = ({ quaternion: { y, w } }) => (2 * Math.atan2(y, w) * 180) / Math.PI;
const random = (seed) => () => {
  seed = (seed * 16807) % 2147483647;
  return seed / 2147483647;
};

/** Returns a copy of a clip whose hips turn by an angle about the vertical, swinging twice as wide in every cycle. */
function stylized({ model, bones }, clip, name, { turn = 0, swing = 0 }) {
  const hips = bones.get("Hips");
  const copy = clip.clone();
  copy.name = name;
  const track = copy.tracks.find((other) => other.name === `${hips.name}.quaternion`);
  model.updateMatrixWorld(true);
  const parent = hips.parent.getWorldQuaternion(new Quaternion());
  const up = new Vector3(0, 1, 0);
  for (let key = 0; key < track.times.length; key++) {
    const angle = turn + swing * Math.sin((2 * Math.PI * track.times[key]) / clip.duration);
    const local = new Quaternion().fromArray(track.values, key * 4);
    parent
      .clone()
      .invert()
      .multiply(new Quaternion().setFromAxisAngle(up, angle))
      .multiply(parent)
      .multiply(local)
      .toArray(track.values, key * 4);
  }
  return copy;
}

for (const family of ["mixamo", "vrm", "blender"])
  for (const isStitched of [false, true])
    test(`a ${family} character keeps its heading through ${isStitched ? "computed joins" : "inertialization"} of stylized clips`, async () => {
      const actor = await createActor(family, GAITS, {
        clips: { rootMotion: "inPlace" },
        load,
        ...(isStitched && { stitch }),
      });
      const { transitions, clips, model } = actor;
      const styles = [
        stylized(actor, clips["ada-walk"], "swinging walk", { swing: 0.6 }),
        stylized(actor, clips["ada-run"], "swinging run", { swing: 0.7 }),
        stylized(actor, clips["ada-idle"], "stance", { turn: -0.75 }),
        clips["ada-jog"],
      ];
      await transitions.prepare(styles, isStitched ? { ahead: 1 } : {});
      transitions.transitionTo(styles[0]);
      const next = random(7);
      for (let i = 0; i < 16; i++) {
        advance(actor, 0.2 + next());
        transitions.transitionTo(styles[Math.floor(next() * styles.length)], { within: 0.5, arriveWithin: 2 });
      }
      advance(actor, 2);
      assert.ok(Math.abs(headingOf(model)) < 1, `${headingOf(model)} degrees`);
      assert.ok(model.position.length() < 1.5, `clips in place have moved the model: ${model.position.toArray()}`);
    });

test("a model goes straight on through clips that travel in other directions of their files", async () => {
  const actor = await createActor("mixamo", GAITS);
  const { transitions, clips, model, bones } = actor;
  // The whole recording turned by 70 degrees.
  const turned = stylized(actor, clips["ada-run"], "turned run", { turn: 1.2 });
  const { parent, name } = bones.get("Hips");
  const track = turned.tracks.find((other) => other.name === `${name}.position`);
  const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), 1.2);
  for (let key = 0; key < track.times.length; key++)
    parent
      .worldToLocal(parent.localToWorld(new Vector3().fromArray(track.values, key * 3)).applyQuaternion(turn))
      .toArray(track.values, key * 3);
  transitions.transitionTo(clips["ada-walk"]);
  advance(actor, 1);
  for (const clip of [turned, clips["ada-idle"], turned, clips["ada-walk"], clips["ada-idle"]]) {
    transitions.transitionTo(clip, { method: "inertialize" });
    advance(actor, 1.3);
  }
  const { x, z } = model.position;
  assert.ok(Math.abs(headingOf(model)) < 1, `${headingOf(model)} degrees`);
  assert.ok(z > 6 && Math.abs(x) < 0.1 * z, `${x}, ${z}`);
});

for (const bone of ["hips", "root"])
  test(`with travel on the ${bone}, no joint jumps, and an object on the root bone stays at the model`, async () => {
    const actor = await createActor("blender", GAITS, { clips: { rootMotion: "inPlace" }, load });
    const { transitions, clips, model, bones } = actor;
    const hips = bones.get("Hips");
    const rootBone = hips.parent;
    const attachment = new Object3D();
    rootBone.add(attachment);
    model.updateMatrixWorld(true);
    const place = attachment.getWorldPosition(new Vector3());
    const carrier = bone === "hips" ? hips : rootBone;
    const travelling = { "ada-walk": 1.3, "ada-run": 4.2, "ada-jog": 2.6, "ada-idle": 0 };
    const made = Object.entries(travelling).map(([name, speed]) => withTravel(clips[name], carrier, speed));
    await transitions.prepare(made);
    transitions.transitionTo(made[0]);
    const next = random(11);
    let farthest = 0;
    for (let i = 0; i < 24; i++) {
      for (let count = 10 + next() * 60; count > 0; count--) {
        frame(actor);
        const world = attachment.getWorldPosition(new Vector3()).sub(model.position);
        farthest = Math.max(farthest, Math.hypot(world.x - place.x, world.z - place.z));
      }
      transitions.transitionTo(made[Math.floor(next() * made.length)]);
    }
    const fastest = Math.max(...actor.frames.slice(2).map((_, i) => largestMovement(actor, i + 2)));
    assert.ok(fastest < 0.32, `a joint moves ${fastest} m in a frame`);
    assert.ok(farthest < 0.12, `the object on the root bone is ${farthest} m from the model`);
    assert.ok(Math.abs(headingOf(model)) < 1 && model.position.z > 10, `${model.position.toArray()}`);
  });

/** Returns a copy of a clip in which a bone travels forwards. */
function withTravel(clip, bone, speed) {
  const copy = clip.clone();
  copy.name = `${clip.name} at ${speed}`;
  const name = `${bone.name}.position`;
  const track = copy.tracks.find((other) => other.name === name);
  const times = Array.from({ length: Math.round(clip.duration * 30) + 1 }, (_, i) => i / 30);
  const interpolant = track?.createInterpolant();
  const inverse = bone.parent.matrixWorld.clone().invert();
  const values = times.flatMap((time) => {
    const local = interpolant ? new Vector3(...interpolant.evaluate(time)) : bone.position.clone();
    const world = local.applyMatrix4(bone.parent.matrixWorld);
    world.z += speed * time;
    return world.applyMatrix4(inverse).toArray();
  });
  copy.tracks = [...copy.tracks.filter((other) => other !== track), new VectorKeyframeTrack(name, times, values)];
  return copy;
}

test("a walk stops within 0.5 s of the request, a change between gaits arrives within 0.4 s", async () => {
  const actor = await createActor("mixamo", ["ada-walk", "ada-run", "ada-idle"], { load, stitch });
  const { transitions, clips, model } = actor;
  await transitions.prepare(Object.values(clips), { ahead: 0.2 });
  for (let i = 0; i < 6; i++) {
    transitions.transitionTo(clips["ada-walk"]);
    advance(actor, 1.1 + 0.13 * i);
    const run = transitions.transitionTo(clips["ada-run"]);
    advance(actor, 0.4 + 2 / FPS);
    assert.equal(run.state, "over", "the run has arrived");
    transitions.transitionTo(clips["ada-walk"]);
    advance(actor, 1);
    transitions.transitionTo(clips["ada-idle"]);
    advance(actor, 0.5 + 2 / FPS);
    const place = model.position.clone();
    advance(actor, 0.5);
    assert.ok(model.position.distanceTo(place) < 0.05, `it moves ${model.position.distanceTo(place)} m after 0.5 s`);
  }
  transitions.dispose();
});

test("a computed join that takes longer than `arriveWithin` is not used, one that was asked for is", async () => {
  const requests = [];
  const recordingStitch = (clips, options) => {
    const motion = stitch(clips, options);
    requests.push(motion);
    return motion;
  };
  const joins = [];
  for (const options of [
    { within: 0.3, arriveWithin: 0.6 },
    { within: 0.3, arriveWithin: 5 },
    { within: 0.3, method: { gap: 40, gapMethod: "inertialize" } },
  ]) {
    const actor = await createActor("mixamo", ["ada-walk", "ada-idle"], { load, stitch: recordingStitch });
    const { transitions, clips } = actor;
    await transitions.prepare(Object.values(clips));
    transitions.transitionTo(clips["ada-walk"]);
    advance(actor, 1.2);
    const idle = transitions.transitionTo(clips["ada-idle"], options);
    await Promise.all(requests);
    await nextTask();
    advance(actor, 4);
    joins.push([idle.state, typeof idle.join]);
    transitions.dispose();
  }
  assert.deepEqual(joins.at(-1), ["over", "object"]);
  assert.deepEqual(
    joins.map(([state]) => state),
    ["over", "over", "over"],
  );
});

test("with `deterministic`, two runs give the same frames, and need prepared clips", async () => {
  const runs = [];
  for (let run = 0; run < 2; run++) {
    const actor = await createActor("mixamo", ["ada-walk", "ada-run", "ada-idle"], {
      load,
      stitch,
      deterministic: true,
    });
    const { transitions, clips } = actor;
    assert.throws(() => transitions.transitionTo(clips["ada-walk"]), { code: "option", message: /prepare/ });
    await transitions.prepare(Object.values(clips), { ahead: 0.3 });
    transitions.transitionTo(clips["ada-walk"]);
    assert.throws(() => transitions.transitionTo(clips["ada-run"], { method: { gap: 12 } }), { code: "option" });
    const next = random(5);
    for (let i = 0; i < 12; i++) {
      advance(actor, 0.2 + next());
      // The runs give the worker different times to answer.
      if (run === 0) await nextTask();
      const target = clips[["ada-walk", "ada-run", "ada-idle"][Math.floor(next() * 3)]];
      transitions.transitionTo(target, { within: 0.4, arriveWithin: 1.5 });
    }
    runs.push(actor.frames.map(({ positions }) => positions.map((position) => position.toArray())));
  }
  assert.deepEqual(runs[0], runs[1]);
});

test("after `dispose`, calls throw and pending promises are rejected", async () => {
  const { transitions, clips } = await createActor("mixamo", ["ada-walk", "ada-run"]);
  transitions.transitionTo(clips["ada-walk"]);
  transitions.update(1 / 60);
  const run = transitions.transitionTo(clips["ada-run"], { within: 0.3 });
  const prepared = transitions.prepare([clips["ada-run"]]);
  transitions.dispose();
  transitions.dispose();
  await assert.rejects(run.finished, { code: "aborted" });
  await assert.rejects(prepared, { code: "aborted" });
  assert.equal(transitions.current, undefined);
  for (const call of [
    () => transitions.update(1 / 60),
    () => transitions.seek(1),
    () => transitions.transitionTo(clips["ada-run"]),
    () => transitions.layer(clips["ada-run"], ["mixamorigSpine"]),
    () => transitions.createBlendSpace([]),
  ])
    assert.throws(call, { code: "option", message: /disposed/ });
  await assert.rejects(transitions.prepare([]), { code: "option", message: /disposed/ });
});

test("heading asInFile, facing and travel", async () => {
  const headings = {};
  for (const heading of ["asInFile", "facing", "travel", "auto"]) {
    const actor = await createActor("mixamo", ["ada-idle"], { heading, clips: { rootMotion: "inPlace" } });
    const stance = stylized(actor, actor.clips["ada-idle"], "stance", { turn: 0.6 });
    actor.transitions.transitionTo(stance);
    advance(actor, 0.2);
    const line = ["LeftUpLeg", "RightUpLeg"].map((role) => actor.bones.get(role).getWorldPosition(new Vector3()));
    const { x, z } = line[0].sub(line[1]);
    headings[heading] = Math.atan2(-z, x);
  }
  const expected = { asInFile: 0.6, facing: 0, travel: 0.6, auto: 0.6 };
  for (const [heading, angle] of Object.entries(expected))
    assert.ok(Math.abs(headings[heading] - angle) < 0.1, `${heading}: ${headings[heading]}, not ${angle}`);
  assert.throws(() => createTransitions(new Object3D(), { heading: "north" }), { code: "option" });
});
