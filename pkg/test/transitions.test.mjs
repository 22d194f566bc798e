// kinestitch/three: transitions of a running mixer, frame by frame: no jumps, root motion, stitched transitions,
// layers, events, feet.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { AnimationMixer, LoopOnce, Object3D, Quaternion, Vector3 } from "three";
import { load, stitch } from "kinestitch";
import { createTransitions } from "kinestitch/three";
import { actor, around, frame, go, jolt, moved } from "./transitions-support.mjs";

const FAMILIES = ["mixamo", "vrm", "blender"];
const CLIPS = ["ada-walk", "ada-run", "ada-idle", "ada-turn"];
/** Change of velocity by linear interpolation between frames at 30 fps, metres per frame. */
const KEYS = 0.004;

/** Asserts that nothing moves farther, or changes velocity more, at a frame than in the frames near it. */
function assertSmooth(of, at, what) {
  const [way, most] = [moved(of, at), around(of, at, moved)];
  assert.ok(
    way <= most,
    `${what}: a bone goes ${(way * 100).toFixed(1)} cm in frame ${at}, ${(most * 100).toFixed(1)} beside it`,
  );
  const [sharp, sharpest] = [jolt(of, at), around(of, at, jolt) + KEYS];
  assert.ok(
    sharp <= sharpest,
    `${what}: a velocity changes by ${(sharp * 100).toFixed(2)} cm a frame in frame ${at}, by ${(sharpest * 100).toFixed(2)} beside it`,
  );
}

for (const family of FAMILIES)
  test(`a ${family} character passes from clip to clip, and in the middle of that into another, without a jump`, async () => {
    const of = await actor(family, CLIPS);
    const { transitions, clips } = of;
    transitions.transitionTo(clips["ada-walk"]);
    go(of, 1);
    const joints = [];
    // The second, fourth and sixth interrupt the previous one half-way.
    const story = [
      ["ada-run", 0.7],
      ["ada-idle", 0.1],
      ["ada-turn", 0.6],
      ["ada-walk", 0.08],
      ["ada-run", 0.05],
      ["ada-idle", 0.7],
    ];
    for (const [name, seconds] of story) {
      joints.push([name, of.frames.length]);
      transitions.transitionTo(clips[name], { method: "inertialize" });
      go(of, seconds);
    }
    for (const [name, at] of joints) assertSmooth(of, at, `into ${name}`);
  });

test("a loop that does not close, and one that is short of time, go on without a jump", async () => {
  const of = await actor("mixamo", ["ada-walk"]);
  of.transitions.transitionTo(of.clips["ada-walk"]);
  const seconds = of.clips["ada-walk"].duration;
  const end = go(of, seconds + 0.5) - 30;
  for (let at = end - 2; at <= end + 2; at++) {
    const most = Math.max(...[10, 20, 30].map((back) => around(of, at - back - 5, moved)));
    assert.ok(moved(of, at) <= most * 1.3, `frame ${at}: ${moved(of, at)} m, before ${most}`);
  }
  assert.ok(of.model.position.length() > 0.9 * seconds, "it goes on beyond the clip's end");
});

test("the root goes on in the world: the model walks on, and turns on, through loops and transitions", async () => {
  const of = await actor("mixamo", ["ada-walk", "ada-turn", "ada-run"]);
  const hips = of.bones.get("Hips");
  of.transitions.transitionTo(of.clips["ada-turn"]);
  go(of, of.clips["ada-turn"].duration - 0.1);
  const heading = of.model.rotation.y;
  assert.ok(Math.abs(of.model.quaternion.y) > 0.1, `the model has turned: ${of.model.quaternion.y}`);
  of.transitions.transitionTo(of.clips["ada-walk"], { method: "inertialize" });
  const from = go(of, 0.5);
  const before = of.model.position.clone();
  go(of, 1);
  const way = of.model.position.clone().sub(before);
  const facing = new Vector3(0, 0, 1).applyQuaternion(of.model.quaternion);
  assert.ok(way.length() > 0.6, `${way.length()} m in a second`);
  assert.ok(way.normalize().dot(facing) > 0.95, "it goes where it faces");
  assert.ok(Number.isFinite(heading) && from > 0);
  const at = hips.getWorldPosition(new Vector3());
  assert.ok(Math.hypot(at.x - of.model.position.x, at.z - of.model.position.z) < 0.1, "the hips are over the model");
});

test("deltas: the model stays, and its ways add up to where it would have gone", async () => {
  const names = ["ada-walk", "ada-turn"];
  const [applied, told] = [await actor("blender", names), await actor("blender", names, { rootMotion: "deltas" })];
  const follower = new Object3D();
  for (const of of [applied, told]) {
    of.transitions.transitionTo(of.clips["ada-walk"]);
    go(of, 1);
    of.transitions.transitionTo(of.clips["ada-turn"], { method: "inertialize" });
    go(of, 2);
  }
  for (const { way } of told.frames) {
    follower.position.add(way.position.clone().applyQuaternion(follower.quaternion));
    follower.quaternion.multiply(way.quaternion);
  }
  assert.deepEqual(told.model.position.toArray(), [0, 0, 0]);
  assert.ok(follower.position.distanceTo(applied.model.position) < 1e-6, `${follower.position.toArray()}`);
  assert.ok(follower.quaternion.angleTo(applied.model.quaternion) < 1e-6);
});

