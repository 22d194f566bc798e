// kinestitch/three: layers, actions on some bones over the base motion.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LoopOnce } from "three";
import { advance, createActor, largestMovement } from "./transitions-support.mjs";

/** Creates a walking character with a layer whose action plays once. */
async function withLayerThatPlaysOnce() {
  const character = await createActor("mixamo", ["ada-walk", "ada-turn"]);
  const { transitions, mixer, clips } = character;
  transitions.transitionTo(clips["ada-walk"]);
  advance(character, 0.5);
  const action = mixer.clipAction(clips["ada-turn"]).setLoop(LoopOnce, 1);
  return { ...character, action, layer: transitions.layer(action, { from: "mixamorigSpine" }) };
}
const countListeners = ({ mixer }) => mixer._listeners?.finished?.length ?? 0;

test("a layer whose action plays once fades out within 0.25 s after its end", async () => {
  const character = await withLayerThatPlaysOnce();
  const { layer, action, clips } = character;
  assert.equal(countListeners(character), 1);
  advance(character, clips["ada-turn"].duration - 0.1);
  assert.equal(layer.weight, 1);
  advance(character, 0.2);
  assert.ok(layer.weight > 0 && layer.weight < 1, `${layer.weight}`);
  advance(character, 0.2);
  assert.equal(layer.weight, 0);
  await layer.finished;
  assert.deepEqual([action.isRunning(), countListeners(character)], [false, 0]);
});

test("an action that is layered again while its layer fades out plays on, and fades out at its own end", async () => {
  const character = await withLayerThatPlaysOnce();
  const { layer, action, clips, transitions } = character;
  advance(character, clips["ada-turn"].duration + 0.1);
  const again = transitions.layer(action, { from: "mixamorigSpine" });
  advance(character, 0.5);
  await layer.finished;
  assert.ok(action.isRunning() && again.weight === 1);
  advance(character, clips["ada-turn"].duration);
  await again.finished;
  assert.deepEqual([action.isRunning(), countListeners(character)], [false, 0]);
});

test("a layer fades while the mixer plays backwards", async () => {
  const character = await createActor("mixamo", ["ada-walk", "ada-run"]);
  const { transitions, mixer, clips } = character;
  transitions.transitionTo(clips["ada-walk"]);
  advance(character, 0.5);
  mixer.timeScale = -1;
  const layer = transitions.layer(clips["ada-run"], { from: "mixamorigSpine" });
  advance(character, 0.1);
  assert.ok(layer.weight > 0 && layer.weight < 1, `${layer.weight}`);
  advance(character, 0.3);
  assert.equal(layer.weight, 1);
});

test("the action of a layer plays on after the whole body has played it, too", async () => {
  const character = await withLayerThatPlaysOnce();
  const { layer, action, clips, transitions } = character;
  for (const next of [action, clips["ada-walk"]]) {
    transitions.transitionTo(next, { method: "inertialize" });
    advance(character, 0.5);
  }
  assert.ok(action.isRunning() && layer.weight === 1);
  advance(character, clips["ada-turn"].duration);
  await layer.finished;
  assert.equal(action.isRunning(), false);
});

test("dispose ends the layers: `finished` is rejected, and the mixer keeps no listener", async () => {
  const character = await withLayerThatPlaysOnce();
  character.transitions.dispose();
  await assert.rejects(character.layer.finished, { code: "aborted" });
  assert.equal(countListeners(character), 0);
});

test("a layer moves only its bones", async () => {
  const [plain, waving] = [
    await createActor("mixamo", ["ada-walk", "ada-run"]),
    await createActor("mixamo", ["ada-walk", "ada-run"]),
  ];
  for (const character of [plain, waving]) {
    character.transitions.transitionTo(character.clips["ada-walk"]);
    advance(character, 0.5);
  }
  const layer = waving.transitions.layer(waving.clips["ada-run"], { from: "mixamorigSpine" }, { fade: 0.2 });
  for (const character of [plain, waving]) advance(character, 0.5);
  // From the distance of the quaternions: for equal ones, `angleTo` returns the rounding of their lengths.
  const angleBetween = (role) => {
    const [a, b] = [plain, waving].map(({ bones }) => bones.get(role).quaternion.toArray());
    return 4 * Math.asin(Math.min(1, Math.hypot(...a.map((value, i) => value - b[i])) / 2));
  };
  for (const role of ["LeftUpLeg", "RightLeg", "Hips"]) assert.ok(angleBetween(role) < 1e-6, role);
  assert.ok(angleBetween("LeftForeArm") > 0.1 || angleBetween("LeftArm") > 0.1, "the arms follow the run");
  assert.ok(waving.model.position.distanceTo(plain.model.position) < 1e-9, "the root follows the walk");
  layer.fadeOut(0.2);
  for (const character of [plain, waving]) advance(character, 0.4);
  await layer.finished;
  assert.ok(angleBetween("LeftForeArm") < 1e-6);
  for (let index = 20; index < waving.frames.length; index++)
    assert.ok(largestMovement(waving, index) < 0.12, `frame ${index}`);
  for (const mask of [["no such bone"], "mixamorigSpine", undefined, { bone: "mixamorigSpine" }])
    assert.throws(() => plain.transitions.layer(plain.clips["ada-run"], mask), { code: "option", message: /mask/ });
});