test("with stitch, the model passes through the frames that it made; where they do not come in time, it is inertialized", async () => {
  const names = ["ada-walk", "ada-run", "ada-idle"];
  const of = await actor("mixamo", names, { load, stitch });
  const { transitions, clips } = of;
  const told = [];
  for (const type of ["started", "finished", "interrupted"])
    transitions.addEventListener(type, ({ transition }) => told.push([type, transition.join]));
  await transitions.prepare(Object.values(clips));
  transitions.transitionTo(clips["ada-walk"]);
  go(of, 1.2);
  told.length = 0;
  const run = transitions.transitionTo(clips["ada-run"], {
    within: 0.5,
    method: { gap: 10, gapMethod: "inertialize" },
  });
  assert.equal(run.state, "waiting");
  await new Promise((resolve) => setTimeout(resolve, 600));
  go(of, 1.6);
  assert.equal(await run.finished, true);
  assert.deepEqual(
    told.map(([type]) => type),
    ["started", "finished"],
  );
  assert.equal(typeof run.join, "object", `${run.join}`);
  const start = of.frames.length;
  // It starts while frames of the previous one are being computed, which are then dropped.
  const idle = transitions.transitionTo(clips["ada-idle"], { within: 0.3 });
  go(of, 0.8);
  assert.equal(await idle.finished, true);
  assert.equal(idle.join, "inertialize");
  for (let at = 75; at < of.frames.length; at++)
    assert.ok(moved(of, at) < 0.25, `frame ${at} of ${start}: ${moved(of, at)} m`);
  transitions.dispose();
});

test("ways computed ahead are taken without a wait for the engine", async () => {
  const of = await actor("mixamo", ["ada-walk", "ada-idle"], { load, stitch });
  const { transitions, clips } = of;
  await transitions.prepare(Object.values(clips), { ahead: 0.5 });
  transitions.transitionTo(clips["ada-walk"]);
  go(of, 1);
  const idle = transitions.transitionTo(clips["ada-idle"], { within: 0.6 });
  go(of, 2);
  assert.equal(await idle.finished, true);
  assert.equal(typeof idle.join, "object", `${idle.join}`);
  transitions.dispose();
});

test("an interrupted transition tells so, and the model is in the last action", async () => {
  const of = await actor("vrm", ["ada-walk", "ada-run", "ada-idle"]);
  const { transitions, clips } = of;
  transitions.transitionTo(clips["ada-walk"]);
  go(of, 0.5);
  const run = transitions.transitionTo(clips["ada-run"], { method: "inertialize" });
  go(of, 0.1);
  const idle = transitions.transitionTo(clips["ada-idle"], { method: "inertialize" });
  assert.equal(await run.finished, false);
  go(of, 0.5);
  assert.equal(await idle.finished, true);
  assert.equal(transitions.current, of.mixer.clipAction(clips["ada-idle"]));
  assert.equal(transitions.transition, undefined);
});

test("an action that plays once ends with the mixer's own event, and holds its last pose", async () => {
  const of = await actor("mixamo", ["ada-walk", "ada-turn"]);
  const { transitions, mixer, clips } = of;
  let ended = 0;
  mixer.addEventListener("finished", () => ended++);
  transitions.transitionTo(clips["ada-walk"]);
  go(of, 0.5);
  transitions.transitionTo(mixer.clipAction(clips["ada-turn"]).setLoop(LoopOnce, 1), { method: "inertialize" });
  go(of, clips["ada-turn"].duration + 0.5);
  assert.equal(ended, 1);
  assert.ok(moved(of, of.frames.length - 1) < 1e-6, "it stands still");
  const at = of.frames.length;
  transitions.transitionTo(clips["ada-walk"], { method: "inertialize" });
  go(of, 0.5);
  assertSmooth(of, at, "out of the last pose");
});

test("a layer moves its bones alone", async () => {
  const [plain, waving] = [
    await actor("mixamo", ["ada-walk", "ada-run"]),
    await actor("mixamo", ["ada-walk", "ada-run"]),
  ];
  for (const of of [plain, waving]) {
    of.transitions.transitionTo(of.clips["ada-walk"]);
    go(of, 0.5);
  }
  const layer = waving.transitions.layer(waving.clips["ada-run"], { from: "mixamorigSpine" }, { fade: 0.2 });
  for (const of of [plain, waving]) go(of, 0.5);
  const apart = (role) => plain.bones.get(role).quaternion.angleTo(waving.bones.get(role).quaternion);
  for (const role of ["LeftUpLeg", "RightLeg", "Hips"]) assert.ok(apart(role) < 1e-6, role);
  assert.ok(apart("LeftForeArm") > 0.1 || apart("LeftArm") > 0.1, "the arms run");
  assert.ok(waving.model.position.distanceTo(plain.model.position) < 1e-9, "the root is the walk's");
  layer.fadeOut(0.2);
  for (const of of [plain, waving]) go(of, 0.4);
  await layer.finished;
  assert.ok(apart("LeftForeArm") < 1e-6);
  for (let at = 20; at < waving.frames.length; at++) assert.ok(moved(waving, at) < 0.12, `frame ${at}`);
  assert.throws(() => plain.transitions.layer(plain.clips["ada-run"], ["no such bone"]), { code: "option" });
});

/** Horizontal movement of toes near the ground from a frame on, metres. */
function slid({ frames, bones }, from, low = 0.05) {
  const toes = [...bones.keys()].flatMap((role, i) => (/Toe$/.test(role) ? [i] : []));
  let way = 0;
  for (let at = from; at < frames.length; at++)
    for (const toe of toes) {
      const [now, before] = [frames[at].places[toe], frames[at - 1].places[toe]];
      if (Math.max(now.y, before.y) < low) way += Math.hypot(now.x - before.x, now.z - before.z);
    }
  return way;
}

test("feet that touch the ground slide less where they are held", async () => {
  const sum = { held: 0, free: 0 };
  for (const wait of [0.3, 0.55, 0.8, 1.05])
    for (const kind of ["held", "free"]) {
      const of = await actor("mixamo", ["ada-walk", "ada-idle"], kind === "held" ? { load } : {});
      await of.transitions.prepare(Object.values(of.clips));
      of.transitions.transitionTo(of.clips["ada-walk"]);
      go(of, wait);
      of.transitions.transitionTo(of.clips["ada-idle"], { method: "inertialize" });
      go(of, 0.6);
      sum[kind] += slid(of, Math.round(wait * 60));
      assertSmooth(of, Math.round(wait * 60), `${kind} feet after ${wait} s`);
    }
  assert.ok(sum.held < 0.8 * sum.free, `held ${sum.held.toFixed(3)} m, free ${sum.free.toFixed(3)} m`);
});

test("legs that are held do not snap straight", async () => {
  for (const [first, second, third, wait] of [
    ["ada-run", "ada-idle", "ada-run", 0.94],
    ["ada-run", "ada-walk", "ada-turn", 1],
    ["ada-turn", "ada-walk", "ada-idle", 1.15],
  ]) {
    const of = await actor("mixamo", [...new Set([first, second, third])], { load });
    await of.transitions.prepare(Object.values(of.clips));
    of.transitions.transitionTo(of.clips[first]);
    const start = go(of, wait);
    of.transitions.transitionTo(of.clips[second], { method: "inertialize" });
    go(of, 0.13);
    of.transitions.transitionTo(of.clips[third], { method: "inertialize" });
    go(of, 0.9);
    // A snapping knee changes its velocity by 7 to 9 cm per frame.
    for (let at = start; at < of.frames.length; at++)
      assert.ok(jolt(of, at) < 0.06, `${first}, ${second}, ${third}, frame ${at}: ${jolt(of, at)} m`);
  }
});

test("where the model was put and turned to, it goes on from there", async () => {
  const of = await actor("mixamo", ["ada-walk"]);
  of.model.position.set(3, 1, -2);
  of.model.quaternion.setFromAxisAngle(new Vector3(0, 1, 0), Math.PI / 2);
  of.transitions.transitionTo(of.clips["ada-walk"]);
  go(of, 1);
  const { x, y, z } = of.model.position;
  assert.ok(x > 3.5 && Math.abs(z + 2) < 0.2 && y === 1, `${[x, y, z]}`);
  assert.ok(of.model.quaternion.angleTo(new Quaternion(0, Math.SQRT1_2, 0, Math.SQRT1_2)) < 0.3);
});

test("what cannot be done is refused in a sentence", async () => {
  const of = await actor("mixamo", ["ada-walk"]);
  const other = new AnimationMixer(of.model);
  assert.throws(() => createTransitions(new Object3D()), { code: "option", message: /has no bones/ });
  assert.throws(() => createTransitions(of.model, { root: true }), { code: "option" });
  assert.throws(() => createTransitions(of.model, { hips: "nothing" }), { code: "option" });
  assert.throws(() => of.transitions.transitionTo("walk"), { code: "option" });
  assert.throws(() => of.transitions.transitionTo(other.clipAction(of.clips["ada-walk"])), { code: "option" });
  assert.throws(() => of.transitions.transitionTo(of.clips["ada-walk"], { within: -1 }), { code: "option" });
  assert.throws(() => of.transitions.transitionTo(of.clips["ada-walk"], { method: "magic" }), { code: "option" });
  assert.equal(frame(of).way.position.length(), 0);
});

after(() => setImmediate(() => process.exit()));
